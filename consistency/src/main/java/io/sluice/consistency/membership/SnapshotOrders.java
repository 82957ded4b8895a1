package io.sluice.consistency.membership;

import io.sluice.codecs.sbe.SnapshotOutcomeDecoder;
import io.sluice.consistency.snapshot.Restoration;
import io.sluice.consistency.snapshot.SnapshotFolder.Held;
import io.sluice.consistency.snapshot.SnapshotInterval;
import io.sluice.consistency.snapshot.SnapshotSchedule;
import io.sluice.consistency.terms.ClusterSettings;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The coordinator's part in snapshots (decision 9): it decides where the training begins and which clock is saved next,
 * and reports failed snapshots. Used by the coordinator's thread.
 */
public final class SnapshotOrders {
    private final SnapshotInterval interval;
    private final Restoration restoration;
    private SnapshotSchedule schedule;
    private boolean stopped;
    private boolean pressed;
    private long run;
    private long ordered = SnapshotSchedule.NONE;
    private long announced = SnapshotSchedule.NONE;

    /** The state for which the last answer holds whether a snapshot may be ordered, and that answer. */
    private ClusterState seen;

    private boolean steady;

    /** Why the training begins anew although there are snapshots; null if it does not. */
    private String anew;

    private SnapshotOrders() {
        this.interval = null;
        this.restoration = Restoration.NONE;
        this.stopped = true;
    }

    /** Orders no snapshots; snapshots that nodes hold do not matter. */
    public static SnapshotOrders none() {
        return new SnapshotOrders();
    }

    /**
     * Creates orders.
     *
     * @param interval interval between snapshots
     * @param restoration whether to continue from snapshots that the nodes hold, and from which
     */
    public SnapshotOrders(SnapshotInterval interval, Restoration restoration) {
        this.interval = interval;
        this.restoration = restoration;
    }

    /** Whether the cluster takes snapshots. */
    public boolean takesSnapshots() {
        return null != interval;
    }

    /** The snapshots of server 0 from which a job may continue, the newest first. */
    List<Held> choices(NodeProxy server) {
        return server.claims.held().stream()
                .filter(held -> !restoration.isExact() || held.clock() == restoration.clock())
                .toList();
    }

    /**
     * Refuses to begin without a snapshot if an earlier snapshot may have been complete.
     *
     * @param nodes nodes that have joined, in any order
     * @throws IllegalArgumentException naming the snapshots of each node
     */
    void requireNoneCommitted(List<NodeProxy> nodes) {
        NodeProxy[] all = nodes.toArray(NodeProxy[]::new);
        boolean isFirst = nodes.stream().allMatch(node -> node.claims.held().isEmpty());
        if (restoration.isExact() || !isFirst && !isNoneCommitted(all)) {
            List<String> names = nodes.stream()
                    .map(node -> node.role.configName() + " " + node.index)
                    .toList();
            throw new IllegalArgumentException("no snapshot"
                    + (restoration.isExact() ? " of clock " + restoration.clock() : "")
                    + " is held by all nodes that took part in it (" + holdings(all, names) + ")");
        }
    }

    /** Whether a job may begin with nodes other than those of the terms. */
    boolean restores() {
        return takesSnapshots() && restoration.wanted();
    }

    /**
     * Finds the clock at which to begin: the newest of which all nodes hold a snapshot, unless the user names one.
     *
     * @param nodes  nodes with which the job begins
     * @param names  names of these nodes
     * @param places number of places
     * @param newest newest clock that they may restore
     * @param nowNs  current time
     * @return the start of the training
     * @throws IllegalArgumentException naming the snapshots of each node, if there is no such clock although some node
     *     holds a snapshot or the user names one
     */
    StartPoint begin(NodeProxy[] nodes, List<String> names, int places, long newest, long nowNs) {
        if (null == interval) {
            return StartPoint.FRESH;
        }
        StartPoint start = startPoint(nodes, names, newest);
        schedule = new SnapshotSchedule(interval, places, start.clock(), start.previous(), nowNs);
        run = start.run();
        announced = start.clock();
        return start;
    }

    private StartPoint startPoint(NodeProxy[] nodes, List<String> names, long newest) {
        boolean isFirst =
                Arrays.stream(nodes).allMatch(node -> node.claims.held().isEmpty());
        if (isFirst && !restoration.isExact()) {
            return beginning();
        }
        if (!restoration.wanted()) {
            throw new IllegalArgumentException("there are snapshots of an earlier run (" + holdings(nodes, names)
                    + "): restore them, or name an empty folder");
        }
        List<Held> common = common(nodes, newest);
        if (common.isEmpty() && !restoration.isExact() && isNoneCommitted(nodes)) {
            anew = "training begins anew: no snapshot of the run before was complete (" + holdings(nodes, names) + ")";
            return beginning();
        }
        if (common.isEmpty()) {
            throw new IllegalArgumentException(
                    "there is no clock of which all nodes hold a snapshot of one run (" + holdings(nodes, names) + ")");
        }
        long clock =
                restoration.isExact() ? restoration.clock() : common.getFirst().last();
        long run = common.getFirst().run();
        if (common.stream().noneMatch(held -> held.restores(run, clock))) {
            throw new IllegalArgumentException("not every node holds a snapshot of clock " + clock
                    + "; expected one of those that all nodes hold: " + listed(common));
        }
        long previous = common.stream()
                .mapToLong(Held::clock)
                .filter(at -> at < clock)
                .findFirst()
                .orElse(SnapshotSchedule.NONE);
        return new StartPoint(run, clock, previous);
    }

    /**
     * The snapshots that all nodes hold, the newest first, each with the last clock up to which all have logged the
     * clocks after it.
     */
    private static List<Held> common(NodeProxy[] nodes, long newest) {
        return nodes[0].claims.held().stream()
                .filter(held -> held.clock() <= newest)
                .filter(held -> Arrays.stream(nodes).allMatch(node -> node.claims.holds(held)))
                .map(held -> new Held(held.run(), held.clock(), lastLogged(nodes, held)))
                .toList();
    }

    private static long lastLogged(NodeProxy[] nodes, Held held) {
        return Arrays.stream(nodes)
                .flatMap(node -> node.claims.held().stream())
                .filter(each -> each.run() == held.run() && each.clock() == held.clock())
                .mapToLong(Held::last)
                .min()
                .orElseThrow();
    }

    private static StartPoint beginning() {
        long run = ThreadLocalRandom.current().nextLong(1, Long.MAX_VALUE);
        return new StartPoint(run, SnapshotSchedule.NONE, SnapshotSchedule.NONE);
    }

    /**
     * Whether no node can hold a committed snapshot. Until the first commit each node retains one snapshot at most.
     * A node retains the last commit until two more follow, so after the first commit all hold the same one,
     * and after the second each holds two. A damaged file can contradict this: a node whose files show a commit
     * deletes nothing and refuses.
     */
    private static boolean isNoneCommitted(NodeProxy[] nodes) {
        boolean parts = Arrays.stream(nodes).allMatch(node -> node.claims.held().size() <= 1);
        long runs = Arrays.stream(nodes)
                .flatMap(node -> node.claims.held().stream())
                .mapToLong(Held::run)
                .distinct()
                .count();
        return parts && 1 == runs;
    }

    private static String holdings(NodeProxy[] nodes, List<String> names) {
        return IntStream.range(0, nodes.length)
                .mapToObj(node -> names.get(node) + ": "
                        + (nodes[node].claims.held().isEmpty() ? "nothing" : clocks(nodes[node].claims.held())))
                .collect(Collectors.joining("; "));
    }

    private static String clocks(List<Held> held) {
        return "run " + Long.toHexString(held.getFirst().run()) + ", clock " + listed(held);
    }

    private static String listed(List<Held> held) {
        return held.stream()
                .map(each -> each.clock() + (each.last() > each.clock() ? " to " + each.last() : ""))
                .collect(Collectors.joining(", "));
    }

    /**
     * Continues a training that has begun under another coordinator: it abandons the last ordered snapshot if that was
     * not committed.
     */
    void resume(long ofRun, Event.Saved saved, int nodes, long nowNs) {
        if (null == interval || 0 == ofRun) {
            stopped = true; // the training has begun without snapshots
            return;
        }
        run = ofRun;
        schedule = new SnapshotSchedule(interval, nodes, saved.committed(), saved.previous(), nowNs);
        schedule.skip(saved.ordered());
        ordered = saved.ordered();
        announced = saved.committed();
    }

    /**
     * The terms of a cluster in words, with the interval of snapshots: all its coordinators must agree on them. The
     * snapshot from which it was restored does not matter once it has begun.
     *
     * @param settings the terms
     * @return the terms in words
     */
    public String terms(ClusterSettings settings) {
        return settings + " with " + (null == interval ? "no snapshots" : interval.toString());
    }

    /** Why {@link #begin} ignores existing snapshots, in words for users; null if it does not. */
    String anew() {
        return anew;
    }

    /** Records the clock that a node has reached. */
    void reached(int node, long clock, long nowNs) {
        if (null != schedule) {
            schedule.reached(node, clock, nowNs);
        }
    }

    /** The next clock to order for the nodes that take part in a state, or {@link SnapshotSchedule#NONE}. */
    long due(ClusterState state, long nowNs) {
        if (state != seen && !stopped) {
            seen = state;
            steady = state.isSteady();
            schedule.savedBy(state::takesPart);
        }
        long due = stopped || !steady ? SnapshotSchedule.NONE : schedule.due(nowNs, pressed);
        if (SnapshotSchedule.NONE != due) {
            ordered = due;
            pressed = false;
        }
        return due;
    }

    /** Requests a snapshot early, because a node retains much that it could release afterwards. */
    void press() {
        pressed = true;
    }

    /** Abandons an ordered snapshot after the death of a node, which can no longer save its part. */
    void abandon() {
        if (null != schedule) {
            schedule.abandon();
        }
    }

    /** Abandons an incomplete snapshot, because the nodes are about to agree on a change. */
    void giveWay() {
        if (null != schedule) {
            schedule.giveWay();
        }
    }

    /** Whether another clock has been committed since the last call. */
    boolean hasNews() {
        boolean news = null != schedule && schedule.committed() != announced;
        announced = null == schedule ? announced : schedule.committed();
        return news;
    }

    long ordered() {
        return ordered;
    }

    long run() {
        return run;
    }

    /**
     * Handles the outcome of a node's part of a snapshot.
     *
     * @param report prints a sentence if the coordinator abandons the snapshot because of the outcome, unless the order
     *     was only late
     */
    void onOutcome(int node, SnapshotOutcomeDecoder outcome, long nowNs, Consumer<String> report) {
        long at = outcome.clock();
        boolean late = outcome.late() != 0;
        long costNs = outcome.cost();
        String reason = outcome.reason();
        if (null == schedule || !schedule.isSavedBy(node)) {
            return;
        }
        if (reason.isEmpty()) {
            // A node that has requested a snapshot since then has this one.
            pressed &= !schedule.saved(node, at, costNs);
        } else if (schedule.failed(at, late, nowNs) && !late) {
            report.accept("no snapshot of clock " + at + ", training continues: " + reason);
        }
    }

    /** Stops snapshots because a node has left: a snapshot of the other nodes could not be restored. */
    void stop() {
        stopped = true;
    }

    /** Stops because a worker is lost, and reports this unless snapshots have stopped before. */
    void stopForLoss(Consumer<String> report) {
        if (!stopped) {
            report.accept("no further snapshots, because a worker is lost; the last snapshot is of clock " + committed()
                    + " (-1: there is none)");
        }
        stop();
    }

    long committed() {
        return null == schedule ? SnapshotSchedule.NONE : schedule.committed();
    }

    long previous() {
        return null == schedule ? SnapshotSchedule.NONE : schedule.previous();
    }
}
