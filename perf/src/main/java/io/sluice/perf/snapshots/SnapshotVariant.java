package io.sluice.perf.snapshots;

import io.sluice.consistency.terms.SnapshotInterval;
import io.sluice.consistency.terms.SnapshotRetention;

/**
 * A variant of taking snapshots, or of taking none.
 *
 * @param name       name in tables and JSON
 * @param interval   interval as {@code --snapshot-every}, or null for no snapshots
 * @param increments maximum number of consecutive increments
 */
record SnapshotVariant(String name, String interval, int increments) {
    private static final int MANY = 31;

    static SnapshotVariant none() {
        return new SnapshotVariant("none", null, 0);
    }

    /** The default: an interval that follows their cost. */
    static SnapshotVariant auto() {
        return new SnapshotVariant("auto", "auto", MANY);
    }

    static SnapshotVariant whole(int every) {
        return new SnapshotVariant("whole", "" + every, 0);
    }

    static SnapshotVariant increments(int every) {
        return new SnapshotVariant("increments", "" + every, MANY);
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
