package io.sluice.consistency.snapshot;

import io.sluice.messaging.Settings;

/**
 * How many snapshots a node keeps, and whether it logs the clocks between them.
 *
 * @param commits    number of committed snapshots, {@value #LEAST_COMMITS} to {@value #MOST_COMMITS}; the snapshots on
 *                   which they build are kept as well
 * @param increments longest sequence of increments; 0 to {@value #MOST_INCREMENTS}
 * @param logs       whether to log clocks where that is short: in jobs that have factor tables alone, with a selection
 *                   that keeps nothing from clock to clock
 */
public record SnapshotRetention(int commits, int increments, boolean logs) {
    /** Property for {@link #commits}. */
    public static final String COMMITS_PROPERTY = "sluice.snapshot.keep";

    /** Property for {@link #increments}. */
    public static final String INCREMENTS_PROPERTY = "sluice.snapshot.increments";

    /** Property for {@link #logs}. */
    public static final String LOG_PROPERTY = "sluice.snapshot.log";

    /** Minimum number of commits to keep: two, in case the last one cannot be read. */
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

    /** Logs clocks where that is short. */
    SnapshotRetention(int commits, int increments) {
        this(commits, increments, true);
    }

    /** Reads the system properties. */
    public static SnapshotRetention configured() {
        return new SnapshotRetention(
                Settings.intSize(COMMITS_PROPERTY, LEAST_COMMITS),
                Settings.intSize(INCREMENTS_PROPERTY, DEFAULT_INCREMENTS),
                Settings.flag(LOG_PROPERTY, true));
    }

    /** Creates a copy with a different number of commits. */
    public SnapshotRetention withCommits(int number) {
        return new SnapshotRetention(number, increments, logs);
    }

    /** Creates a copy with a different number of increments in a row. */
    public SnapshotRetention withIncrements(int number) {
        return new SnapshotRetention(commits, number, logs);
    }

    /** Creates a copy that logs clocks, or does not. */
    public SnapshotRetention withLogs(boolean value) {
        return new SnapshotRetention(commits, increments, value);
    }
}
