package io.sluice.perf.snapshots;

import io.sluice.consistency.terms.SnapshotInterval;
import io.sluice.consistency.terms.SnapshotRetention;

/**
 * A way to take snapshots, or none.
 *
 * @param name       for people and programs
 * @param interval   as {@code --snapshot-every}, or null for none at all
 * @param increments in a row
 */
record SnapshotWay(String name, String interval, int increments) {
    private static final int MANY = 31;

    static SnapshotWay none() {
        return new SnapshotWay("none", null, 0);
    }

    /** The default: by what they cost. */
    static SnapshotWay auto() {
        return new SnapshotWay("auto", "auto", MANY);
    }

    static SnapshotWay whole(int every) {
        return new SnapshotWay("whole", "" + every, 0);
    }

    static SnapshotWay increments(int every) {
        return new SnapshotWay("increments", "" + every, MANY);
    }

    boolean takesAny() {
        return null != interval;
    }

    SnapshotInterval parsed() {
        return SnapshotInterval.parse(interval);
    }

    SnapshotRetention retention() {
        return SnapshotRetention.configured().withIncrements(increments);
    }
}
