package io.sluice.perf.layers;

import io.sluice.perf.experiment.Parameter;
import java.io.Serializable;

/**
 * The settings that all runs of a comparison share.
 *
 * @param model      model to train
 * @param workers    number of workers
 * @param servers    number of servers
 * @param computeNs  computing time of an iteration
 * @param warmup     iterations of a turn that are not counted
 * @param iterations iterations of a turn that are counted
 * @param receiving  whether workers receive while they compute
 */
record TrainingPlan(
        LayerModel model, int workers, int servers, long computeNs, int warmup, int iterations, boolean receiving)
        implements Serializable {
    /** Maximum number of hosts: each has a JVM and a media driver. */
    static final int MAX_NODES = 16;

    /** Refuses too many nodes. */
    TrainingPlan {
        if (workers + servers > MAX_NODES) {
            throw Parameter.refusal("--workers and --servers together", workers + servers, "up to " + MAX_NODES);
        }
    }

    /** Clocks of a turn. */
    int clocks() {
        return warmup + iterations;
    }
}
