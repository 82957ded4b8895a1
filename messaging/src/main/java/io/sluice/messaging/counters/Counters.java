package io.sluice.messaging.counters;

import io.aeron.Aeron;
import io.aeron.exceptions.AeronException;
import io.aeron.exceptions.RegistrationException;
import io.sluice.messaging.MessagingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.agrona.ErrorHandler;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.CountersReader;

/**
 * Has the counters of one client of a media driver allocated and freed, and publishes counters in them.
 *
 * <p>Nobody who counts waits for the driver or touches its file: counters are asked for and the counters run from that
 * moment; {@link #publish}, on one thread, sees to the rest. That thread looks before each store whether the counter is
 * still this process's. The driver takes the counters of a process that was suspended for longer than its liveness
 * timeout and gives their places to others, perhaps for the position of a stream of another job.
 *
 * <p>A driver has room for a fixed number of counters. When it is full this says so once, and all that would have been
 * published from then on is counted for this process alone: a job does not fail for want of a counter.
 *
 * <p>Safe for use by any thread, but for {@link #publish}.
 */
public final class Counters {
    /** How old a published value may be, the pace of the publishing thread left aside. */
    private static final long PACE_NS = TimeUnit.MILLISECONDS.toNanos(10);

    private final Aeron aeron;
    private final Path directory;
    private final ErrorHandler errorHandler;
    private final CounterFile file;
    private final Queue<CounterBatch> asked = new ConcurrentLinkedQueue<>();
    /** Of the publishing thread, as is the next one. */
    private final List<CounterBatch> awaited = new ArrayList<>();

    private final List<CounterBatch> published = new ArrayList<>();
    private long lastNs = System.nanoTime() - PACE_NS;
    private volatile boolean full;

    /**
     * For a connected client.
     *
     * @param aeron the client.
     * @param directory of its driver.
     * @param errorHandler told once if the driver has no room for counters; must not block.
     * @throws MessagingException if the driver's file cannot be mapped.
     */
    public Counters(Aeron aeron, Path directory, ErrorHandler errorHandler) {
        this.aeron = aeron;
        this.directory = directory;
        this.errorHandler = errorHandler;
        this.file = CounterFile.of(directory);
    }

    /**
     * All counters of the driver. Unlike Aeron's own reader this one may still be asked after the client was closed, as
     * it is when the driver dies: it then sees what was there last.
     *
     * @return for any thread
     */
    public CountersReader reader() {
        return file.reader();
    }

    /**
     * Counters of a link.
     *
     * @param name what people call it.
     * @param registrationId of its publication.
     * @param sessionId of its publication.
     * @param streamId of its publication.
     * @return the counters; to be closed with the link.
     */
    public LinkCounters link(String name, long registrationId, int sessionId, int streamId) {
        return new LinkCounters(open(CounterKey.here(registrationId, sessionId, streamId, name), LinkCounters.ALWAYS));
    }

    /**
     * Counters of an inbox.
     *
     * @param name what people call it.
     * @param registrationId of its subscription.
     * @param streamId of its subscription.
     * @return the counters; to be closed with the inbox.
     */
    public InboxCounters inbox(String name, long registrationId, int streamId) {
        return new InboxCounters(open(CounterKey.here(registrationId, 0, streamId, name), InboxCounters.ALWAYS));
    }

    /**
     * Counters of an agent.
     *
     * @param name what people call it: {@code membership}.
     * @return the counters, with the threshold of {@link DutyCycle#THRESHOLD_PROPERTY}; to be closed with the agent.
     */
    public DutyCycle agent(String name) {
        return new DutyCycle(open(CounterKey.here(0, 0, 0, name), DutyCycle.ALWAYS), DutyCycle.thresholdNs());
    }

    /**
     * Counters of a server or worker. All other counters of the same client are taken to be the node's.
     *
     * @param name what people call it: {@code server 0}.
     * @return the counters; to be closed with the node.
     */
    public CounterGroup node(String name) {
        return open(CounterKey.here(0, 0, 0, name), List.of());
    }

    private CounterGroup open(CounterKey key, List<CounterGroup.Member> members) {
        return new CounterGroup(this, key, members);
    }

    /**
     * Asks the driver for counters, without waiting for them.
     *
     * @param counters to be published in them, in the order of the members.
     * @return what to close when they are not needed any more, or null if they are not to be had.
     */
    CounterBatch ask(CounterKey key, List<CounterGroup.Member> members, List<SingleWriterCounter> counters) {
        if (full) {
            return null;
        }
        long[] ids = new long[members.size()];
        int sent = 0;
        try {
            for (CounterGroup.Member member : members) {
                ids[sent] = request(member.type(), key.withDetail(member.detail()));
                sent++;
            }
        } catch (AeronException | IllegalStateException e) {
            // The client is closed, or about to be, and whoever sends or polls finds out why; or the driver does not
            // keep up with commands, and these counters are missing.
            for (int i = 0; i < sent; i++) {
                aeron.asyncRemoveCounter(ids[i]);
            }
            return null;
        }
        CounterBatch batch = new CounterBatch(ids, counters);
        asked.add(batch);
        return batch;
    }

    private long request(CounterType type, CounterKey key) {
        UnsafeBuffer encoded = new UnsafeBuffer(new byte[CountersReader.MAX_KEY_LENGTH]);
        int keyLength = key.encode(encoded);
        byte[] label = label(type, key).getBytes(StandardCharsets.US_ASCII);
        int labelLength = Math.min(label.length, CountersReader.MAX_LABEL_LENGTH);
        return aeron.asyncAddCounter(type.typeId(), encoded, 0, keyLength, new UnsafeBuffer(label), 0, labelLength);
    }

    private static String label(CounterType type, CounterKey key) {
        String detail = key.detail().isEmpty() ? "" : " (" + key.detail() + ")";
        String stream = key.streamId() == 0 ? "" : " stream " + key.streamId();
        return "sluice " + key.name() + ": " + type.text() + detail + stream;
    }

    /**
     * When the driver gave its last sign of life, of which it leaves one a second. Also where it is dead, and Aeron has
     * closed its client.
     *
     * @return milliseconds of the driver's clock.
     */
    public long driverHeartbeatMs() {
        return file.driverHeartbeatMs();
    }

    /**
     * Copies what has changed to the driver's file, ten milliseconds after the last time at the earliest, and takes up
     * and frees counters. For one thread, again and again: that of Aeron's client conductor, so that no thread is
     * needed. Allocates nothing while counters neither come nor go.
     */
    public void publish() {
        long nowNs = System.nanoTime();
        if (nowNs - lastNs < PACE_NS) {
            return;
        }
        lastNs = nowNs;
        try {
            takeUp();
            for (int i = published.size() - 1; i >= 0; i--) {
                CounterBatch batch = published.get(i);
                if (batch.isClosed()) {
                    published.remove(i);
                    batch.free(aeron);
                } else {
                    batch.publish(file);
                }
            }
        } catch (AeronException | IllegalStateException e) {
            awaited.clear(); // the client is closed, or about to be
        }
    }

    private void takeUp() {
        for (CounterBatch next = asked.poll(); next != null; next = asked.poll()) {
            awaited.add(next);
        }
        for (int i = awaited.size() - 1; i >= 0; i--) {
            CounterBatch batch = awaited.get(i);
            if (batch.isAnswered(aeron)) {
                awaited.remove(i);
                if (batch.refusal() == null) {
                    published.add(batch);
                } else {
                    batch.free(aeron);
                    onFull(batch.refusal());
                }
            }
        }
    }

    private void onFull(RegistrationException refusal) {
        if (!full) {
            errorHandler.onError(new MessagingException(
                    "the media driver in " + directory + " has no room for more counters (" + refusal.getMessage()
                            + "): this process goes on, but `sluice stat` does not see all of it;"
                            + " give the driver more with -Daeron.counters.buffer.length=16m",
                    refusal));
            full = true;
        }
    }

    /** Whether the driver has refused a counter. */
    public boolean isFull() {
        return full;
    }
}
