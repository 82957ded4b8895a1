package io.sluice.perf.training;

import io.aeron.AeronCounters;
import io.aeron.driver.status.StreamCounter;
import io.sluice.messaging.Transport;
import io.sluice.perf.nodes.PollingThread;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.SleepingIdleStrategy;
import org.agrona.concurrent.status.CountersReader;

/**
 * Measures the bytes that each data link has put on the wire. It reads the positions of the media driver's sender every
 * millisecond and adds the increments to a leaky bucket with the budget's rate. The highest level of the bucket is the
 * excess of the link over its budget in the worst span of time.
 */
final class BudgetWatch implements AutoCloseable {
    private static final long PERIOD_NS = TimeUnit.MILLISECONDS.toNanos(1);

    /** Stream of heartbeats and other control messages, which have no budget. */
    static final int CONTROL_STREAM = 10;

    private static final double BITS = 8;
    private static final double NS = 1e9;

    private final CountersReader counters;
    private final long rate;
    private final Map<Long, Level> levels = new HashMap<>();
    private final PollingThread thread;
    private long beforeNs = System.nanoTime();

    /** The level of one link. */
    private static final class Level {
        private long position;
        private double bytes;
        private double most;
    }

    /**
     * Starts to measure.
     *
     * @param rate rate of each data link, bits per second
     */
    BudgetWatch(Transport transport, long rate) {
        this.counters = transport.aeron().countersReader();
        this.rate = rate;
        this.thread = new PollingThread("budget-watch", new SleepingIdleStrategy(PERIOD_NS), this::look);
    }

    private int look() {
        long nowNs = System.nanoTime();
        double leaked = rate * (nowNs - beforeNs) / NS / BITS;
        beforeNs = nowNs;
        levels.values().forEach(level -> level.bytes = Math.max(0, level.bytes - leaked));
        counters.forEach((id, type, key, label) -> {
            if (type == AeronCounters.DRIVER_SENDER_POSITION_TYPE_ID
                    && key.getInt(StreamCounter.STREAM_ID_OFFSET) != CONTROL_STREAM) {
                look(key.getLong(StreamCounter.REGISTRATION_ID_OFFSET), counters.getCounterValue(id));
            }
        });
        return 0;
    }

    private void look(long link, long position) {
        Level level = levels.computeIfAbsent(link, fresh -> new Level());
        level.bytes += Math.max(0, position - level.position);
        level.position = Math.max(level.position, position);
        level.most = Math.max(level.most, level.bytes);
    }

    /** Stops, and returns the largest excess of any link over its rate, in bytes. */
    double stop() {
        close();
        return levels.values().stream().mapToDouble(level -> level.most).max().orElse(0);
    }

    @Override
    public void close() {
        thread.close();
    }
}
