package io.sluice.messaging;

import io.sluice.messaging.api.MessagingException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.agrona.CloseHelper;
import org.agrona.IoUtil;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.SleepingMillisIdleStrategy;

/**
 * Lets one thread of all processes of a host start a driver in a directory at a time: of two that find no driver there,
 * the second would delete the files of the first. The lock is a file beside the directory, because the start of a
 * driver empties the directory itself; {@link #close} removes it.
 *
 * <p>Where this process cannot write that file, as beside a mounted directory or on a full disk, drivers start without
 * a lock.
 */
final class DriverStartLock implements AutoCloseable {
    private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(10);
    private static final int RETRY_MS = 5;

    private final Path file;

    /** The open file, which holds the lock; null without one. */
    private final FileChannel channel;

    private DriverStartLock(Path file, FileChannel channel) {
        this.file = file;
        this.channel = channel;
    }

    /**
     * Waits until this thread may start a driver.
     *
     * @param directory absolute path of the driver's directory, which need not exist
     * @return the lock, to be closed once the driver has started or has failed
     * @throws MessagingException if another thread has held the lock for 10 s, or this thread is interrupted
     */
    static DriverStartLock acquire(Path directory) {
        Path parent = directory.getParent();
        if (parent == null) {
            return new DriverStartLock(directory, null);
        }
        Path file = parent.resolve(directory.getFileName() + ".start");
        IdleStrategy idle = new SleepingMillisIdleStrategy(RETRY_MS);
        long startNs = System.nanoTime();
        try {
            Files.createDirectories(parent);
            while (System.nanoTime() - startNs < PATIENCE_NS) {
                FileChannel channel = tryLock(file);
                if (channel != null) {
                    return new DriverStartLock(file, channel);
                }
                idle.idle();
                if (Thread.currentThread().isInterrupted()) {
                    throw new MessagingException("interrupted before a media driver could start in " + directory);
                }
            }
        } catch (IOException e) {
            return new DriverStartLock(file, null);
        }
        throw new MessagingException("another process has been starting a media driver in " + directory + " for "
                + TimeUnit.NANOSECONDS.toSeconds(PATIENCE_NS) + " s; the file " + file + " is its lock");
    }

    /**
     * The open file with a lock; null if another thread holds it, or has removed the file since it was opened: then the
     * text written here is not in the file of that name.
     */
    private static FileChannel tryLock(Path file) throws IOException {
        FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        boolean locked = false;
        try {
            if (channel.tryLock() != null) {
                String text = UUID.randomUUID().toString();
                channel.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII)));
                locked = text.equals(Files.readString(file));
                channel.truncate(0); // the space on a small disk is for logs
            }
        } catch (OverlappingFileLockException | NoSuchFileException e) {
            locked = false; // another thread of this process holds the lock, or the file has been removed
        } finally {
            if (!locked) {
                CloseHelper.quietClose(channel);
            }
        }
        return locked ? channel : null;
    }

    /** Removes the file, and then lets the next thread start a driver. */
    @Override
    public void close() {
        if (channel != null) {
            IoUtil.delete(file.toFile(), true);
            CloseHelper.quietClose(channel);
        }
    }
}
