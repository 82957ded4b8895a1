package io.sluice.perf.training;

import io.aeron.Aeron;
import io.aeron.AeronCounters;
import io.aeron.CommonContext;
import io.aeron.Subscription;
import io.aeron.driver.status.StreamCounter;
import io.aeron.logbuffer.FrameDescriptor;
import io.aeron.logbuffer.Header;
import io.sluice.codecs.Frame;
import io.sluice.codecs.sbe.DataDecoder;
import io.sluice.perf.nodes.PollingThread;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.SleepingIdleStrategy;

/**
 * Counts how often each slice of a cluster's only table is sent before its clock ends, by spies on the data links of a
 * media driver. A link waits for its spy as it waits for its receiver, so a spy misses only what was sent before it was
 * there; nothing is sent early in the first clock.
 */
final class EarlyFrames implements AutoCloseable {
    /** Number of equal parts into which {@link #shares} divides the slices. */
    static final int PARTS = 20;

    private static final long PERIOD_NS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final int MOST_AT_ONCE = 1_000;

    private final Aeron aeron;
    private final int servers;
    private final long[] pushes;
    private final long[] broadcasts;

    /** Spies by stream and channel, since one spy hears all publications of its stream and channel. */
    private final Map<String, Subscription> spies = new HashMap<>();

    private final DataDecoder data = new DataDecoder();
    private final PollingThread thread;

    /** Starts to count; {@code servers} are the first node ids, and {@code slices} are those of the table. */
    EarlyFrames(Aeron aeron, int servers, int slices) {
        this.aeron = aeron;
        this.servers = servers;
        this.pushes = new long[slices];
        this.broadcasts = new long[slices];
        this.thread = new PollingThread("early-frames", new SleepingIdleStrategy(PERIOD_NS), () -> {
            spy();
            return poll();
        });
    }

    private void spy() {
        aeron.countersReader().forEach((id, type, key, label) -> {
            int stream = key.getInt(StreamCounter.STREAM_ID_OFFSET);
            int channel = label.indexOf(CommonContext.UDP_CHANNEL);
            if (type == AeronCounters.DRIVER_SENDER_POSITION_TYPE_ID && stream != BudgetWatch.CONTROL_STREAM) {
                String spied = CommonContext.SPY_PREFIX + label.substring(channel);
                spies.computeIfAbsent(stream + " " + spied, _ -> aeron.addSubscription(spied, stream));
            }
        });
    }

    private int poll() {
        return spies.values().stream()
                .mapToInt(spy -> spy.poll(this::onFragment, MOST_AT_ONCE))
                .sum();
    }

    private void onFragment(DirectBuffer buffer, int offset, int length, Header header) {
        boolean first = (header.flags() & FrameDescriptor.BEGIN_FRAG_FLAG) != 0;
        if (first && length >= Frame.DATA_LENGTH && Frame.templateId(buffer, offset) == DataDecoder.TEMPLATE_ID) {
            data.wrap(buffer, offset + Frame.HEADER_LENGTH, DataDecoder.BLOCK_LENGTH, Frame.SCHEMA_VERSION);
            if (data.flags().partial()) {
                (Frame.origin(buffer, offset) < servers ? broadcasts : pushes)[data.slice()]++;
            }
        }
    }

    /** Stops after the last frame of a cluster that has ended. */
    void stop() {
        thread.close();
        thread.requireSound();
        int fragments;
        do {
            fragments = poll(); // of what was sent since the thread's last poll
        } while (fragments > 0);
    }

    /** How often workers pushed each slice early. For after {@link #stop}. */
    long[] pushes() {
        return pushes;
    }

    /** How often servers broadcast each slice early, over all workers. For after {@link #stop}. */
    long[] broadcasts() {
        return broadcasts;
    }

    /** The shares of slices at which {@link #shares} has values. */
    static double[] parts() {
        return IntStream.rangeClosed(0, PARTS)
                .mapToDouble(part -> (double) part / PARTS)
                .toArray();
    }

    /**
     * The cumulative share of sends, of the slices that were sent most often: of none, of the first of {@link #PARTS}
     * parts, and so on; a slice in two parts belongs to both in proportion.
     *
     * @return PARTS + 1 shares from 0 to 1; none if nothing was sent
     */
    static double[] shares(long[] sends) {
        long[] sorted = sends.clone();
        Arrays.sort(sorted);
        double all = Arrays.stream(sends).sum();
        double[] shares = new double[all == 0 ? 0 : PARTS + 1];
        for (int part = 0; part < shares.length; part++) {
            double slices = (double) sends.length * part / PARTS;
            double sum = 0;
            for (int i = 0; i < slices; i++) {
                sum += Math.min(1, slices - i) * sorted[sends.length - 1 - i];
            }
            shares[part] = sum / all;
        }
        return shares;
    }

    @Override
    public void close() {
        thread.close();
    }
}
