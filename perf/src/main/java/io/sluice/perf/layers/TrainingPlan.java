package io.sluice.perf.layers;

import java.util.concurrent.TimeUnit;

/**
 * What all runs of a comparison have in common.
 *
 * @param model      that is trained
 * @param workers    number of workers
 * @param servers    number of servers
 * @param computeNs  computing of an iteration
 * @param warmup     iterations of a turn that are not counted
 * @param iterations of a turn that are
 * @param receiving  whether workers receive while they compute
 */
record TrainingPlan(
        LayerModel model, int workers, int servers, long computeNs, int warmup, int iterations, boolean receiving) {
    /** Most hosts: each has a JVM and a media driver. */
    static final int MAX_NODES = 16;

    private static final long MAX_COMPUTE_NS = TimeUnit.MINUTES.toNanos(1);
    private static final int MAX_ITERATIONS = 10_000;

    /** Refuses what is out of range, naming the option. */
    TrainingPlan {
        require(workers >= 1 && workers <= MAX_NODES, "--workers", workers, "1 to " + MAX_NODES);
        require(servers >= 1 && servers <= MAX_NODES, "--servers", servers, "1 to " + MAX_NODES);
        require(
                workers + servers <= MAX_NODES,
                "--workers and --servers together",
                workers + servers,
                "up to " + MAX_NODES);
        require(computeNs >= 0 && computeNs <= MAX_COMPUTE_NS, "--compute", computeNs + " ns", "0 to 60s");
        require(warmup >= 1 && warmup <= MAX_ITERATIONS, "--warmup", warmup, "1 to " + MAX_ITERATIONS);
        require(iterations >= 1 && iterations <= MAX_ITERATIONS, "--iterations", iterations, "1 to " + MAX_ITERATIONS);
    }

    private static void require(boolean sound, String option, Object value, String expected) {
        if (!sound) {
            throw new IllegalArgumentException(option + " is " + value + ", expected " + expected);
        }
    }

    /** Clocks of a turn. */
    int clocks() {
        return warmup + iterations;
    }
}
