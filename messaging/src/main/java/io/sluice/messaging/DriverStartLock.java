package io.sluice.messaging;

import io.sluice.messaging.api.MessagingException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
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
 * a lock. The end of a driver, which removes its directory, does not take the lock.
 *
 * <p>A process loses its lock on a file (POSIX) as soon as it closes any descriptor of that file. So a thread opens the
 * file only while no other thread of the process does.
 */
final class DriverStartLock implements AutoCloseable {
    private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(10);
    private static final int RETRY_MS = 5;

    /** The files that threads of this process have open. */
    private static final Set<Path> OPEN = ConcurrentHashMap.newKeySet();

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
     * @throws MessagingException if this thread has waited for 10 s in vain, or is interrupted
     */
    static DriverStartLock acquire(Path directory) {
        IdleStrategy idle = new SleepingMillisIdleStrategy(RETRY_MS);
        long startNs = System.nanoTime();
        try {
            Path file = beside(directory);
            while (System.nanoTime() - startNs < PATIENCE_NS) {
                if (Thread.currentThread().isInterrupted()) {
                    throw new ClosedByInterruptException();
                }
                FileChannel channel = OPEN.add(file) ? tryLock(file) : null;
                if (channel != null) {
                    return new DriverStartLock(file, channel);
                }
                idle.idle();
            }
            throw new MessagingException("no media driver could start in " + directory + " within "
                    + TimeUnit.NANOSECONDS.toSeconds(PATIENCE_NS)
                    + " s, because others are starting there; the lock is " + file);
        } catch (ClosedByInterruptException e) {
            throw new MessagingException("interrupted before a media driver could start in " + directory, e);
        } catch (IOException e) {
            return new DriverStartLock(directory, null);
        }
    }

    /** The lock file beside a directory: the same for all paths to the directory, since symbolic links are resolved. */
    private static Path beside(Path directory) throws IOException {
        Path real = Files.exists(directory) ? directory.toRealPath() : directory;
        if (real.getParent() == null) {
            throw new IOException("nothing is beside " + real);
        }
        Files.createDirectories(real.getParent());
        return real.getParent().toRealPath().resolve("." + real.getFileName() + ".sluice-start");
    }

    /**
     * Opens and locks a file of {@link #OPEN}; returns null, with the file closed, if another process holds the lock or
     * has removed the file since it was opened. In the second case the file of that name is another one: it has not the
     * length that this one has for a moment.
     */
    private static FileChannel tryLock(Path file) throws IOException {
        FileChannel channel = null;
        boolean locked = false;
        try {
            channel = FileChannel.open(
                    file, StandardOpenOption.CREATE, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
            if (channel.tryLock() != null) {
                channel.write(
                        ByteBuffer.allocate(1), ThreadLocalRandom.current().nextLong(1, 1 << 30)); // sparse
                boolean same = Files.size(file) == channel.size();
                channel.truncate(0);
                locked = same;
            }
        } catch (OverlappingFileLockException | NoSuchFileException e) {
            locked = false; // another class loader of this process holds the lock, or the file has been removed
        } finally {
            if (!locked) {
                CloseHelper.quietClose(channel);
                OPEN.remove(file);
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
            OPEN.remove(file);
        }
    }
}
