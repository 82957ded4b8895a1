package io.sluice.consistency.membership;

import io.sluice.consistency.snapshot.SnapshotSchedule;

/**
 * The start of a training run.
 *
 * @param run      number of the training run and its snapshots; 0 if none are taken
 * @param clock    clock of the snapshot to begin with, or {@link SnapshotSchedule#NONE}
 * @param previous clock of the previous snapshot, or {@link SnapshotSchedule#NONE}
 */
public record StartPoint(long run, long clock, long previous) {
    /** A start with the first values, without snapshots. */
    public static final StartPoint FRESH = new StartPoint(0, SnapshotSchedule.NONE, SnapshotSchedule.NONE);

    /** Whether snapshots are taken. */
    public boolean takesSnapshots() {
        return 0 != run;
    }

    /** Whether the training begins with a snapshot. */
    public boolean isRestored() {
        return SnapshotSchedule.NONE != clock;
    }
}
