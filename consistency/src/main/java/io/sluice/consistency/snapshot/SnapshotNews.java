package io.sluice.consistency.snapshot;

import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * The snapshot messages between a node and its coordinator: orders and commits one way, outcomes the other. Safe for
 * all threads; nothing blocks.
 */
public final class SnapshotNews {
    private final ConcurrentLinkedQueue<Outcome> outcomes = new ConcurrentLinkedQueue<>();
    private volatile long ordered = SnapshotSchedule.NONE;
    private volatile long committed;
    private volatile long previous;

    /**
     * The outcome of a snapshot at this node.
     *
     * @param clock  clock of the snapshot
     * @param costNs nanoseconds that the snapshot took; 0 if it failed
     * @param late   whether the order arrived after the node had gone beyond the clock
     * @param text   why it failed; empty if it is saved
     */
    public record Outcome(long clock, long costNs, boolean late, String text) {}

    /**
     * Creates the state at the start of the job.
     *
     * @param committed clock at which the job begins, or {@link SnapshotSchedule#NONE}
     * @param previous clock committed before that one, or {@link SnapshotSchedule#NONE}
     */
    public SnapshotNews(long committed, long previous) {
        this.committed = committed;
        this.previous = previous;
    }

    /** The last clock ordered, or {@link SnapshotSchedule#NONE}. */
    public long ordered() {
        return ordered;
    }

    /** The newest clock of which all nodes hold a snapshot, or {@link SnapshotSchedule#NONE}. */
    public long committed() {
        return committed;
    }

    /** The clock committed before that one, or {@link SnapshotSchedule#NONE}. */
    public long previous() {
        return previous;
    }

    /** Processes the coordinator's message. For the membership's thread. */
    public void onOrders(long newOrdered, long newCommitted, long newPrevious) {
        committed = newCommitted;
        previous = newPrevious;
        ordered = newOrdered;
    }

    /** Reports that this node's snapshot is on disk. */
    public void saved(long clock, long costNs) {
        outcomes.add(new Outcome(clock, costNs, false, ""));
    }

    /** Reports that this node does not save the snapshot. */
    public void failed(long clock, boolean late, String text) {
        outcomes.add(new Outcome(clock, 0, late, text));
    }

    /** The next outcome for the coordinator, or null. */
    public Outcome next() {
        return outcomes.peek();
    }

    /** Records that the coordinator has received the outcome. */
    public void sent() {
        outcomes.remove();
    }
}
