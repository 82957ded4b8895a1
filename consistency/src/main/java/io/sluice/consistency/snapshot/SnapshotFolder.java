package io.sluice.consistency.snapshot;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongPredicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.agrona.concurrent.NanoClock;

/**
 * The snapshots of one node: a file for each clock in a folder of the node's own, which may build on that of an earlier
 * clock.
 *
 * <p>Not thread-safe, but one thread may load snapshots and another may save them afterwards.
 */
public final class SnapshotFolder {
    private static final Pattern NAME = Pattern.compile("(\\d{1,18})\\.snapshot");

    private final Path folder;

    private SnapshotFolder(Path folder) {
        this.folder = folder;
    }

    /**
     * Opens the folder, and creates it if it does not exist.
     *
     * @param folder folder of one node
     * @return the folder
     * @throws SnapshotException if the folder cannot be created or written
     */
    public static SnapshotFolder open(Path folder) {
        requireWritable(folder);
        return new SnapshotFolder(folder);
    }

    /**
     * Opens the folder of a node.
     *
     * @param folder folder of a job, with a folder for each node
     * @param role   name of the node's role, {@code server} or {@code worker}
     * @param index  index among those of its role
     * @return its folder
     * @throws SnapshotException as {@link #open}
     */
    public static SnapshotFolder ofNode(Path folder, String role, int index) {
        return open(folder.resolve(role + "-" + index));
    }

    /**
     * Creates the folder again if it was deleted; the next snapshot is then whole.
     *
     * @throws SnapshotException if the folder cannot be created or written
     */
    void makeAgainIfDeleted() {
        requireWritable(folder);
    }

    /**
     * Creates a folder for snapshots, of one node or of all, if it does not exist. Only its owner has access to a new
     * folder, because snapshots hold the model; an existing folder keeps its permissions.
     *
     * @param folder folder for files, or for folders of nodes
     * @throws SnapshotException if the folder cannot be created or written
     */
    public static void requireWritable(Path folder) {
        try {
            Files.createDirectories(folder, OwnerOnly.folder(folder));
        } catch (NoSuchFileException e) {
            throw new SnapshotException("the snapshot folder " + folder + " cannot be created", e);
        } catch (IOException e) {
            throw new SnapshotException("the snapshot folder " + folder + " cannot be used: " + reason(e), e);
        }
        if (!Files.isWritable(folder)) {
            throw new SnapshotException("the snapshot folder " + folder + " cannot be written to");
        }
    }

    /**
     * The snapshots that can be restored, newest first: their files, and those on which they build, are valid. Reads
     * every file once.
     *
     * @param damaged receives a sentence about each damaged file
     * @return run and clock of each snapshot
     * @throws SnapshotException if the folder cannot be read
     */
    public List<Held> held(Consumer<String> damaged) {
        List<Held> held = new ArrayList<>();
        Map<Long, Integer> checksums = new HashMap<>();
        Map<Long, Set<Long>> logged = new HashMap<>();
        for (long clock : clocks().reversed()) { // a snapshot builds only on older ones
            try (Arena arena = Arena.ofConfined()) {
                SnapshotLink link = link(clock, arena);
                requireParent(link, checksums.get(link.parent()));
                checksums.put(clock, link.checksum());
                held.addFirst(new Held(
                        link.run(),
                        clock,
                        lastLogged(clock, logged.computeIfAbsent(link.run(), run -> logged(run, damaged)))));
            } catch (SnapshotException e) {
                damaged.accept(e.getMessage());
            }
        }
        return held;
    }

    /**
     * Like {@link #held}, but refuses a folder with files of snapshots of which none can be restored. Otherwise a node
     * would treat the folder as empty, begin anew and delete the files.
     *
     * @param damaged receives a sentence about each damaged file
     * @return run and clock of each snapshot that is whole
     * @throws SnapshotException if the folder cannot be read, or has only damaged snapshots
     */
    public List<Held> heldUnlessAllDamaged(Consumer<String> damaged) {
        List<Held> held = held(damaged);
        List<Long> clocks = clocks();
        if (held.isEmpty() && !clocks.isEmpty()) {
            throw new SnapshotException("the snapshot folder " + folder + " holds " + clocks.size()
                    + " files of snapshots, " + file(clocks.getFirst())
                    + " among them, and this version can restore none: they are damaged, or of another version."
                    + " Expected snapshots of this version, or none: name a new folder, or delete"
                    + " these files by hand");
        }
        return held;
    }

    /**
     * Refuses to delete all files if a snapshot names earlier commits, or a file cannot be read and may name some.
     *
     * @throws SnapshotException if there is such a file, which it names
     */
    public void requireNoneCommitted() {
        for (long clock : clocks()) {
            try (Arena arena = Arena.ofConfined()) {
                List<Long> commits = link(clock, arena).commits();
                if (!commits.isEmpty()) {
                    throw new SnapshotException(
                            file(clock) + " states that the snapshot of clock " + commits.getLast() + " was complete");
                }
            } catch (SnapshotException e) {
                throw new SnapshotException(
                        "training is to begin anew, which would delete all that is in " + folder + ", but "
                                + e.getMessage() + ": name a new folder, or delete these files by"
                                + " hand",
                        e);
            }
        }
    }

    /** Refuses a link to a file that does not exist, or whose content has changed. */
    private void requireParent(SnapshotLink link, Integer checksum) {
        if (!link.hasParent()) {
            return;
        }
        String builds = link.file() + " cannot be restored: it builds on " + file(link.parent()) + ", which ";
        if (link.parent() >= link.clock() || null == checksum) {
            throw new SnapshotException(builds + "is incomplete");
        }
        if (link.parentChecksum() != checksum) {
            throw new SnapshotException(builds + "has changed since: its checksum is " + Integer.toHexString(checksum)
                    + ", expected " + Integer.toHexString(link.parentChecksum()));
        }
    }

    /** The last clock that can be restored from the snapshot of {@code clock} and the log of the clocks after it. */
    private static long lastLogged(long clock, Set<Long> logged) {
        long last = clock;
        while (logged.contains(last + 1)) {
            last++;
        }
        return last;
    }

    /** The logged clocks of a run; none if a file cannot be read, since snapshots suffice. */
    private Set<Long> logged(long run, Consumer<String> damaged) {
        try {
            return LoggedClocks.clocks(folder, run);
        } catch (IOException e) {
            damaged.accept(cannotReadLog(e).getMessage());
            return Set.of();
        }
    }

    private SnapshotException cannotReadLog(IOException e) {
        return new SnapshotException("the log of clocks in " + folder + " cannot be read: " + reason(e), e);
    }

    /**
     * A snapshot in the folder.
     *
     * @param run run of the snapshot
     * @param clock clock after which it was taken
     * @param last  last clock that can be restored from it and from the log of the clocks after it
     */
    public record Held(long run, long clock, long last) {
        /** A snapshot without a log. */
        public Held(long run, long clock) {
            this(run, clock, clock);
        }

        /** Whether a clock of a run can be restored from it. */
        public boolean restores(long ofRun, long at) {
            return ofRun == run && at >= clock && at <= last;
        }
    }

    /**
     * Opens the newest snapshot from which a clock can be restored, which is the one of that clock or needs the log.
     *
     * @param run   run of the snapshot
     * @param clock clock to restore
     * @param arena keeps its files mapped
     * @return the snapshot
     * @throws SnapshotException if there is none, or it or a snapshot on which it builds is damaged
     */
    StoredSnapshot readBase(long run, long clock, Arena arena) {
        try {
            return read(clock, arena);
        } catch (SnapshotException e) { // the clock is logged, or its snapshot is damaged
            return held(_ -> {}).stream()
                    .filter(held -> held.restores(run, clock))
                    .findFirst()
                    .map(held -> read(held.clock(), arena))
                    .orElseThrow(() -> e);
        }
    }

    /**
     * Applies the logged clocks after a snapshot.
     *
     * @param run    run of the snapshot
     * @param from   clock of the snapshot
     * @param to     last clock to apply
     * @param replay applies each clock
     * @throws SnapshotException if a clock is missing
     */
    void replay(long run, long from, long to, LoggedClocks.Replay replay) {
        try {
            LoggedClocks.replay(folder, run, from, to, replay);
        } catch (IOException e) {
            throw cannotReadLog(e);
        }
    }

    /**
     * Deletes all logged clocks after one, and those of other runs. Only for the node that owns the folder.
     *
     * @param run  run of the clocks to keep
     * @param last last clock to keep
     * @throws SnapshotException if that fails
     */
    public void cutLog(long run, long last) {
        try {
            LoggedClocks.cut(folder, run, last);
        } catch (IOException e) {
            throw new SnapshotException("the log of clocks in " + folder + " cannot be cut: " + reason(e), e);
        }
    }

    /** Deletes the files of the log that are not needed to restore clocks from a snapshot on. */
    void dropLog(long oldest) {
        try {
            LoggedClocks.drop(folder, oldest);
        } catch (IOException e) {
            throw new SnapshotException("old files of the log in " + folder + " cannot be deleted: " + reason(e), e);
        }
    }

    /** Creates a log in this folder. */
    ClockLog newLog(long run, String node, long mostBytes, NanoClock clock, Consumer<String> report) {
        return new ClockLog(folder, run, node, mostBytes, clock, report);
    }

    /** Clocks for which there is a file, newest first. */
    List<Long> clocks() {
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
     * Saves a whole snapshot, and replaces any of the same clock.
     *
     * @param snapshot snapshot whose memory must not change during the call
     * @throws SnapshotException if it cannot be written; the folder is then unchanged
     */
    public void save(Snapshot snapshot) {
        save(snapshot, snapshot.sections().stream().map(SectionPages::of).toList(), SnapshotFile.NOTHING);
    }

    /** Saves an increment: the given pages of a snapshot, which differ from those of its parent. */
    SnapshotFile.Written save(Snapshot snapshot, List<SectionPages> pages, SnapshotFile.Base parent) {
        Path file = file(snapshot.clock());
        try {
            return SnapshotFile.write(file, snapshot, pages, parent);
        } catch (IOException e) {
            throw new SnapshotException("the snapshot " + file + " cannot be written: " + reason(e), e);
        }
    }

    /** Whether there is a file of a clock, valid or not. */
    boolean has(long clock) {
        return clock >= 0 && Files.exists(file(clock));
    }

    /**
     * Opens a snapshot.
     *
     * @param clock clock after which it was taken
     * @param arena keeps its files mapped
     * @return the snapshot
     * @throws SnapshotException if there is none, or it or a snapshot on which it builds is damaged
     */
    public StoredSnapshot read(long clock, Arena arena) {
        List<SnapshotLink> links = new ArrayList<>();
        links.add(link(clock, arena));
        while (links.getLast().hasParent()) {
            SnapshotLink child = links.getLast();
            if (child.parent() >= child.clock()) {
                requireParent(child, null);
            }
            SnapshotLink parent = link(child.parent(), arena);
            requireParent(child, parent.checksum());
            links.add(parent);
        }
        return new StoredSnapshot(links);
    }

    /**
     * The changes of the worker set up to a snapshot.
     *
     * @param clock clock of a complete snapshot
     * @return the changes as saved; empty at nodes that do not save them
     * @throws SnapshotException as {@link #read}
     */
    public List<Long> workerSetAt(long clock) {
        try (Arena arena = Arena.ofConfined()) {
            StoredSnapshot snapshot = read(clock, arena);
            return snapshot.has(Snapshot.WORKER_SETS) ? snapshot.numbers(Snapshot.WORKER_SETS) : List.of();
        }
    }

    /** Clocks that had been committed when a snapshot was ordered; none if it does not exist or is damaged. */
    List<Long> committedBefore(long clock) {
        try (Arena arena = Arena.ofConfined()) {
            return link(clock, arena).commits();
        } catch (SnapshotException e) {
            return List.of(); // a restore from it reports the reason
        }
    }

    private SnapshotLink link(long clock, Arena arena) {
        Path file = file(clock);
        try {
            SnapshotLink link = SnapshotFile.read(file, arena);
            if (clock != link.clock()) {
                throw new SnapshotException(file + " holds clock " + link.clock() + ", expected " + clock);
            }
            return link;
        } catch (ClosedByInterruptException e) {
            throw new SnapshotException("the snapshot " + file + " was not read: the thread was interrupted", e);
        } catch (IOException e) {
            throw new SnapshotException("the snapshot " + file + " cannot be read: " + reason(e), e);
        }
    }

    /**
     * Deletes all other snapshots except those on which these build, and unfinished files of other processes. The
     * deletions are final when this returns. Only for the node that owns the folder.
     *
     * @param wanted selects the clocks to keep
     * @throws SnapshotException if a file cannot be deleted
     */
    public void keep(LongPredicate wanted) {
        Set<Long> kept = withParents(wanted);
        boolean changed = false;
        for (Path file : files()) {
            String name = file.getFileName().toString();
            Matcher snapshot = NAME.matcher(name);
            boolean dropped = snapshot.matches()
                    ? !kept.contains(Long.valueOf(snapshot.group(1)))
                    : name.endsWith(SnapshotFile.UNFINISHED);
            if (dropped) {
                delete(file);
                changed = true;
            }
        }
        if (changed) {
            forceNames();
        }
    }

    private Set<Long> withParents(LongPredicate wanted) {
        Set<Long> kept = new HashSet<>();
        for (long clock : clocks()) {
            long link = clock;
            while (wanted.test(clock) && has(link) && kept.add(link)) {
                link = parentOf(link);
            }
        }
        return kept;
    }

    private long parentOf(long clock) {
        try {
            return SnapshotFile.parentOf(file(clock));
        } catch (IOException e) {
            return SnapshotSchedule.NONE; // an unreadable file is of no further use
        }
    }

    private void forceNames() {
        try {
            SnapshotFile.forceNames(folder);
        } catch (IOException e) {
            throw new SnapshotException("the snapshot folder " + folder + " cannot be written to: " + reason(e), e);
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

    /** Describes an exception of the file system, which names the file, with its reason or type. */
    private static String reason(IOException e) {
        if (e instanceof FileSystemException system && null == system.getReason()) {
            return switch (system) {
                case NoSuchFileException _ -> "there is no " + system.getFile();
                case FileAlreadyExistsException _ -> system.getFile() + " is not a folder";
                case AccessDeniedException _ -> "no permission for " + system.getFile();
                default -> e.getClass().getSimpleName().replace("Exception", "") + " " + e.getMessage();
            };
        }
        return e.getMessage();
    }

    @Override
    public String toString() {
        return folder.toString();
    }
}
