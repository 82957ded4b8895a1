package io.sluice.consistency.wire;

import io.sluice.consistency.membership.ClusterPlan;
import io.sluice.consistency.membership.Membership;
import io.sluice.consistency.placement.TableSpec;
import io.sluice.tree.BroadcastTree;
import io.sluice.tree.Hop;
import io.sluice.tree.Place;
import io.sluice.tree.TreeDigest;
import io.sluice.tree.TreeRepair;
import io.sluice.tree.Ways;
import java.util.BitSet;
import java.util.List;
import java.util.function.IntConsumer;

/**
 * The trees by which broadcasts go: as they were planned, and then repaired as one worker after another is lost.
 * Every thread that sends or receives broadcasts follows the losses for itself, at a time of its own, and all come to
 * the same. Where workers come and go the trees follow the crew, if the terms name any; else each server sends to each
 * worker itself, and nobody else has to know.
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

    /** Where workers come and go, to whom servers send, themselves or by others. */
    private final BitSet receivers = new BitSet();

    /** Null where trees do not follow the crew. */
    private final CrewForest forest;

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
            boolean isNewServer = isServer() && plan.isOfNewcomer();
            if (!isNewServer) { // that one sends to nobody before it owns something
                membership.crews().history().crews().getFirst().workers().forEach(receivers::set);
            }
        }
        if (plan.settings().growsTrees()) {
            List<Place> first = CrewForest.firstCrew(plan, membership.crews().history());
            this.trees = peering.broadcastTrees(specs, first);
            this.planned = TreeDigest.of(trees);
            this.forest = new CrewForest(membership, peering, trees);
            this.trees = forest.trees();
        } else if (plan.settings().isElastic()) {
            if (!isServer()) {
                receivers.set(plan.workerIndex(membership.node()));
            }
            this.trees = peering.directTrees(specs, receivers);
            this.planned = 0;
            this.forest = null;
        } else {
            this.trees = peering.broadcastTrees(specs, plan.workers());
            this.planned = TreeDigest.of(trees);
            this.forest = null;
        }
        this.ways =
                SliceWays.of(specs, peering.placement(specs), plan.settings().serverPlaces(), trees);
        this.repair = new TreeRepair(
                plan.servers(),
                plan.workers(),
                peering.sharedMemory(),
                plan.settings().network(),
                plan.settings().treePlanner().limits());
        this.repairs = null != forest || peering.repairs(trees);
        this.epoch = plan.epoch();
    }

    private boolean isServer() {
        return plan.workerIndex(membership.node()) < 0;
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
     * Begins to send to a worker, or ends it, where workers come and go.
     *
     * @param worker    its index
     * @param takesPart whether it is to be sent to
     * @return whether other hops begin at servers with that: where trees follow the crew, they follow the history
     */
    public boolean sendTo(int worker, boolean takesPart) {
        if (receivers.get(worker) == takesPart) {
            return false;
        }
        receivers.set(worker, takesPart);
        if (null != forest) {
            return false;
        }
        trees = peering.directTrees(specs, receivers);
        return true;
    }

    /** Whether a worker is sent to, or, where they are the same all the time, may be. */
    public boolean sendsTo(int worker) {
        return !plan.settings().isElastic() || receivers.get(worker);
    }

    /**
     * Whether a hop that the trees do not have any more is to be kept: it leads to those who go, and have not gone yet.
     *
     * @param hop of a tree as it was
     * @return true until they have
     */
    public boolean keeps(Hop hop) {
        return null != forest && hop.to().stream().allMatch(forest::isGoing);
    }

    /**
     * Whether workers were lost for good since {@link #follow}, or others take part: a cheap question. Those who may
     * come back keep their places.
     */
    public boolean isBehind() {
        if (null != forest) {
            return forest.isBehind();
        }
        return repairs && !membership.attendance().changes() && epoch != membership.epoch();
    }

    /**
     * Repairs the trees for all losses so far, or goes on by one change of the crew: to be called until it is not
     * behind.
     *
     * @return the trees as they were before
     */
    public List<BroadcastTree> follow() {
        List<BroadcastTree> before = trees;
        if (null != forest) {
            forest.follow();
            trees = forest.trees();
            return before;
        }
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
     * As the other.
     *
     * @param changed given the number of each tree in which this node's trainer receives from another node than before
     */
    public void follow(IntConsumer changed) {
        List<BroadcastTree> before = follow();
        int node = membership.node();
        for (int tree = 0; tree < before.size(); tree++) {
            if (before.get(tree).reaches(node)
                    && isCutOff(
                            before.get(tree).delivery(node).from(),
                            trees.get(tree).delivery(node).from())) {
                changed.accept(tree);
            }
        }
    }

    /**
     * Whether who gets a tree's frames from another node than before may lack some: one that goes sends on until the
     * other does.
     *
     * @param before who sent
     * @param now    who sends
     * @return false also if it is the same
     */
    public boolean isCutOff(int before, int now) {
        return before != now
                && (null == forest || !forest.isGoing(before) || membership.isLost(plan.workerIndex(before)));
    }
}
