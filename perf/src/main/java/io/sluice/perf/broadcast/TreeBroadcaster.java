package io.sluice.perf.broadcast;

import io.sluice.consistency.membership.ClusterSettings;
import io.sluice.perf.cluster.LabCluster;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Sluice's own broadcast, by the trees of one planner; each turn is a cluster of its own. */
final class TreeBroadcaster implements Broadcaster {
    private static final int OUTBOX_FRAMES = 32;

    private final String tree;
    private final LabCluster cluster;
    private final BroadcastPlan plan;

    /**
     * Chooses a planner.
     *
     * @param tree    its name
     * @param cluster with the hosts
     * @param plan    what to broadcast
     */
    TreeBroadcaster(String tree, LabCluster cluster, BroadcastPlan plan) {
        this.tree = tree;
        this.cluster = cluster;
        this.plan = plan;
    }

    @Override
    public String shape() {
        return tree;
    }

    @Override
    public List<Broadcast> turn() throws IOException, InterruptedException {
        ClusterSettings terms = plan.star().terms().filter("none").tree(tree).build();
        BroadcastTask task = new BroadcastTask(plan, terms.sliceElements());
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
