package io.sluice.consistency.snapshot;

/**
 * Whether, and where, to go on from snapshots.
 *
 * @param wanted whether to go on; if not, nodes must hold nothing
 * @param clock  at which, of which all nodes must hold a snapshot; {@link SnapshotSchedule#NONE} for the newest such
 *               clock, or the beginning if none holds anything
 */
public record Restoration(boolean wanted, long clock) {
    /** A training that begins. */
    public static final Restoration NONE = new Restoration(false, SnapshotSchedule.NONE);

    /** Goes on from the newest clock. */
    public static final Restoration NEWEST = new Restoration(true, SnapshotSchedule.NONE);

    /** Refuses a clock for a training that begins, and one below 0. */
    public Restoration {
        if (clock < SnapshotSchedule.NONE || !wanted && SnapshotSchedule.NONE != clock) {
            throw new IllegalArgumentException("clock to restore is " + clock + ", expected 0 or more");
        }
    }

    /** Goes back to one clock, and gives up what came after it. */
    public static Restoration at(long clock) {
        if (clock < 0) {
            throw new IllegalArgumentException("clock to restore is " + clock + ", expected 0 or more");
        }
        return new Restoration(true, clock);
    }

    /** Whether just one clock will do. */
    public boolean isExact() {
        return SnapshotSchedule.NONE != clock;
    }
}
