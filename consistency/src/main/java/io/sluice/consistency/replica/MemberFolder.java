package io.sluice.consistency.replica;

import io.sluice.messaging.api.MessagingException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.agrona.CloseHelper;

/**
 * The folder of one coordinator. One process at a time holds its lock, which ends with the process. So Aeron's mark
 * files of living processes are not needed, and those of a dead process are removed.
 */
final class MemberFolder implements AutoCloseable {
    private final Path path;
    private final FileChannel channel;

    private MemberFolder(Path path, FileChannel channel) {
        this.path = path;
        this.channel = channel;
    }

    /**
     * Locks a folder.
     *
     * @param path the folder, which is created if it does not exist
     * @return the folder, locked until it is closed
     * @throws MessagingException if the folder cannot be used, or another process has locked it
     */
    static MemberFolder open(Path path) {
        FileChannel channel = null;
        try {
            Files.createDirectories(path);
            channel =
                    FileChannel.open(path.resolve("member.lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            FileLock lock = channel.tryLock();
            if (null == lock) {
                throw inUse(path);
            }
            MemberFolder folder = new MemberFolder(path, channel);
            removeMarks(folder.archive());
            removeMarks(folder.consensus());
            return folder;
        } catch (OverlappingFileLockException e) {
            CloseHelper.quietClose(channel);
            throw inUse(path);
        } catch (IOException e) {
            CloseHelper.quietClose(channel);
            throw new MessagingException("the coordinator's folder " + path + " cannot be used: " + e.getMessage(), e);
        } catch (MessagingException e) {
            CloseHelper.quietClose(channel);
            throw e;
        }
    }

    private static MessagingException inUse(Path path) {
        return new MessagingException("the coordinator's folder " + path
                + " is in use by another process; each coordinator needs a folder of its own");
    }

    private static void removeMarks(Path directory) throws IOException {
        Files.createDirectories(directory);
        try (DirectoryStream<Path> marks = Files.newDirectoryStream(directory, "*-mark*.dat")) {
            for (Path mark : marks) {
                Files.delete(mark);
            }
        }
    }

    /** The folder of the recorded log. */
    Path archive() {
        return path.resolve("archive");
    }

    /** The consensus module's record of leaderships. */
    Path consensus() {
        return path.resolve("consensus");
    }

    /** The folder of the engine's media driver. The next start removes files that a killed process has left there. */
    Path driver() {
        return driver(path);
    }

    /** The folder of the engine's media driver in a member folder that another process may have open. */
    static Path driver(Path folder) {
        return folder.resolve("driver");
    }

    @Override
    public void close() {
        CloseHelper.quietClose(channel);
    }
}
