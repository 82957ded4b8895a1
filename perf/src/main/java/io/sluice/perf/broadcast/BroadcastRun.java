package io.sluice.perf.broadcast;

import io.sluice.perf.cluster.LabCluster;
import io.sluice.perf.options.Repetition;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Broadcasts in all ways among the same hosts, in turns. */
final class BroadcastRun {
    private final List<String> trees;
    private final List<Double> kept;
    private final Peers peers;
    private final Repetition repetition;

    /**
     * Plans a run.
     *
     * @param trees  planners
     * @param kept   shares of the elements that filters let pass, each with each planner
     * @param peers  other systems to measure too; {@code null} for none
     * @param repetition how often they take turns
     */
    BroadcastRun(List<String> trees, List<Double> kept, Peers peers, Repetition repetition) {
        this.trees = trees;
        this.kept = kept;
        this.peers = peers;
        this.repetition = repetition;
    }

    /** Runs it in a lab of its own; a row for each way. */
    List<BroadcastRow> run(BroadcastPlan plan) throws IOException, InterruptedException {
        try (LabCluster cluster = LabCluster.build(plan.star())) {
            List<Broadcaster> ways = new ArrayList<>();
            for (double share : kept) {
                trees.forEach(tree -> ways.add(new TreeBroadcaster(tree, share, cluster, plan)));
            }
            for (String shape : peers == null ? List.<String>of() : peers.shapes()) {
                ways.add(peers.over(shape, cluster, plan));
            }
            Map<Broadcaster, List<Broadcast>> seen = repetition.takeTurns(ways, way -> {
                List<Broadcast> all = way.turn();
                return all.subList(plan.warmup(), all.size());
            });
            return ways.stream()
                    .map(way -> BroadcastRow.of(plan, way.shape(), way.kept(), seen.get(way)))
                    .toList();
        }
    }
}
