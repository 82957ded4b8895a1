package io.sluice.messaging;

import io.sluice.messaging.api.MessagingException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.agrona.concurrent.SystemEpochClock;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.errors.DistinctErrorLog;
import org.agrona.concurrent.errors.ErrorLogReader;

/**
 * The distinct errors of one process at one driver, after the idea of Aeron's error log and in its format, in a file
 * that other processes can read while the process runs and after a kill.
 *
 * <p>The file is in the folder {@link #FOLDER} of the driver's directory and removed with it. It is created when the
 * first error occurs: 64 bytes of header (magic, process id, time of creation, each an int64) and then the records of
 * Agrona's {@code DistinctErrorLog}. A repeated error raises a count. An error that does not fit into the rest of the
 * file is lost. If the file cannot be created, all errors are lost, because an error log must not cause errors.
 *
 * <p>Safe for use by any thread.
 */
public final class ErrorLog {
    /** Folder of the error logs in the driver's directory. */
    static final String FOLDER = "sluice-errors";

    private static final long MAGIC = 0x534C_5549_4345_4501L;
    private static final int PROCESS_OFFSET = 8;
    private static final int MADE_OFFSET = 16;
    private static final int HEADER_LENGTH = 64;
    private static final int LENGTH = 128 << 10;

    /**
     * Maximum number of files, since many nodes may join and leave while a driver runs; the oldest files are deleted.
     */
    private static final int MOST_FILES = 64;

    /** The name of a file: time of creation, process id, and number within the process. */
    private static final Pattern NAME = Pattern.compile("errors-(\\d{1,18})-\\d{1,18}-(\\d{1,18})\\.log");

    private static final AtomicInteger NUMBER = new AtomicInteger();

    private final Path folder;
    private DistinctErrorLog log;
    private boolean failed;

    ErrorLog(Path directory) {
        this.folder = directory.resolve(FOLDER);
    }

    /**
     * Records an error.
     *
     * @param error error that occurred.
     */
    public synchronized void record(Throwable error) {
        if (log == null && !failed) {
            if (Thread.currentThread().isInterrupted()) {
                Uninterrupted.run(this::open);
            } else {
                open();
            }
        }
        if (log != null) {
            log.record(error);
        }
    }

    private void open() {
        try {
            if (!Files.isDirectory(folder.getParent())) {
                throw new NoSuchFileException(folder.getParent().toString());
            }
            Files.createDirectories(folder); // other processes may create it at the same moment
            makeRoom();
            log = new DistinctErrorLog(map(newFile()), SystemEpochClock.INSTANCE);
        } catch (IOException | UncheckedIOException e) {
            failed = true; // the driver's directory was removed or is full: the error handler reports the error anyway
        }
    }

    /**
     * Creates a file. Processes in different containers may have equal ids, so another process may already use a name.
     */
    private Path newFile() throws IOException {
        while (true) {
            String name = "errors-" + System.currentTimeMillis() + "-"
                    + ProcessHandle.current().pid() + "-" + NUMBER.incrementAndGet() + ".log";
            try {
                return Files.createFile(folder.resolve(name));
            } catch (FileAlreadyExistsException e) {
                // another process has this name: try the next number
            }
        }
    }

    private void makeRoom() throws IOException {
        List<Path> files = files(folder);
        for (int i = 0; i <= files.size() - MOST_FILES; i++) {
            Files.deleteIfExists(files.get(i));
        }
    }

    private static UnsafeBuffer map(Path file) throws IOException {
        LogSpace.reserve(file, LENGTH);
        long pid = ProcessHandle.current().pid();
        long nowMs = System.currentTimeMillis();
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            UnsafeBuffer mapped = new UnsafeBuffer(channel.map(FileChannel.MapMode.READ_WRITE, 0, LENGTH));
            mapped.putLong(PROCESS_OFFSET, pid);
            mapped.putLong(MADE_OFFSET, nowMs);
            mapped.putLongRelease(0, MAGIC);
            return new UnsafeBuffer(mapped.byteBuffer(), HEADER_LENGTH, LENGTH - HEADER_LENGTH);
        }
    }

    /**
     * Reads the errors of all processes of a driver.
     *
     * @param directory directory of the driver.
     * @return errors, process by process, the oldest first.
     */
    static List<RecordedError> read(Path directory) {
        List<RecordedError> recorded = new ArrayList<>();
        try {
            for (Path file : files(directory.resolve(FOLDER))) {
                readFile(file, recorded);
            }
        } catch (IOException e) {
            throw new MessagingException("the error logs in " + directory.resolve(FOLDER) + " cannot be read: " + e, e);
        }
        return recorded;
    }

    private static void readFile(Path file, List<RecordedError> recorded) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            if (channel.size() != LENGTH) {
                return; // the file is being created, or is another program's
            }
            MappedByteBuffer bytes = channel.map(FileChannel.MapMode.READ_ONLY, 0, LENGTH);
            UnsafeBuffer mapped = new UnsafeBuffer(bytes);
            if (mapped.getLongVolatile(0) != MAGIC) {
                return;
            }
            long pid = mapped.getLong(PROCESS_OFFSET);
            ErrorLogReader.read(
                    new UnsafeBuffer(bytes, HEADER_LENGTH, LENGTH - HEADER_LENGTH),
                    (count, firstMs, lastMs, text) ->
                            recorded.add(new RecordedError("sluice", pid, count, firstMs, lastMs, text)));
        }
    }

    /** The files of the folder, the oldest first. */
    private static List<Path> files(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(
                            file -> NAME.matcher(file.getFileName().toString()).matches())
                    .sorted(Comparator.comparingLong((Path file) -> number(file, 1))
                            .thenComparingLong(file -> number(file, 2)))
                    .toList();
        }
    }

    private static long number(Path file, int group) {
        Matcher matcher = NAME.matcher(file.getFileName().toString());
        return matcher.matches() ? Long.parseLong(matcher.group(group)) : 0;
    }
}
