package io.sluice.messaging;

import io.aeron.CncFileDescriptor;
import io.aeron.driver.reports.LossReportUtil;
import io.sluice.messaging.api.MessagingException;
import io.sluice.messaging.driver.Driver;
import io.sluice.messaging.idle.Bell;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.agrona.IoUtil;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;

/**
 * The directory of a media driver: detects whether its driver is alive, prepares the directory for a new driver, and
 * removes the directory of a dead driver.
 *
 * <p>A driver is alive as long as its process is, even if the process is stopped. If the process cannot be identified,
 * because it runs in another container that shares the directory, the heartbeat decides, which the driver writes once a
 * second.
 */
final class DriverDirectory {
    /** Age in milliseconds beyond which a heartbeat has certainly stopped: ten missed beats. */
    private static final long STALE_MS = 10_000;

    /**
     * How long to watch the heartbeat of a driver whose process is not visible, in nanoseconds: more than two heartbeat
     * intervals.
     */
    private static final long WATCH_NS = TimeUnit.MILLISECONDS.toNanos(2_500);

    /** All files that a driver and its Sluice clients create in its directory. No other file in it is deleted. */
    private static final List<String> DRIVER_FILES = List.of(
            CncFileDescriptor.CNC_FILE,
            LossReportUtil.LOSS_REPORT_FILE_NAME,
            "publications",
            "images",
            DriverTime.FILE,
            ProcessMark.FILE,
            ErrorLog.FOLDER,
            Bell.PAGE,
            Bell.PIPE);

    private final Path path;

    DriverDirectory(Path path) {
        this.path = path.toAbsolutePath().normalize();
    }

    Path path() {
        return path;
    }

    /** Removes the directories of killed drivers below a folder; see {@link Driver#removeStale}. */
    static List<Path> removeStale(Path parent, String prefix) {
        if (Settings.present("prefix", prefix).isBlank()) {
            throw new MessagingException("prefix='' would match the directories of other programs; expected a name");
        }
        List<Path> removed = new ArrayList<>();
        for (Path candidate : candidates(parent, prefix)) {
            DriverDirectory directory = new DriverDirectory(candidate);
            if (directory.hasDriverFiles() && !directory.isLive()) {
                directory.remove();
                removed.add(candidate);
            }
        }
        return removed;
    }

    private static List<Path> candidates(Path parent, String prefix) {
        if (!Files.isDirectory(parent)) {
            return List.of();
        }
        try (Stream<Path> entries = Files.list(parent)) {
            return entries.filter(entry -> entry.getFileName().toString().startsWith(prefix))
                    .filter(Files::isDirectory)
                    .filter(Files::isWritable)
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new MessagingException("the directory " + parent + " cannot be listed: " + e, e);
        }
    }

    /** Whether a driver runs here. May wait up to 2.5 s if its process has ended but its last heartbeat is recent. */
    boolean isLive() {
        CncFile cnc = CncFile.read(path);
        if (cnc == null) {
            return isStarting();
        }
        if (isProcessOf(cnc)) {
            return true;
        }
        boolean isKnownDead = ProcessMark.of(path).isOfThisNamespace();
        return !isKnownDead && DriverTime.of(path).time() - cnc.heartbeatMs() < STALE_MS && advances(cnc.heartbeatMs());
    }

    /** Whether a half-written file is, or will soon be, completed, because its driver is starting. */
    private boolean isStarting() {
        try {
            Path file = CncFile.in(path);
            long ageMs =
                    System.currentTimeMillis() - Files.getLastModifiedTime(file).toMillis();
            return ageMs < STALE_MS && within(() -> CncFile.read(path) != null);
        } catch (IOException e) {
            return false;
        }
    }

    private boolean advances(long heartbeatMs) {
        return within(() -> {
            CncFile now = CncFile.read(path);
            return now != null && now.heartbeatMs() > heartbeatMs;
        });
    }

    private static boolean within(BooleanSupplier condition) {
        IdleStrategy idle = new BackoffIdleStrategy();
        long start = System.nanoTime();
        while (System.nanoTime() - start < WATCH_NS) {
            if (condition.getAsBoolean()) {
                return true;
            }
            idle.idle();
        }
        return condition.getAsBoolean();
    }

    /** Whether a driver's process is running, as far as this process can detect. */
    boolean isProcessOf(CncFile cnc) {
        ProcessMark mark = ProcessMark.of(path);
        if (mark.isOfThisNamespace()) {
            return mark.isAlive();
        }
        return mark.namespace().isEmpty() && isProcess(cnc.pid()); // in another namespace the number means nothing
    }

    private static boolean isProcess(long pid) {
        return ProcessHandle.of(pid).filter(ProcessHandle::isAlive).isPresent();
    }

    /**
     * Makes the directory ready for a new driver, with nothing of an earlier driver in it.
     *
     * @throws MessagingException if a driver runs there, or it holds files that are not a driver's.
     */
    void prepare() {
        if (Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
            if (!Files.isDirectory(path)) {
                throw new MessagingException("the media driver's directory " + path + " is not a directory");
            }
            if (isLive()) {
                throw new MessagingException("a media driver already runs in " + path + describeOwner()
                        + "; use that one, stop it, or choose another directory");
            }
            removeDriverFiles();
            refuseStrangersFiles();
        }
        try {
            Files.createDirectories(path);
            makePrivate();
        } catch (IOException e) {
            throw new MessagingException("the media driver's directory " + path + " cannot be created: " + e, e);
        }
    }

    private String describeOwner() {
        CncFile cnc = CncFile.read(path);
        return cnc == null ? "" : " (process " + cnc.pid() + ")";
    }

    private void refuseStrangersFiles() {
        try (Stream<Path> entries = Files.list(path)) {
            Optional<Path> first = entries.findFirst();
            if (first.isPresent()) {
                throw new MessagingException(
                        "the directory " + path + " holds files that do not belong to a media driver, such as "
                                + first.get().getFileName() + "; choose an empty or new one");
            }
        } catch (IOException e) {
            throw new MessagingException("the media driver's directory " + path + " cannot be listed: " + e, e);
        }
    }

    /**
     * Makes the directory inaccessible to other users. Called again after the launch, since Aeron recreates the
     * directory with the process's default mode. Files that others opened in between hold no frames, because no client
     * was connected yet.
     */
    void makePrivate() throws IOException {
        if (path.getFileSystem().supportedFileAttributeViews().contains("posix")) {
            Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwx------"));
        }
    }

    /** Removes the driver's files, and the directory if nothing else is in it. The driver must be closed or dead. */
    void remove() {
        removeDriverFiles();
        try {
            Files.deleteIfExists(path);
        } catch (DirectoryNotEmptyException e) {
            // The directory has other files, which the driver must not remove.
        } catch (IOException e) {
            throw new MessagingException("the media driver's directory " + path + " cannot be removed: " + e, e);
        }
    }

    private void removeDriverFiles() {
        for (String name : DRIVER_FILES) {
            IoUtil.delete(path.resolve(name).toFile(), true);
        }
    }

    /** Whether the directory has a command-and-control file, complete or not, as that of every driver has. */
    boolean hasDriverFiles() {
        return Files.exists(CncFile.in(path));
    }

    /**
     * A name of the driver that runs here, unique among all drivers on all hosts at all times.
     *
     * @throws MessagingException if none has started here.
     */
    String hostKey() {
        CncFile cnc = CncFile.read(path);
        if (cnc == null) {
            throw new MessagingException("no media driver has started in " + path
                    + "; start one, or name the directory of" + " a running one");
        }
        String real;
        try {
            real = path.toRealPath().toString();
        } catch (IOException e) {
            real = path.toString();
        }
        return hostName() + "/" + cnc.pid() + "@" + cnc.startMs() + "/" + Integer.toHexString(real.hashCode());
    }

    private static String hostName() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            // The exception's message begins with the name that could not be resolved, which serves as the name.
            String message = e.getMessage();
            return message == null ? "localhost" : message.replaceAll("[^A-Za-z0-9.-].*", "");
        }
    }
}
