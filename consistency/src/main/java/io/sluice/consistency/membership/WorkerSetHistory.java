package io.sluice.consistency.membership;

import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.WorkerSet;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The agreed worker set of each clock, and the servers that own slices. All nodes have equal histories up to their last
 * event. Immutable.
 */
public final class WorkerSetHistory {
    /** A clock beyond any job: at one clock each microsecond it takes nine years. */
    private static final long LAST_CLOCK = 1L << 48;

    private final List<WorkerSet> workerSets;
    private final List<WorkerSetChange> changes;
    private final List<WorkerSetChange> serverChanges;

    /** The servers that own slices after all changes, ascending. */
    private final List<Integer> owners;

    /** Number of changes that precede a restart from a snapshot. */
    private final int earlier;

    private WorkerSetHistory(
            List<WorkerSet> workerSets, List<WorkerSetChange> changes, int earlier, List<Integer> owners) {
        this.workerSets = List.copyOf(workerSets);
        this.changes = List.copyOf(changes);
        this.earlier = earlier;
        this.serverChanges =
                changes.stream().filter(WorkerSetChange::isOfServer).toList();
        this.owners = List.copyOf(owners);
    }

    /**
     * The history of a cluster that has just begun.
     *
     * @param servers servers that own slices at first, with the lowest indices
     * @param workers workers of its first worker set, with the lowest indices
     * @return a history with one worker set
     */
    public static WorkerSetHistory of(int servers, int workers) {
        return new WorkerSetHistory(List.of(new WorkerSet(1, firstOf(workers))), List.of(), 0, firstOf(servers));
    }

    /**
     * The history of a cluster that is restored from a snapshot.
     *
     * @param settings settings of the cluster
     * @param changes  changes before the snapshot, and perhaps after it, as {@link WorkerSetChange#code} makes them
     * @param clock    clock of the snapshot; below 0 for none
     * @return a history whose changes precede the restart
     * @throws IllegalArgumentException if they cannot be of this cluster
     */
    public static WorkerSetHistory of(ClusterSettings settings, List<Long> changes, long clock) {
        if (changes.size() > Claims.MOST_CHANGES) {
            throw new IllegalArgumentException("the worker set has changed more than " + Claims.MOST_CHANGES
                    + " times, expected no more in a job that is restored");
        }
        WorkerSetHistory history = of(settings.servers(), settings.workers());
        for (long code : changes) {
            if (WorkerSetChange.clockOf(code) <= clock) {
                history = history.with(WorkerSetChange.coded(code, NodeIds.of(settings)));
            }
        }
        return history.restored();
    }

    /**
     * The nodes that take part after all changes.
     *
     * @param settings settings of the cluster
     * @return ids of the nodes, servers first
     */
    public IntStream nodes(ClusterSettings settings) {
        NodeIds ids = NodeIds.of(settings);
        return IntStream.concat(
                owners.stream().mapToInt(server -> ids.of(Role.SERVER, server)),
                last().workers().stream().mapToInt(worker -> ids.of(Role.WORKER, worker)));
    }

    private static List<Integer> firstOf(int count) {
        return IntStream.range(0, count).boxed().toList();
    }

    /**
     * Adds a change.
     *
     * @param change change of a clock after those of all changes so far
     * @return another history
     * @throws IllegalArgumentException if the change does not fit: its clock is too low, a node joins that takes part
     *     already or leaves that does not take part, the last node leaves, or server 0 leaves
     */
    public WorkerSetHistory with(WorkerSetChange change) {
        if (!fits(change)) {
            throw new IllegalArgumentException(change + " does not fit after " + last());
        }
        List<WorkerSetChange> nowChanges = new ArrayList<>(changes);
        nowChanges.add(change);
        if (change.isOfServer()) {
            return new WorkerSetHistory(workerSets, nowChanges, earlier, changed(owners, change));
        }
        List<WorkerSet> nowSets = new ArrayList<>(workerSets);
        nowSets.add(new WorkerSet(change.clock(), changed(last().workers(), change)));
        return new WorkerSetHistory(nowSets, nowChanges, earlier, owners);
    }

    /**
     * Marks all changes as earlier than a restart: the nodes of the job begin in the state after them.
     *
     * @return a history with the same changes, which the nodes do not follow
     */
    WorkerSetHistory restored() {
        return new WorkerSetHistory(workerSets, changes, changes.size(), owners);
    }

    private static List<Integer> changed(List<Integer> indices, WorkerSetChange change) {
        List<Integer> changed = new ArrayList<>(indices);
        if (change.joins()) {
            changed.add(change.index());
            changed.sort(null);
        } else {
            changed.remove(Integer.valueOf(change.index()));
        }
        return changed;
    }

    /** Whether a change fits after all others. */
    boolean fits(WorkerSetChange change) {
        List<Integer> there = change.isOfServer() ? owners : last().workers();
        boolean stays = change.isOfServer() ? 0 == change.index() : last().size() == 1;
        return change.clock() > lastClock()
                && isClock(change.clock())
                && change.joins() != there.contains(change.index())
                && (change.joins() || !stays);
    }

    /**
     * Number of changes before a restart from a snapshot. They are the first changes, and this job begins after them.
     *
     * @return 0 in a job without a restart
     */
    public int earlier() {
        return earlier;
    }

    /**
     * The workers with which this job begins: those of the start, or of the restored snapshot.
     *
     * @return one of {@link #all}
     */
    public WorkerSet begun() {
        int before = (int) changes.subList(0, earlier).stream()
                .filter(change -> !change.isOfServer())
                .count();
        return workerSets.get(before);
    }

    /** The clock of the last change, or of the first worker set if there was no change. */
    long lastClock() {
        return changes.isEmpty()
                ? workerSets.getFirst().since()
                : changes.getLast().clock();
    }

    /** Whether a number in a frame can be a clock in which a worker takes part. */
    static boolean isClock(long clock) {
        return clock > 0 && clock <= LAST_CLOCK;
    }

    /**
     * All worker sets.
     *
     * @return in order of their first clock; at least one
     */
    public List<WorkerSet> all() {
        return workerSets;
    }

    /**
     * All changes.
     *
     * @return in order of their clocks
     */
    public List<WorkerSetChange> changes() {
        return changes;
    }

    /**
     * All changes of servers, in order of their clocks.
     *
     * @return only changes of servers
     */
    public List<WorkerSetChange> serverChanges() {
        return serverChanges;
    }

    /**
     * Whether a server owns slices after all changes.
     *
     * @param server index of the server
     * @return false once the nodes have agreed on the clock from which it owns none
     */
    public boolean owns(int server) {
        return owners.contains(server);
    }

    /**
     * The servers that own slices after all changes.
     *
     * @return indices of the servers, ascending
     */
    public List<Integer> owners() {
        return owners;
    }

    /**
     * The clock of the latest change that a node has passed. A node passes a change of workers when it begins the
     * change's round, and a change of servers when it begins the next round: by then the new owners have ended their
     * first round with the slices, so every worker has all earlier rounds.
     *
     * @param begun the last round that the node has begun, of all its tables
     * @return clock of the change; that of the first worker set if the node has passed none
     */
    public long passedAt(long begun) {
        for (WorkerSetChange change : changes.reversed()) {
            if (change.isOfServer() ? change.clock() < begun : change.clock() <= begun) {
                return change.clock();
            }
        }
        return workerSets.getFirst().since();
    }

    /**
     * Whether the last change holds from this clock on.
     *
     * @param clock clock as {@link #passedAt} returns it
     * @return whether a node that has passed the change of that clock has passed all changes
     */
    public boolean isLast(long clock) {
        return clock == lastClock();
    }

    /**
     * The worker set agreed on last, whose first clock may be in the future.
     *
     * @return the last of {@link #all}
     */
    public WorkerSet last() {
        return workerSets.getLast();
    }

    /**
     * The worker set of a clock.
     *
     * @param clock any clock; clock 0 has the first worker set
     * @return its worker set
     */
    public WorkerSet at(long clock) {
        for (WorkerSet workerSet : workerSets.reversed()) {
            if (workerSet.since() <= clock) {
                return workerSet;
            }
        }
        return workerSets.getFirst();
    }

    /**
     * Whether a worker takes part at a clock.
     *
     * @param worker index of the worker
     * @param clock any clock
     * @return whether it takes part
     */
    public boolean has(int worker, long clock) {
        return at(clock).workers().contains(worker);
    }

    /**
     * The clock from which a node no longer takes part.
     *
     * @param role  role of the node
     * @param index index among those of its role
     * @return the clock of its leaving; 0 if it has not left, or has joined again since
     */
    public long goneSince(Role role, int index) {
        for (WorkerSetChange change : changes.reversed()) {
            if (change.role() == role && change.index() == index) {
                return change.joins() ? 0 : change.clock();
            }
        }
        return 0;
    }

    /**
     * The change at a clock.
     *
     * @param clock any clock
     * @return the change, or null
     */
    public WorkerSetChange changeAt(long clock) {
        for (WorkerSetChange change : changes.reversed()) {
            if (change.clock() == clock) {
                return change;
            }
        }
        return null;
    }

    @Override
    public String toString() {
        return "WorkerSetHistory[" + workerSets + ", changes=" + changes + ", earlier=" + earlier + "]";
    }
}
