package io.sluice.perf.broadcast;

import io.sluice.perf.cluster.LabCluster;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Broadcasts in all ways among the same hosts. Ways take turns, and every other round goes through them backwards, so
 * that what drifts in the machine meets them alike.
 */
final class BroadcastRun {
    private final List<String> trees;
    private final List<Double> kept;
    private final boolean peers;
    private final int rounds;

    /**
     * Plans a run.
     *
     * @param trees  planners
     * @param kept   shares of the elements that filters let pass, each with each planner
     * @param peers  whether to broadcast by what a user would take instead, too
     * @param rounds turns of each
     */
    BroadcastRun(List<String> trees, List<Double> kept, boolean peers, int rounds) {
        this.trees = trees;
        this.kept = kept;
        this.peers = peers;
        this.rounds = rounds;
    }

    /** Runs it in a lab of its own; a row for each way. */
    List<BroadcastRow> run(BroadcastPlan plan) throws IOException, InterruptedException {
        try (LabCluster cluster = LabCluster.build(plan.star());
                OpenMpi mpi = peers && OpenMpi.missing() == null ? OpenMpi.compile() : null) {
            List<Broadcaster> ways = new ArrayList<>();
            for (double share : kept) {
                trees.forEach(tree -> ways.add(new TreeBroadcaster(tree, share, cluster, plan)));
            }
            if (peers) {
                ways.add(new ZeroMqBroadcaster(cluster, plan));
                ways.add(new GrpcBroadcaster(cluster, plan));
            }
            if (mpi != null) {
                Arrays.stream(MpiAlgorithm.values())
                        .forEach(algorithm -> ways.add(new MpiBroadcaster(cluster, plan, mpi, algorithm)));
            }
            Map<Broadcaster, List<Broadcast>> seen = new LinkedHashMap<>();
            ways.forEach(way -> seen.put(way, new ArrayList<>()));
            for (int round = 0; round < rounds; round++) {
                for (Broadcaster way : round % 2 == 0 ? ways : ways.reversed()) {
                    List<Broadcast> all = way.turn();
                    seen.get(way).addAll(all.subList(plan.warmup(), all.size()));
                }
            }
            return ways.stream()
                    .map(way -> BroadcastRow.of(plan, way.shape(), way.kept(), seen.get(way)))
                    .toList();
        }
    }
}
