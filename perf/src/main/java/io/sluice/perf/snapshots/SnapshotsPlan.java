package io.sluice.perf.snapshots;

import java.nio.file.Path;

/**
 * What is measured.
 *
 * @param params  parameters of the model
 * @param workers that train it
 * @param clocks  of a turn that count; one more is before them
 * @param changed share of the parameters, in blocks of 4 KiB, that training changes
 * @param every   clocks between two snapshots where it is not left to their cost
 * @param folder  under which snapshots are written
 */
record SnapshotsPlan(int params, int workers, int clocks, double changed, int every, Path folder) {
    private static final int LEAST_PARAMS = 10_000;
    private static final int MOST_PARAMS = 1 << 27;
    private static final int MOST_CLOCKS = 10_000;
    private static final int MOST_WORKERS = 16;
    private static final int WARM_PARAMS = 500_000;
    private static final int WARM_CLOCKS = 300;

    /** Refuses what is out of range, naming the option. */
    SnapshotsPlan {
        require("--params", params, LEAST_PARAMS, MOST_PARAMS);
        require("--workers", workers, 1, MOST_WORKERS);
        require("--clocks", clocks, 2, MOST_CLOCKS);
        require("--interval", every, 1, MOST_CLOCKS);
        if (!(changed > 0 && changed <= 1)) {
            throw new IllegalArgumentException("--changed is " + changed + ", expected a share above 0, up to 1");
        }
    }

    private static void require(String option, int value, int least, int most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(option + " is " + value + ", expected " + least + " to " + most);
        }
    }

    /** A small one, after which the compiler knows its way. */
    SnapshotsPlan forWarmup() {
        return new SnapshotsPlan(Math.min(params, WARM_PARAMS), workers, WARM_CLOCKS, changed, every, folder);
    }

    /** The same with as many parameters that each of two servers has as many as the only one had. */
    SnapshotsPlan withTwoServers() {
        return new SnapshotsPlan(2 * params, 1, clocks, changed, every, folder);
    }
}
