package io.sluice.consistency.snapshot;

/**
 * Whether to restore from snapshots, and which.
 *
 * @param wanted whether to restore; otherwise nodes must hold no snapshot
 * @param clock  clock that all nodes must be able to restore; {@link SnapshotSchedule#NONE} for the newest such clock,
 *               or the beginning if no node holds a snapshot
 */
public record Restoration(boolean wanted, long clock) {
    /** A training that begins afresh. */
    public static final Restoration NONE = new Restoration(false, SnapshotSchedule.NONE);

    /** Restores the newest clock. */
    public static final Restoration NEWEST = new Restoration(true, SnapshotSchedule.NONE);

    /** Refuses a clock for a training that begins afresh, and a clock below 0. */
    public Restoration {
        if (clock < SnapshotSchedule.NONE || !wanted && SnapshotSchedule.NONE != clock) {
            throw new IllegalArgumentException("clock to restore is " + clock + ", expected 0 or more");
        }
    }

    /** Restores one clock, and deletes later snapshots. */
    public static Restoration at(long clock) {
        if (clock < 0) {
            throw new IllegalArgumentException("clock to restore is " + clock + ", expected 0 or more");
        }
        return new Restoration(true, clock);
    }

    /** Whether only one clock is acceptable. */
    public boolean isExact() {
        return SnapshotSchedule.NONE != clock;
    }
}
