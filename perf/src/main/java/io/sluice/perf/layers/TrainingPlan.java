package io.sluice.perf.layers;

import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.TransportKind;
import io.sluice.perf.cluster.Cluster;
import io.sluice.perf.experiment.Parameter;

/** The settings that determine how long an iteration takes. */
record TrainingPlan(LayerModel model, int workers, int servers, long computeNs) {
    /** Maximum number of hosts: each has a media driver. */
    static final int MAX_NODES = 16;

    /** Refuses too many nodes. */
    TrainingPlan {
        if (workers + servers > MAX_NODES) {
            throw Parameter.refusal("--workers and --servers together", workers + servers, "up to " + MAX_NODES);
        }
    }

    /** The terms of the cluster: BSP with exact f32 updates, no filter and no compression. */
    ClusterSettings terms(SyncMethod method, long rate) {
        Wire wire = new Wire(rate, workers, servers);
        return Cluster.terms(servers, workers)
                .transport(TransportKind.UDP)
                .sliceElements(method.sliceElements())
                .order(method.order())
                .linkBudget(wire.budget() + "bit", wire.burst(method.sliceElements()))
                .tree("flat")
                .build();
    }
}
