package io.sluice.consistency.snapshot;

import io.sluice.messaging.Patience;
import java.lang.foreign.Arena;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.agrona.concurrent.NanoClock;

/**
 * The snapshots of one node of a cluster. Reads the snapshot to begin with, saves others in a thread of its own, one at
 * a time, and keeps those to which the cluster may still return.
 *
 * <p>Used by one thread, which fills the memory to be written and must not change it until {@link #isBusy()} is false
 * again.
 */
public final class NodeSnapshots implements AutoCloseable {
    /** How long a node that ends waits for the snapshot that is being written. */
    private static final long CLOSING_NS = TimeUnit.MINUTES.toNanos(1);

    private static final long LOOK_MS = 100;

    private final SnapshotFolder folder;
    private final SnapshotNews news;
    private final long run;
    private final String node;
    private final String terms;
    private final NanoClock clock;
    private final Consumer<String> report;
    private final SnapshotMeter meter;
    private final SnapshotRetention retention;

    /**
     * The chain of the next snapshot. Commits alternate between two chains, so no damaged or lost file can spoil both
     * of the last two commits.
     */
    private SnapshotChain chain;

    /** The chain of the last commit. */
    private SnapshotChain other;

    /** The clocks of the last committed snapshots. Once the writer's thread runs, only that thread uses them. */
    private final TreeSet<Long> history = new TreeSet<>();

    private final ExecutorService thread = Executors.newSingleThreadExecutor(task -> {
        Thread created = new Thread(task, "sluice-snapshot");
        created.setDaemon(true);
        return created;
    });
    private volatile boolean busy;

    /** Log of this node's clocks; null if clocks are not logged. */
    private ClockLog log;

    /**
     * Begins to keep the snapshots of a node.
     *
     * @param folder    folder to keep them in
     * @param news      snapshot messages of this node and the coordinator
     * @param run run of the snapshots
     * @param node name of the node in messages
     * @param terms     terms that shape the state
     * @param retention what to keep
     * @param meter     receives the cost of snapshots
     * @param clock     monotonic clock that measures the cost of snapshots
     * @param report    prints a sentence if a write takes long at the end
     */
    public NodeSnapshots(
            SnapshotFolder folder,
            SnapshotNews news,
            long run,
            String node,
            String terms,
            SnapshotRetention retention,
            SnapshotMeter meter,
            NanoClock clock,
            Consumer<String> report) {
        this.folder = folder;
        this.news = news;
        this.run = run;
        this.node = node;
        this.terms = terms;
        this.clock = clock;
        this.report = report;
        this.meter = meter;
        this.retention = retention;
        this.chain = new SnapshotChain(folder, retention.increments());
        this.other = new SnapshotChain(folder, retention.increments());
        recall();
    }

    /**
     * Restores the history of commits from the snapshot at the start. Other snapshots in the folder were abandoned, and
     * not all nodes hold them.
     */
    private void recall() {
        if (SnapshotSchedule.NONE != news.committed()) {
            long newest = folder.clocks().stream()
                    .filter(at -> at <= news.committed())
                    .findFirst()
                    .orElse(SnapshotSchedule.NONE);
            Stream.concat(folder.committedBefore(newest).stream(), Stream.of(newest))
                    .filter(at -> at < news.previous())
                    .forEach(this::remember);
            remember(news.previous());
            remember(newest); // this snapshot is older than the restored clock if that clock was logged
        }
    }

    /** Adds a commit to the history. A clock restored from a log has no file, and is not added. */
    private void remember(long committed) {
        if (folder.has(committed) && history.add(committed) && history.size() > retention.commits()) {
            history.removeFirst();
        }
    }

    /** The snapshot messages of this node and the coordinator. */
    public SnapshotNews news() {
        return news;
    }

    /**
     * Reads a snapshot to continue from.
     *
     * @param at clock to continue from
     * @param tables tables as they are declared now
     * @param arena  keeps its files mapped
     * @return the snapshot of that clock, or an older one, after which {@link #replay} applies the log
     * @throws SnapshotException if it is damaged, or of another cluster
     */
    public StoredSnapshot read(long at, String tables, Arena arena) {
        StoredSnapshot snapshot = folder.readBase(run, at, arena);
        snapshot.requireFit(terms, tables);
        return snapshot;
    }

    /**
     * Applies the logged clocks after a snapshot.
     *
     * @param from   clock of the snapshot
     * @param to     last clock to apply
     * @param replay applies each clock
     * @throws SnapshotException if a clock is missing
     */
    public void replay(long from, long to, LoggedClocks.Replay replay) {
        folder.replay(run, from, to, replay);
    }

    /**
     * Begins to log clocks between snapshots, from the next {@link #save} on.
     *
     * @param mostBytes length at which a log ends until the next snapshot
     * @return the log, which is closed with these snapshots; null if none is wanted
     */
    public ClockLog log(long mostBytes) {
        log = retention.logs() ? folder.newLog(run, node, mostBytes, clock, report) : null;
        return log;
    }

    /** Whether a snapshot is being written. */
    public boolean isBusy() {
        return busy;
    }

    /** Reports that a snapshot cannot be taken, because the one before is still being written. */
    public void refuseAsBusy(long ordered) {
        news.failed(ordered, false, node + " was still saving the snapshot before that of " + ordered);
    }

    /** Reports that a snapshot can no longer be taken. */
    public void refuseAsLate(long ordered) {
        news.failed(ordered, true, node + " had passed clock " + ordered + " when that clock was to be saved");
    }

    /**
     * Saves a snapshot, and reports the outcome.
     *
     * @param at       clock of the snapshot
     * @param tables   tables as declared
     * @param sections sections of the state
     * @param startNs time at which the copy began
     */
    public void save(long at, String tables, List<Snapshot.Section> sections, long startNs) {
        if (null != log) {
            log.begin(at);
        }
        busy = true;
        thread.execute(() -> {
            String failure = write(at, tables, sections, startNs);
            busy = false; // published before the next snapshot can be ordered
            if (null == failure) {
                news.saved(at, clock.nanoTime() - startNs);
            } else {
                news.failed(at, false, failure);
            }
        });
    }

    /**
     * Counts the time for which the thread that trains or serves was blocked while it copied a part of the state.
     *
     * @param sinceNs time at which the copy began, by the clock of this node
     */
    public void copied(long sinceNs) {
        meter.copied(clock.nanoTime() - sinceNs);
    }

    private String write(long at, String tables, List<Snapshot.Section> sections, long startNs) {
        try {
            folder.makeAgainIfDeleted();
            dropOld(at);
            Snapshot snapshot = new Snapshot(run, node, at, terms, tables, List.copyOf(history), sections);
            long bytes = chain.save(snapshot);
            meter.saved(bytes, clock.nanoTime() - startNs);
            return null;
        } catch (SnapshotException e) {
            return e.getMessage();
        } catch (RuntimeException | Error e) { // for example if the disk of a mapped file is full
            return "the snapshot of " + node + " failed: " + e;
        }
    }

    /**
     * Deletes the snapshots that are no longer needed. Kept are the last commits, the one to be written, and the
     * last of each chain even if abandoned, because later snapshots may build on it. Before the first commit a node
     * keeps only the snapshot that it writes; holding a single one therefore shows that none was committed.
     */
    private void dropOld(long writing) {
        remember(news.previous());
        remember(news.committed());
        if (history.isEmpty()) {
            chain = new SnapshotChain(folder, retention.increments());
        } else if (chain.last() == news.committed()) {
            SnapshotChain committed = chain;
            chain = other;
            other = committed;
        }
        folder.keep(at -> history.contains(at) || at == writing || at == chain.last() || at == other.last());
        if (!history.isEmpty()) {
            folder.dropLog(history.first());
        }
    }

    /** Waits for the snapshot that is being written, and for the log. */
    @Override
    public void close() {
        if (null != log) {
            log.close();
        }
        thread.shutdown();
        boolean interrupted = Thread.interrupted();
        try {
            Patience patience = new Patience(node, CLOSING_NS, report, clock.nanoTime());
            long nowNs = clock.nanoTime();
            while (!thread.awaitTermination(LOOK_MS, TimeUnit.MILLISECONDS) && !patience.isOver(nowNs)) {
                nowNs = clock.nanoTime();
                if (patience.isTime(nowNs)) {
                    patience.report("its last snapshot to be written to " + folder, nowNs);
                }
            }
        } catch (InterruptedException e) {
            interrupted = true;
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
