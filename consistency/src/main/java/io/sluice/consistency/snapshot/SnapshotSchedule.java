package io.sluice.consistency.snapshot;

import java.util.Arrays;
import java.util.BitSet;
import java.util.concurrent.TimeUnit;
import java.util.function.IntPredicate;

/**
 * The coordinator's account of snapshots: which clock to order next, which nodes have saved it, and which clocks are
 * committed.
 *
 * <p>A clock is ordered while no node can have reached it yet, according to heartbeats. If a node has reached it after
 * all, the snapshot is abandoned, and the next one is ordered further ahead. At most one snapshot is open. This class
 * only computes: it sends nothing. For one thread.
 */
public final class SnapshotSchedule {
    /** No clock. */
    public static final long NONE = -1;

    /** How long an order may take to reach all nodes. */
    private static final long LEAD_NS = TimeUnit.MILLISECONDS.toNanos(20);

    /** The delay after a snapshot that could not be saved: a full disk stays full for a while. */
    private static final long RETRY_NS = TimeUnit.SECONDS.toNanos(10);

    private static final int MAX_DOUBLINGS = 8;

    /** One more than the number of clocks by which nodes may differ under BSP. */
    private static final long SPREAD = 2;

    private final SnapshotInterval interval;
    private final long[] clocks;
    private final long[] heardNs;
    private final BitSet missing = new BitSet();

    /** Nodes that have a part of the open snapshot or, if none is open, of the next one. */
    private final BitSet savers = new BitSet();

    private final long startNs;
    private final long startClock;
    private long open = NONE;
    private boolean openForPressure;
    private long last;

    /** The order before the last one, in case the last is withdrawn. */
    private long lastBefore;

    private long openedNs;
    private long committedNs;
    private long notBeforeNs;
    private long costNs;
    private long largestCostNs;
    private int doublings;
    private long committed;
    private long previous;

    /**
     * Creates a schedule.
     *
     * @param interval  interval between snapshots
     * @param nodes     number of nodes
     * @param committed clock of the start, of which all nodes hold a snapshot; {@link #NONE} for a fresh start
     * @param previous  an earlier clock of which all nodes also hold a snapshot, or {@link #NONE}
     * @param nowNs current time
     */
    public SnapshotSchedule(SnapshotInterval interval, int nodes, long committed, long previous, long nowNs) {
        this.interval = interval;
        this.clocks = new long[nodes];
        this.heardNs = new long[nodes];
        this.startNs = nowNs;
        this.startClock = Math.max(0, committed);
        this.committedNs = nowNs;
        this.notBeforeNs = nowNs;
        this.committed = committed;
        this.last = committed;
        this.previous = previous;
        Arrays.fill(clocks, startClock);
        Arrays.fill(heardNs, nowNs);
        savers.set(0, nodes);
    }

    /**
     * Sets the nodes that have a part of snapshots from the next order on; at first, all nodes have one.
     *
     * @param hasPart whether a node has a part
     */
    public void savedBy(IntPredicate hasPart) {
        if (NONE == open) {
            for (int node = 0; node < clocks.length; node++) {
                savers.set(node, hasPart.test(node));
            }
        }
    }

    /**
     * Whether a node has a part of the open snapshot or, if none is open, will have a part of the next one.
     *
     * @param node id of the node
     * @return false if the outcome at that node does not matter
     */
    public boolean isSavedBy(int node) {
        return savers.get(node);
    }

    /**
     * Records the clock that a node has reached.
     *
     * @param node id of the node
     * @param clock clock that it has reached
     * @param nowNs current time
     */
    public void reached(int node, long clock, long nowNs) {
        if (clock > clocks[node]) {
            clocks[node] = clock;
            heardNs[node] = nowNs;
        }
    }

    /** The next clock to order by the interval alone; see {@link #due(long, boolean)}. */
    public long due(long nowNs) {
        return due(nowNs, false);
    }

    /**
     * The next clock to order, if an order is due. Its snapshot is then open.
     *
     * @param nowNs current time
     * @param pressed whether a snapshot is wanted as soon as possible, regardless of the interval and of an order for a
     *                later clock
     * @return a clock that no node should have reached, or {@link #NONE}
     */
    public long due(long nowNs, boolean pressed) {
        if (nowNs - notBeforeNs < 0 || !pressed && !isTime(nowNs)) {
            return NONE;
        }
        if (NONE != open && (!pressed || openForPressure || open <= earliest(nowNs))) {
            return NONE;
        }
        if (NONE != open) {
            last = lastBefore;
        }
        openForPressure = pressed;
        long earliest = Math.max(last + 1, earliest(nowNs));
        long every = pressed ? 1 : Math.max(1, interval.clocks());
        open = (earliest + every - 1) / every * every;
        lastBefore = last;
        last = open;
        openedNs = nowNs;
        costNs = 0;
        missing.clear();
        missing.or(savers);
        return open;
    }

    private boolean isTime(long nowNs) {
        if (interval.clocks() > 0) {
            return true; // with an interval in clocks, a snapshot can be ordered well ahead
        }
        // The cost is unknown before the first snapshot, which measures it.
        return nowNs - committedNs >= interval.optimumNs(largestCostNs);
    }

    /** The first clock that can still be ordered, by the pace of the fastest node. */
    private long earliest(long nowNs) {
        int first = 0;
        for (int node = 1; node < clocks.length; node++) {
            first = clocks[node] > clocks[first] ? node : first;
        }
        long done = clocks[first] - startClock;
        if (0 == done) {
            return startClock + SPREAD;
        }
        double clockNs = Math.max(1.0, (double) (heardNs[first] - startNs) / done);
        long ageNs = nowNs - heardNs[first];
        return clocks[first] + SPREAD + (long) Math.ceil((ageNs + (LEAD_NS << doublings)) / clockNs);
    }

    /**
     * Records that a node has saved its part.
     *
     * @param node id of the node
     * @param clock clock of the snapshot
     * @param ns    nanoseconds that it took
     * @return true if this was the last: the clock is committed
     */
    public boolean saved(int node, long clock, long ns) {
        if (clock != open) {
            last = Math.max(last, clock); // the snapshot was abandoned, and is not ordered again
            return false;
        }
        costNs = Math.max(costNs, ns);
        missing.clear(node);
        if (!missing.isEmpty()) {
            return false;
        }
        largestCostNs = costNs;
        committedNs = openedNs;
        previous = committed;
        committed = open;
        open = NONE;
        doublings = 0;
        return true;
    }

    /**
     * Abandons the open snapshot, because a node cannot take it.
     *
     * @param clock clock of the snapshot
     * @param late  whether the order arrived after the node had gone beyond the clock
     * @param nowNs current time
     * @return false if that snapshot is not open
     */
    public boolean failed(long clock, boolean late, long nowNs) {
        if (clock != open) {
            last = Math.max(last, clock);
            return false;
        }
        open = NONE;
        if (late) {
            doublings = Math.min(MAX_DOUBLINGS, doublings + 1);
        } else {
            notBeforeNs = nowNs + RETRY_NS;
        }
        return true;
    }

    /**
     * Skips all clocks up to the last one of which another coordinator has ordered a snapshot.
     *
     * @param clock clock of the last snapshot that the other coordinator ordered, or {@link #NONE}
     */
    public void skip(long clock) {
        last = Math.max(last, clock);
    }

    /**
     * Abandons the open snapshot because a node has left. Another can be ordered at once, or the same one if no node
     * has saved it. Otherwise each death would defer snapshots by an interval.
     */
    public void abandon() {
        if (NONE != open && missing.equals(savers)) {
            last = lastBefore;
        }
        giveWay();
    }

    /** Abandons the open snapshot because other nodes take part in the next one. */
    public void giveWay() {
        open = NONE;
        missing.clear();
    }

    /** The newest clock of which all nodes hold a snapshot, or {@link #NONE}. */
    public long committed() {
        return committed;
    }

    /** The clock committed before that one, or {@link #NONE}. */
    public long previous() {
        return previous;
    }
}
