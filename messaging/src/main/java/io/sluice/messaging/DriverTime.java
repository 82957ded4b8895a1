package io.sluice.messaging;

import io.sluice.messaging.api.MessagingException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.agrona.concurrent.EpochClock;
import org.agrona.concurrent.NanoClock;
import org.agrona.concurrent.SystemEpochClock;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The time of day when a media driver started plus the time elapsed since, by which the driver and its clients detect
 * each other's death. Aeron compares times of day, so if they used the system's clock and it were set forward by
 * seconds, each would conclude that the others had died.
 *
 * <p>A driver publishes its time in a file of its directory whenever its conductor reads it, about every
 * millisecond. A client starts from that time and advances it by its own monotonic clock while the driver publishes
 * nothing: so no two processes compare monotonic clocks, whose origins Java does not define. A client that connects
 * while the driver stalls lags by the stall until the driver resumes. For any thread.
 */
final class DriverTime implements EpochClock {
    /** Name of the file, of 8 bytes: the driver's time in milliseconds of the epoch, in native order. */
    static final String FILE = "now";

    private static final long NS_PER_MS = 1_000_000;

    private final NanoClock clock;
    private final long startMs;
    private final long startNs;
    private volatile UnsafeBuffer published; // null before the driver has a directory

    private DriverTime(long startMs, NanoClock clock) {
        this.clock = clock;
        this.startMs = startMs;
        this.startNs = clock.nanoTime();
    }

    /**
     * Creates the clock of a driver that starts.
     *
     * @param timeOfDay read once.
     */
    static DriverTime startingAt(EpochClock timeOfDay) {
        return new DriverTime(timeOfDay.time(), System::nanoTime);
    }

    /**
     * The time of the driver in a directory.
     *
     * @return the driver's time, or the system's if the driver publishes none because it belongs to another program.
     */
    static EpochClock of(Path directory) {
        return of(directory, System::nanoTime);
    }

    /**
     * Like {@link #of(Path)}, with a given clock.
     *
     * @param directory directory of the driver.
     * @param clock monotonic, with any origin.
     * @return clock of the driver's time, in milliseconds of the epoch.
     */
    static EpochClock of(Path directory, NanoClock clock) {
        Path file = directory.resolve(FILE);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            if (channel.size() != Long.BYTES) {
                return SystemEpochClock.INSTANCE;
            }
            UnsafeBuffer now = new UnsafeBuffer(channel.map(FileChannel.MapMode.READ_ONLY, 0, Long.BYTES));
            DriverTime own = new DriverTime(now.getLongVolatile(0), clock);
            return () -> Math.max(own.elapsed(), now.getLongVolatile(0));
        } catch (NoSuchFileException e) {
            return SystemEpochClock.INSTANCE;
        } catch (IOException e) {
            throw new MessagingException("the media driver's file " + file + " cannot be read: " + e, e);
        }
    }

    /** Publishes this time in the driver's directory from now on. */
    void publishIn(Path directory) throws IOException {
        Path file = directory.resolve(FILE);
        ByteBuffer now = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.nativeOrder());
        Files.write(file, now.putLong(time()).array());
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            published = new UnsafeBuffer(channel.map(FileChannel.MapMode.READ_WRITE, 0, Long.BYTES));
        }
    }

    @Override
    public long time() {
        long nowMs = elapsed();
        UnsafeBuffer file = published;
        if (file != null) {
            file.putLongRelease(0, nowMs);
        }
        return nowMs;
    }

    private long elapsed() {
        return startMs + (clock.nanoTime() - startNs) / NS_PER_MS;
    }
}
