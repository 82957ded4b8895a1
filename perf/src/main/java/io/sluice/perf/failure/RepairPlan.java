package io.sluice.perf.failure;

import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.DeathPolicy;
import io.sluice.consistency.terms.TransportKind;
import io.sluice.perf.cluster.Cluster;
import java.io.Serializable;
import java.util.concurrent.TimeUnit;

/** A training job with one server, whose workers push all parameters, once in a few milliseconds at most. */
record RepairPlan(int workers, String tree, int params, int everyMs, int livenessMs) implements Serializable {
    private static final int HEARTBEATS = 10;
    private static final int SLICES = 4;

    PacedTrainer trainer(PacedTrainer.LastClock lastClock) {
        return new PacedTrainer(lastClock, params, TimeUnit.MILLISECONDS.toNanos(everyMs));
    }

    /** The settings of a cluster in which every node is reached by UDP, as if it were on its own host. */
    ClusterSettings terms(String consistency) {
        return Cluster.terms(1, workers)
                .consistency(consistency)
                .tree(tree)
                .sliceElements(Math.min(1 << 14, params / SLICES))
                .transport(TransportKind.UDP)
                .onDeath(DeathPolicy.SHRINK)
                .heartbeatMs(livenessMs / HEARTBEATS)
                .livenessMs(livenessMs)
                .build();
    }
}
