package io.sluice.messaging.counters;

import io.aeron.Aeron;
import io.aeron.exceptions.AeronException;
import io.aeron.exceptions.RegistrationException;
import io.sluice.messaging.api.MessagingException;
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
 * Allocates and frees the counters of one client of a media driver, and publishes values in them.
 *
 * <p>Counting threads neither wait for the driver nor access its file: they request counters and count at once; {@link
 * #publish}, on one thread, copies the values. Before each store, that thread checks that the counter is still this
 * process's: the driver frees the counters of a process that was suspended for longer than its liveness timeout and
 * reuses them, perhaps for the position of a stream of another job.
 *
 * <p>A driver can hold a fixed number of counters. When its file is full, this class reports an error once, and further
 * counters of this class count for this process only. Aeron needs counters, too, and then refuses new links.
 *
 * <p>Safe for use by any thread, except for {@link #publish}.
 */
public final class Counters {
    /** Interval between publications. */
    private static final long PACE_NS = TimeUnit.MILLISECONDS.toNanos(10);

    private final Aeron aeron;
    private final Path directory;
    private final ErrorHandler errorHandler;
    private final CounterFile file;
    private final Queue<CounterBatch> asked = new ConcurrentLinkedQueue<>();
    /** Batches that the driver has not answered. Only the publishing thread uses them. */
    private final List<CounterBatch> awaited = new ArrayList<>();

    private final long slowCycleNs;
    private final List<CounterBatch> published = new ArrayList<>();
    private long lastNs = System.nanoTime() - PACE_NS;
    private volatile boolean full;

    /**
     * Creates the counters of a connected client.
     *
     * @param aeron connected client.
     * @param directory directory of its driver.
     * @param slowCycleNs time above which a cycle of an agent counts as slow.
     * @param errorHandler called once if the driver cannot allocate more counters; must not block.
     * @throws MessagingException if the driver's file cannot be mapped.
     */
    public Counters(Aeron aeron, Path directory, long slowCycleNs, ErrorHandler errorHandler) {
        this.aeron = aeron;
        this.directory = directory;
        this.slowCycleNs = slowCycleNs;
        this.errorHandler = errorHandler;
        this.file = CounterFile.of(directory);
    }

    /**
     * A reader of all counters of the driver. Unlike Aeron's reader, it can be used after the client was closed, for
     * example because the driver died: it then returns the last values.
     *
     * @return a reader for any thread
     */
    public CountersReader reader() {
        return file.reader();
    }

    /**
     * Counters of a link.
     *
     * @param name name of the link or inbox.
     * @param registrationId registration id of its publication.
     * @param sessionId session id of its publication.
     * @param streamId stream id of its publication.
     * @return the counters; to be closed with the link.
     */
    public LinkCounters link(String name, long registrationId, int sessionId, int streamId) {
        return new LinkCounters(open(CounterKey.here(registrationId, sessionId, streamId, name), LinkCounters.ALWAYS));
    }

    /**
     * Counters of an inbox.
     *
     * @param name name of the link or inbox.
     * @param registrationId registration id of its subscription.
     * @param streamId stream id of its subscription.
     * @return the counters; to be closed with the inbox.
     */
    public InboxCounters inbox(String name, long registrationId, int streamId) {
        return new InboxCounters(open(CounterKey.here(registrationId, 0, streamId, name), InboxCounters.ALWAYS));
    }

    /**
     * Counters of an agent.
     *
     * @param name name of the agent, such as {@code membership}.
     * @return the counters; to be closed with the agent.
     */
    public DutyCycle agent(String name) {
        return new DutyCycle(open(CounterKey.here(0, 0, 0, name), DutyCycle.ALWAYS), slowCycleNs);
    }

    /**
     * Counters of a server or worker. All other counters of the same client belong to the node.
     *
     * @param name name of the node, such as {@code server 0}.
     * @return the counters; to be closed with the node.
     */
    public CounterGroup node(String name) {
        return open(CounterKey.here(0, 0, 0, name), List.of());
    }

    private CounterGroup open(CounterKey key, List<CounterGroup.Member> members) {
        return new CounterGroup(this, key, members);
    }

    /**
     * Requests counters from the driver without waiting.
     *
     * @param counters counters to publish, in the order of the members.
     * @return the batch to close when the counters are no longer needed, or null if there are none.
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
            // The client is closed, or about to be, and senders and receivers report the cause; or the driver does not
            // keep up with commands, and these counters are missing.
            withdraw(ids, sent);
            return null;
        }
        CounterBatch batch = new CounterBatch(ids, counters);
        asked.add(batch);
        return batch;
    }

    /** Removes counters; those for whose removal the driver does not take a command are freed with the client. */
    private void withdraw(long[] ids, int sent) {
        try {
            for (int i = 0; i < sent; i++) {
                aeron.asyncRemoveCounter(ids[i]);
            }
        } catch (AeronException | IllegalStateException e) {
            // the client is closed, or the driver still does not keep up
        }
    }

    private long request(CounterType type, CounterKey key) {
        UnsafeBuffer encoded = new UnsafeBuffer(new byte[CountersReader.MAX_KEY_LENGTH]);
        int keyLength = key.encode(encoded);
        byte[] label = label(type, key).getBytes(StandardCharsets.US_ASCII);
        int labelLength = Math.min(label.length, CountersReader.MAX_LABEL_LENGTH);
        return aeron.asyncAddCounter(type.typeId(), encoded, 0, keyLength, new UnsafeBuffer(label), 0, labelLength);
    }

    static String label(CounterType type, CounterKey key) {
        String detail = key.detail().isEmpty() ? "" : " (" + key.detail() + ")";
        String stream = key.streamId() == 0 ? "" : " stream " + key.streamId();
        return "sluice " + key.name() + ": " + type.text() + detail + stream;
    }

    /**
     * Time of the driver's last heartbeat, one per second. Also works when the driver is dead and Aeron has closed the
     * client.
     *
     * @return milliseconds of the driver's clock.
     */
    public long driverHeartbeatMs() {
        return file.driverHeartbeatMs();
    }

    /**
     * Copies changed values to the driver's file, every ten milliseconds at most, and publishes and frees counters. For
     * one thread: Aeron's client conductor calls it in its duty cycle. Allocates nothing while the set of counters does
     * not change.
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
            if (aeron.isClosed()) {
                awaited.clear();
            } // otherwise the driver does not keep up with commands, and the next call continues
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
                    "the media driver in " + directory + " cannot allocate more counters (" + refusal.getMessage()
                            + "): this process continues, but `sluice stat` does not show all of it;"
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
