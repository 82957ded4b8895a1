package io.sluice.cli;

import io.sluice.consistency.snapshot.SnapshotRetention;
import java.nio.file.Path;

/** The option for the number of snapshots that nodes keep. */
final class SnapshotKeep {
    static final String OPTION = "--snapshot-keep";
    static final String DESCRIPTION = "With --snapshots: how many to keep, 2 to 64; --restore CLOCK can restore any"
            + " of them (2, or sluice.snapshot.keep).";

    private SnapshotKeep() {}

    /**
     * Checks the option.
     *
     * @param number value of {@code --snapshot-keep}, or null if not given
     * @param folder value of {@code --snapshots}, or null if not given
     * @throws IllegalArgumentException if the number is given without a folder, or is out of range
     */
    static void check(Integer number, Path folder) {
        if (null == number) {
            return;
        }
        if (null == folder) {
            throw new IllegalArgumentException(OPTION + " " + number + " needs --snapshots DIR");
        }
        if (number < SnapshotRetention.LEAST_COMMITS || number > SnapshotRetention.MOST_COMMITS) {
            throw new IllegalArgumentException(OPTION + " is " + number + ", expected "
                    + SnapshotRetention.LEAST_COMMITS + " to " + SnapshotRetention.MOST_COMMITS);
        }
    }
}
