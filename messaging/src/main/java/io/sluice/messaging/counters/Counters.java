package io.sluice.messaging.counters;

import io.aeron.Aeron;
import io.aeron.CncFileDescriptor;
import io.aeron.Counter;
import io.aeron.exceptions.AeronException;
import io.aeron.exceptions.DriverTimeoutException;
import io.aeron.exceptions.RegistrationException;
import io.sluice.messaging.MessagingException;
import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.agrona.ErrorHandler;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.AtomicCounter;
import org.agrona.concurrent.status.CountersReader;

/**
 * Allocates the counters of one client of a media driver, and frees them.
 *
 * <p>A driver has room for a fixed number of counters. When it is full this says so once, and all that would have been
 * published from then on is counted for this process alone: a job does not fail for want of a counter.
 *
 * <p>Safe for use by any thread.
 */
public final class Counters {
    private static final long PARK_NS = TimeUnit.MICROSECONDS.toNanos(20);

    private final Aeron aeron;
    private final Path directory;
    private final ErrorHandler errorHandler;
    /** A mapping of our own: Aeron takes its away when the driver dies, under whoever is counting. */
    private final UnsafeBuffer values;

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
        this.values = map(directory.resolve(CncFileDescriptor.CNC_FILE));
    }

    private static UnsafeBuffer map(Path file) {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            MappedByteBuffer mapped = channel.map(FileChannel.MapMode.READ_WRITE, 0, channel.size());
            return CncFileDescriptor.createCountersValuesBuffer(mapped, CncFileDescriptor.createMetaDataBuffer(mapped));
        } catch (IOException e) {
            throw new MessagingException("the media driver's file " + file + " cannot be mapped: " + e, e);
        }
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
     * Adds counters, all in one round trip to the driver.
     *
     * @return the counters in the order of the members, or null if they are not to be had.
     */
    Counter[] allocate(CounterKey key, List<CounterGroup.Member> members) {
        if (full) {
            return null;
        }
        try {
            return add(key, members);
        } catch (AeronException | IllegalStateException e) {
            return null; // the client is closed, or about to be: whoever sends or polls finds out why
        }
    }

    private Counter[] add(CounterKey key, List<CounterGroup.Member> members) {
        long[] ids = new long[members.size()];
        for (int i = 0; i < ids.length; i++) {
            ids[i] =
                    request(members.get(i).type(), key.withDetail(members.get(i).detail()));
        }
        Counter[] counters = new Counter[ids.length];
        for (int i = 0; i < ids.length; i++) {
            try {
                counters[i] = await(ids[i]);
            } catch (RegistrationException e) {
                onFull(e);
            }
        }
        if (full) {
            free(counters);
            return null;
        }
        return counters;
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

    private Counter await(long id) {
        long startNs = System.nanoTime();
        Counter counter = aeron.getCounter(id);
        while (counter == null) {
            if (System.nanoTime() - startNs
                    > TimeUnit.MILLISECONDS.toNanos(aeron.context().driverTimeoutMs())) {
                throw new DriverTimeoutException("no answer to the request for a counter within "
                        + aeron.context().driverTimeoutMs() + " ms");
            }
            LockSupport.parkNanos(PARK_NS);
            counter = aeron.getCounter(id);
        }
        return counter;
    }

    private void onFull(RegistrationException refusal) {
        if (!full) {
            full = true;
            errorHandler.onError(new MessagingException(
                    "the media driver in " + directory + " has no room for more counters (" + refusal.getMessage()
                            + "): this process goes on, but `sluice stat` does not see all of it;"
                            + " give the driver more with -Daeron.counters.buffer.length=16m",
                    refusal));
        }
    }

    /** The tally that writes to a counter. */
    Tally tally(Counter counter) {
        return new Tally(new AtomicCounter(values, counter.id()));
    }

    /** Gives counters back. Once the client is closed the driver has done so. */
    void free(Counter... counters) {
        for (Counter counter : counters) {
            if (counter != null && !aeron.isClosed()) {
                counter.close();
            }
        }
    }

    /** Whether the driver has refused a counter. */
    public boolean isFull() {
        return full;
    }
}
