package io.sluice.messaging.counters;

import io.aeron.CncFileDescriptor;
import io.sluice.messaging.api.MessagingException;
import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.ringbuffer.ManyToOneRingBuffer;
import org.agrona.concurrent.ringbuffer.RingBuffer;
import org.agrona.concurrent.status.CountersReader;

/**
 * The counters in a media driver's file, in a mapping of its own: Aeron unmaps the file when the driver dies, even
 * while a thread stores to it. The garbage collector frees this mapping.
 */
final class CounterFile {
    private final CountersReader reader;
    private final AtomicBuffer values;
    private final RingBuffer commands;

    CounterFile(AtomicBuffer metaData, AtomicBuffer values, RingBuffer commands) {
        this.reader = new CountersReader(metaData, values);
        this.values = values;
        this.commands = commands;
    }

    /**
     * Maps the file of a driver.
     *
     * @param directory directory of the driver.
     * @return the file.
     * @throws MessagingException if it cannot be mapped.
     */
    static CounterFile of(Path directory) {
        Path file = directory.resolve(CncFileDescriptor.CNC_FILE);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            MappedByteBuffer mapped = channel.map(FileChannel.MapMode.READ_WRITE, 0, channel.size());
            UnsafeBuffer cnc = CncFileDescriptor.createMetaDataBuffer(mapped);
            return new CounterFile(
                    CncFileDescriptor.createCountersMetaDataBuffer(mapped, cnc),
                    CncFileDescriptor.createCountersValuesBuffer(mapped, cnc),
                    new ManyToOneRingBuffer(CncFileDescriptor.createToDriverBuffer(mapped, cnc)));
        } catch (IOException e) {
            throw new MessagingException("the media driver's file " + file + " cannot be mapped: " + e, e);
        }
    }

    /** Time of the driver's last heartbeat, in milliseconds of its clock. For any thread, at any time. */
    long driverHeartbeatMs() {
        return commands.consumerHeartbeatTime();
    }

    /** All counters of the driver. */
    CountersReader reader() {
        return reader;
    }

    /**
     * Changes a counter if it is still the one that was allocated. The driver frees the counters of a process that was
     * suspended for too long, and reuses them after a second at the earliest. If a thread is suspended for so long
     * between the check and the store, the store fails, unless the new counter happens to hold the expected value.
     *
     * @param counterId position of the counter in the file.
     * @param registrationId registration id of the counter, which a driver never assigns twice.
     * @param was value that this process stored last, 0 at first.
     * @param now value to store.
     * @return whether the value was stored; false if the driver has freed the counter or given it to another process,
     *     or if its value is not {@code was}.
     */
    boolean replace(int counterId, long registrationId, long was, long now) {
        return reader.getCounterState(counterId) == CountersReader.RECORD_ALLOCATED
                && reader.getCounterRegistrationId(counterId) == registrationId
                && values.compareAndSetLong(CountersReader.counterOffset(counterId), was, now);
    }
}
