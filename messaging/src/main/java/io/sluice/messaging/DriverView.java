package io.sluice.messaging;

import io.aeron.CncFileDescriptor;
import io.sluice.messaging.api.MessagingException;
import io.sluice.messaging.counters.CounterReading;
import io.sluice.messaging.driver.Driver;
import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.agrona.BufferUtil;
import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.EpochClock;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.errors.ErrorLogReader;
import org.agrona.concurrent.ringbuffer.ManyToOneRingBuffer;
import org.agrona.concurrent.status.CountersReader;

/**
 * A read-only view of a running media driver: its counters and Sluice's, the errors, and whether it is alive. For one
 * thread.
 */
public final class DriverView implements AutoCloseable {
    /** Age of a heartbeat after which the driver is silent: it writes one each second. */
    private static final long SILENT_MS = 2_500;

    private final Path directory;
    private final CncFile cnc;
    private final MappedByteBuffer mapped;
    private final ManyToOneRingBuffer toDriver;
    private final CountersReader counters;
    private final AtomicBuffer errors;
    private final EpochClock time;
    private boolean closed;

    private DriverView(Path directory, CncFile cnc, MappedByteBuffer mapped) {
        this.directory = directory;
        this.cnc = cnc;
        this.mapped = mapped;
        UnsafeBuffer metaData = CncFileDescriptor.createMetaDataBuffer(mapped);
        toDriver = new ManyToOneRingBuffer(CncFileDescriptor.createToDriverBuffer(mapped, metaData));
        counters = new CountersReader(
                CncFileDescriptor.createCountersMetaDataBuffer(mapped, metaData),
                CncFileDescriptor.createCountersValuesBuffer(mapped, metaData));
        time = DriverTime.of(directory);
        errors = CncFileDescriptor.createErrorLogBuffer(mapped, metaData);
    }

    /**
     * Opens a view of the driver in a directory.
     *
     * @param directory directory of the driver.
     * @return the view.
     * @throws MessagingException if no driver runs there, or its files may not be read.
     */
    public static DriverView open(Path directory) {
        if (!Driver.isActive(directory)) {
            throw AeronErrors.noDriver(directory, null);
        }
        Path file = CncFile.in(directory);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            CncFile cnc = CncFile.read(directory);
            if (cnc == null) {
                throw AeronErrors.noDriver(directory, null);
            }
            return new DriverView(directory, cnc, channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size()));
        } catch (IOException e) {
            throw new MessagingException("the media driver's file " + file + " cannot be read: " + e, e);
        }
    }

    /** The driver's directory. */
    public Path directory() {
        return directory;
    }

    /** Process id of the driver. */
    public long processId() {
        return cnc.pid();
    }

    /** When the driver started, in milliseconds of the epoch. */
    public long startMs() {
        return cnc.startMs();
    }

    /** Whether this driver is still running; the view detects a kill within seconds. */
    public boolean isAlive() {
        long heartbeatMs = toDriver.consumerHeartbeatTime();
        return heartbeatMs >= 0
                && (time.time() - heartbeatMs < SILENT_MS || new DriverDirectory(directory).isProcessOf(cnc));
    }

    /** The values of all counters now. */
    public CounterReading read() {
        return CounterReading.of(counters);
    }

    /** The errors recorded since the driver started: the driver's, then those of each Sluice process. */
    public List<RecordedError> errors() {
        List<RecordedError> recorded = new ArrayList<>();
        ErrorLogReader.read(
                errors,
                (count, firstMs, lastMs, text) ->
                        recorded.add(new RecordedError("media driver", cnc.pid(), count, firstMs, lastMs, text)));
        recorded.addAll(ErrorLog.read(directory));
        return recorded;
    }

    /** Ends the view. Closing twice is harmless. */
    @Override
    public void close() {
        if (!closed) {
            closed = true;
            BufferUtil.free(mapped);
        }
    }
}
