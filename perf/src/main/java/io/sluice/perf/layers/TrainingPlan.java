package io.sluice.perf.layers;

import io.sluice.consistency.placement.Placement;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.TableSpec;
import io.sluice.consistency.terms.TransportKind;
import io.sluice.perf.cluster.Cluster;
import io.sluice.perf.experiment.Parameter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

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
    ClusterSettings terms(SyncMethod method, String placement, long rate) {
        Wire wire = new Wire(rate, workers, servers);
        return Cluster.terms(servers, workers)
                .transport(TransportKind.UDP)
                .sliceElements(method.sliceElements())
                .order(method.order())
                .placement(placement)
                .linkBudget(wire.budget() + "bit", wire.burst(method.sliceElements()))
                .tree("flat")
                .build();
    }

    /** The coefficient of variation of the numbers of parameters that servers own (MPS, figure 5.3). */
    double loadVariation(SyncMethod method, String placement) {
        List<TableSpec> tables = new ArrayList<>();
        for (LayerModel.Layer layer : model.layers()) {
            tables.add(new TableSpec(tables.size(), layer.name(), 1, layer.elements(), method.sliceElements()));
        }
        long[] load = Placement.of(placement, tables, servers).load(tables);
        double mean = Arrays.stream(load).average().orElseThrow();
        double variance = Arrays.stream(load)
                .mapToDouble(each -> (each - mean) * (each - mean))
                .average()
                .orElseThrow();
        return Math.sqrt(variance) / mean;
    }
}
