package io.sluice.perf.broadcast;

import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.perf.cluster.LabCluster;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Sluice's own broadcast, by the trees of one planner; each turn is a cluster of its own. */
final class TreeBroadcaster implements Broadcaster {
    private static final int OUTBOX_FRAMES = 32;

    /** As long as a link's queue is. */
    private static final long QUIET_NS = TimeUnit.MILLISECONDS.toNanos(200);

    private final String tree;
    private final double kept;
    private final LabCluster cluster;
    private final BroadcastPlan plan;

    /**
     * Chooses a planner.
     *
     * @param tree    its name
     * @param kept    share of the elements that filters let pass; 1 is without any filter
     * @param cluster with the hosts
     * @param plan    what to broadcast
     */
    TreeBroadcaster(String tree, double kept, LabCluster cluster, BroadcastPlan plan) {
        this.tree = tree;
        this.kept = kept;
        this.cluster = cluster;
        this.plan = plan;
    }

    @Override
    public String shape() {
        return tree;
    }

    @Override
    public double kept() {
        return kept;
    }

    @Override
    public List<Broadcast> turn() throws IOException, InterruptedException {
        ClusterSettings terms = plan.star()
                .terms()
                .filter(kept < 1 ? BroadcastTask.FILTER : "none")
                .tree(tree)
                .build();
        BroadcastTask task = new BroadcastTask(plan.elements(), kept, plan.trials(), terms.sliceElements(), QUIET_NS);
        LabCluster.Outcome<BroadcastTask.Times> outcome = cluster.run(terms, OUTBOX_FRAMES, plan.trials(), task);
        List<Broadcast> broadcasts = new ArrayList<>();
        for (int trial = 0; trial < plan.trials(); trial++) {
            int at = trial;
            double seconds = BroadcastTask.seconds(outcome.seen(), at);
            broadcasts.add(new Broadcast(seconds, outcome.costs().get(at)));
        }
        return broadcasts;
    }
}
