package io.sluice.consistency.snapshot;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongPredicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The snapshots of one node: a file for each clock in a folder of the node's own.
 *
 * <p>Not thread-safe, but what one thread saves another may have loaded before.
 */
public final class SnapshotFolder {
    private static final Pattern NAME = Pattern.compile("(\\d{1,18})\\.snapshot");

    private final Path folder;

    private SnapshotFolder(Path folder) {
        this.folder = folder;
    }

    /**
     * Opens the folder, which is made if it is not there.
     *
     * @param folder of one node
     * @return the folder
     * @throws SnapshotException if it cannot be made, or not be written to
     */
    public static SnapshotFolder open(Path folder) {
        try {
            Files.createDirectories(folder);
        } catch (IOException e) {
            throw new SnapshotException("the snapshot folder " + folder + " cannot be used: " + reason(e), e);
        }
        if (!Files.isWritable(folder)) {
            throw new SnapshotException("the snapshot folder " + folder + " cannot be written to");
        }
        return new SnapshotFolder(folder);
    }

    /**
     * Clocks whose files are whole, newest first. Reads every file once.
     *
     * @param damaged told of each that is not, in a sentence
     * @return run and clock of each
     * @throws SnapshotException if the folder cannot be read
     */
    public List<Held> held(Consumer<String> damaged) {
        List<Held> held = new ArrayList<>();
        for (long clock : clocks()) {
            try (Arena arena = Arena.ofConfined()) {
                held.add(new Held(read(clock, arena).run(), clock));
            } catch (SnapshotException e) {
                damaged.accept(e.getMessage());
            }
        }
        return held;
    }

    /**
     * A snapshot that is there.
     *
     * @param run   that it is part of
     * @param clock after which it was taken
     */
    public record Held(long run, long clock) {}

    /** Clocks for which there is a file, newest first. */
    private List<Long> clocks() {
        return files().stream()
                .map(file -> NAME.matcher(file.getFileName().toString()))
                .filter(Matcher::matches)
                .map(name -> Long.valueOf(name.group(1)))
                .sorted(Comparator.reverseOrder())
                .toList();
    }

    private List<Path> files() {
        try {
            return list(folder);
        } catch (IOException e) {
            throw new SnapshotException("the snapshot folder " + folder + " cannot be read: " + reason(e), e);
        }
    }

    /**
     * Saves a snapshot, in place of any of the same clock.
     *
     * @param snapshot whose memory must not change meanwhile
     * @throws SnapshotException if it cannot be written: nothing has changed then
     */
    public void save(Snapshot snapshot) {
        Path file = file(snapshot.clock());
        try {
            SnapshotFile.write(file, snapshot);
        } catch (IOException e) {
            throw new SnapshotException("the snapshot " + file + " cannot be written: " + reason(e), e);
        }
    }

    /**
     * Loads a snapshot.
     *
     * @param clock after which it was taken
     * @param arena keeps the file mapped
     * @return the snapshot, in memory mapped from its file
     * @throws SnapshotException if there is none, or it is not whole
     */
    public Snapshot read(long clock, Arena arena) {
        Path file = file(clock);
        try {
            Snapshot snapshot = SnapshotFile.read(file, arena);
            if (clock != snapshot.clock()) {
                throw new SnapshotException(file + " holds clock " + snapshot.clock() + ", expected " + clock);
            }
            return snapshot;
        } catch (IOException e) {
            throw new SnapshotException("the snapshot " + file + " cannot be read: " + reason(e), e);
        }
    }

    /**
     * Deletes all others, and what another process left unfinished. Only for the node whose folder it is: a second one
     * that takes itself for that must not.
     *
     * @param wanted says which clocks to keep
     * @throws SnapshotException if a file cannot be deleted
     */
    public void keep(LongPredicate wanted) {
        for (Path file : files()) {
            String name = file.getFileName().toString();
            Matcher snapshot = NAME.matcher(name);
            boolean dropped = snapshot.matches()
                    ? !wanted.test(Long.parseLong(snapshot.group(1)))
                    : name.endsWith(SnapshotFile.UNFINISHED);
            if (dropped) {
                delete(file);
            }
        }
    }

    private static void delete(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            throw new SnapshotException("the snapshot " + file + " cannot be deleted: " + reason(e), e);
        }
    }

    private Path file(long clock) {
        return folder.resolve("%012d.snapshot".formatted(clock));
    }

    private static List<Path> list(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.toList();
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    /** Exceptions of the file system name the file, and say in their reason, or type, what is wrong with it. */
    private static String reason(IOException e) {
        if (e instanceof FileSystemException system && null == system.getReason()) {
            return e.getClass().getSimpleName().replace("Exception", "") + " " + e.getMessage();
        }
        return e.getMessage();
    }

    @Override
    public String toString() {
        return folder.toString();
    }
}
