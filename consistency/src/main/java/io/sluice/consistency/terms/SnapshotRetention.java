package io.sluice.consistency.terms;

import io.sluice.messaging.Settings;

/**
 * How many snapshots a node keeps.
 *
 * @param commits    number of committed snapshots, {@value #LEAST_COMMITS} to {@value #MOST_COMMITS}; the snapshots on
 *                   which they build are kept as well
 * @param increments longest sequence of increments; 0 to {@value #MOST_INCREMENTS}
 */
public record SnapshotRetention(int commits, int increments) {
    /** Property for {@link #commits}. */
    public static final String COMMITS_PROPERTY = "sluice.snapshot.keep";

    /** Property for {@link #increments}. */
    public static final String INCREMENTS_PROPERTY = "sluice.snapshot.increments";

    /** Fewest commits: two, in case the last one cannot be read. */
    public static final int LEAST_COMMITS = 2;

    /** Maximum number of snapshots that a join can state. */
    public static final int MOST_COMMITS = 64;

    private static final int DEFAULT_INCREMENTS = 31;
    private static final int MOST_INCREMENTS = 1_000;

    /** Refuses values out of range. */
    public SnapshotRetention {
        Settings.inRange(COMMITS_PROPERTY, commits, LEAST_COMMITS, MOST_COMMITS);
        Settings.inRange(INCREMENTS_PROPERTY, increments, 0, MOST_INCREMENTS);
    }

    /** Reads the system properties. */
    public static SnapshotRetention configured() {
        return new SnapshotRetention(
                Settings.intSize(COMMITS_PROPERTY, LEAST_COMMITS),
                Settings.intSize(INCREMENTS_PROPERTY, DEFAULT_INCREMENTS));
    }

    /** Makes a copy with a different number of commits. */
    public SnapshotRetention withCommits(int number) {
        return new SnapshotRetention(number, increments);
    }

    /** Makes a copy with a different number of increments in a row. */
    public SnapshotRetention withIncrements(int number) {
        return new SnapshotRetention(commits, number);
    }
}
