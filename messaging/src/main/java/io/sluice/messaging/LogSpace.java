package io.sluice.messaging;

import io.sluice.messaging.api.MessagingException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Reserves space for the files that a driver and its clients map. A page that a full file system cannot back faults
 * when it is first touched, on any thread. So every mapped file gets its pages when it is created: the driver touches
 * all pages of a log before it answers, unless logs are sparse, and {@link #reserve} writes the other files.
 */
final class LogSpace {
    private static final long MIB = 1 << 20;

    private LogSpace() {}

    /**
     * Refuses a directory on a file system that is too small.
     *
     * @param directory directory that exists.
     * @param expectedBytes bytes that the job will reserve; 0 checks nothing.
     * @throws MessagingException that names the space needed, the space free and the remedy.
     */
    static void check(Path directory, long expectedBytes) {
        if (expectedBytes > 0) {
            require(directory, expectedBytes, usableBytes(directory));
        }
    }

    static void require(Path directory, long expectedBytes, long usableBytes) {
        if (usableBytes <= expectedBytes) {
            throw new MessagingException("the media driver's directory " + directory + " needs "
                    + (expectedBytes + MIB - 1) / MIB + " MiB for logs but its file system has " + usableBytes / MIB
                    + " MiB free; enlarge it (in a container: docker run --shm-size) or choose another"
                    + " directory");
        }
    }

    /**
     * Fills a file with zeros, so that its file system has to back every page of it.
     *
     * @param file existing file, whose content is overwritten.
     * @param length length of the file afterwards.
     * @throws IOException if the file system is full.
     */
    static void reserve(Path file, int length) throws IOException {
        Files.write(file, new byte[length], StandardOpenOption.WRITE);
    }

    private static long usableBytes(Path directory) {
        try {
            return Files.getFileStore(directory).getUsableSpace();
        } catch (IOException e) {
            throw new MessagingException("the free space of " + directory + " cannot be read: " + e, e);
        }
    }
}
