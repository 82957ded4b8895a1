package io.sluice.messaging;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.agrona.concurrent.EpochClock;
import org.agrona.concurrent.SystemEpochClock;

/**
 * The time of day as it was when a media driver started, and from then on only what has passed since. By it a driver
 * and its clients judge whether the other lives: Aeron compares times of day, so with the system's clock a clock that
 * is set forward by some seconds would look like a death to all of them at once.
 *
 * <p>A driver leaves the difference to the monotonic clock, which all processes of a host share, in a file of its
 * directory. Any thread may ask for the time.
 */
final class DriverTime implements EpochClock {
    /** Name of the file, of 8 bytes: milliseconds to be added to the monotonic clock's, big-endian. */
    static final String FILE = "time";

    private static final long NS_PER_MS = 1_000_000;

    private final long differenceMs;

    private DriverTime(long differenceMs) {
        this.differenceMs = differenceMs;
    }

    /**
     * For a driver that starts.
     *
     * @param timeOfDay read once.
     */
    static DriverTime startingAt(EpochClock timeOfDay) {
        return new DriverTime(timeOfDay.time() - monotonicMs());
    }

    /**
     * The time of the driver in a directory.
     *
     * @return its time, or the system's if it has left none there: then it is a driver of another program.
     */
    static EpochClock of(Path directory) {
        Path file = directory.resolve(FILE);
        try {
            byte[] bytes = Files.exists(file) ? Files.readAllBytes(file) : new byte[0];
            return Long.BYTES == bytes.length
                    ? new DriverTime(ByteBuffer.wrap(bytes).getLong())
                    : SystemEpochClock.INSTANCE;
        } catch (IOException e) {
            throw new MessagingException("the media driver's file " + file + " cannot be read: " + e, e);
        }
    }

    /** Leaves it for others in the driver's directory. */
    void leaveIn(Path directory) throws IOException {
        Files.write(
                directory.resolve(FILE),
                ByteBuffer.allocate(Long.BYTES).putLong(differenceMs).array());
    }

    @Override
    public long time() {
        return differenceMs + monotonicMs();
    }

    private static long monotonicMs() {
        return System.nanoTime() / NS_PER_MS;
    }
}
