package io.sluice.consistency.wire;

import io.sluice.consistency.membership.ClusterPlan;
import io.sluice.consistency.membership.Membership;
import io.sluice.consistency.placement.TableSpec;
import io.sluice.tree.BroadcastTree;
import io.sluice.tree.TreeDigest;
import io.sluice.tree.TreeRepair;
import io.sluice.tree.Ways;
import java.util.BitSet;
import java.util.List;
import java.util.function.IntConsumer;

/**
 * The trees by which broadcasts go: as they were planned, and then repaired as one worker after another is lost.
 * Every thread that sends or receives broadcasts follows the losses for itself, at a time of its own, and all come to
 * the same. Where workers come and go each server sends to each of them itself, and nobody else has to know.
 *
 * <p>For one thread.
 */
public final class LiveTrees {
    private final Membership membership;
    private final ClusterPlan plan;
    private final Ways ways;
    private final TreeRepair repair;
    private final boolean repairs;
    private final Peering peering;
    private final List<TableSpec> specs;

    /** Where workers come and go, to whom servers send. */
    private final BitSet receivers = new BitSet();

    private final int planned;
    private List<BroadcastTree> trees;
    private int epoch;

    /**
     * Plans the trees.
     *
     * @param membership knows who is lost
     * @param peering    plans
     * @param specs      all tables
     */
    public LiveTrees(Membership membership, Peering peering, List<TableSpec> specs) {
        this.membership = membership;
        this.plan = membership.plan();
        this.peering = peering;
        this.specs = specs;
        if (plan.settings().isElastic()) {
            membership.crews().history().crews().getFirst().workers().forEach(receivers::set);
            if (plan.workerIndex(membership.node()) >= 0) {
                receivers.set(plan.workerIndex(membership.node()));
            }
            this.trees = peering.directTrees(specs, receivers);
        } else {
            this.trees = peering.broadcastTrees(specs);
        }
        this.planned = plan.settings().isElastic() ? 0 : TreeDigest.of(trees);
        this.ways =
                SliceWays.of(specs, peering.placement(specs), plan.settings().servers(), trees);
        this.repair = new TreeRepair(
                plan.servers(),
                plan.workers(),
                peering.sharedMemory(),
                plan.settings().network(),
                plan.settings().treePlanner().limits());
        this.repairs = peering.repairs(trees);
        this.epoch = plan.epoch();
    }

    /** The trees as they are now, in the order of the servers. */
    public List<BroadcastTree> trees() {
        return trees;
    }

    /** Digest of the trees as they were planned, for all nodes to compare; 0 where each server sends to each worker. */
    public int planned() {
        return planned;
    }

    /** Which of them carries a frame: that never changes. For the same thread. */
    public Ways ways() {
        return ways;
    }

    /** Whether receivers may ask for what they miss, for somebody passes broadcasts on, or nodes may come back. */
    public boolean repairs() {
        return repairs;
    }

    /**
     * Begins to send to a worker, or ends it, where each server sends to each worker itself.
     *
     * @param worker    its index
     * @param takesPart whether it is to be sent to
     * @return whether that is news
     */
    public boolean sendTo(int worker, boolean takesPart) {
        if (receivers.get(worker) == takesPart) {
            return false;
        }
        receivers.set(worker, takesPart);
        trees = peering.directTrees(specs, receivers);
        return true;
    }

    /**
     * Whether workers were lost for good since {@link #follow}: a cheap question. Those who may come back keep their
     * places.
     */
    public boolean isBehind() {
        return repairs && !membership.attendance().changes() && epoch != membership.epoch();
    }

    /**
     * Repairs the trees for all losses so far.
     *
     * @return the trees as they were before
     */
    public List<BroadcastTree> follow() {
        List<BroadcastTree> before = trees;
        int now = membership.epoch();
        while (epoch < now) {
            epoch++;
            int node = plan.workerNode(membership.lostIn(epoch));
            if (node != membership.node()) { // who is lost itself has no place in any tree, and is about to be told
                trees = repair.without(trees, node);
            }
        }
        return before;
    }

    /**
     * Repairs the trees for all losses so far.
     *
     * @param changed given the number of each tree in which this node's trainer receives from another node than before
     */
    public void follow(IntConsumer changed) {
        List<BroadcastTree> before = follow();
        int node = membership.node();
        for (int tree = 0; tree < before.size(); tree++) {
            if (trees.get(tree).delivery(node).from()
                    != before.get(tree).delivery(node).from()) {
                changed.accept(tree);
            }
        }
    }
}
