package io.sluice.consistency.wire;

import io.sluice.consistency.membership.ClusterPlan;
import io.sluice.consistency.membership.CrewChange;
import io.sluice.consistency.membership.CrewHistory;
import io.sluice.consistency.membership.Membership;
import io.sluice.tree.BroadcastTree;
import io.sluice.tree.Place;
import io.sluice.tree.TreeRepair;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The broadcast trees of a job in which workers come and go (decision 38): planned over the first crew, and changed by
 * each change of the crew in turn, as the history says. Nothing else decides, so all nodes come to the same trees,
 * those that come later, too, whenever they follow.
 *
 * <p>Who goes is in the trees no more, but still has to get what it waits for, and may be in the way of others: whoever
 * sends to it goes on until it has gone, and it goes on sending to its children until then.
 *
 * <p>For one thread.
 */
final class CrewForest {
    private final Membership membership;
    private final ClusterPlan plan;
    private final TreeRepair repair;
    private List<BroadcastTree> trees;

    /** The history of which all changes are followed. */
    private CrewHistory followed;

    /** How many changes are. */
    private int count;

    /** By node id that goes, and may still be there, where it is. */
    private final Map<Integer, String> going = new HashMap<>();

    /** Whether this node goes: what others do from then on is not its business. */
    private boolean goes;

    /**
     * Plans the trees.
     *
     * @param membership knows the history
     * @param peering    plans
     * @param planned    over the workers that {@link #firstCrew} says
     */
    CrewForest(Membership membership, Peering peering, List<BroadcastTree> planned) {
        this.membership = membership;
        this.plan = membership.plan();
        this.trees = planned;
        this.repair = new TreeRepair(
                plan.servers(),
                firstCrew(plan, membership.crews().history()),
                peering.sharedMemory(),
                plan.settings().network(),
                plan.settings().treePlanner().limits());
        if (membership.crews().happen() && plan.epoch() > 0) { // this node has come while the job runs
            CrewHistory history = membership.crews().history();
            history.changes().forEach(this::apply); // one of its own number may have gone before
            going.clear();
            count = history.changes().size();
            followed = history;
        }
    }

    /**
     * Where the workers of the first crew were: others may be in their places by now.
     *
     * @param plan    as a node was told when it joined
     * @param history of all changes up to then, or more
     * @return in order of index
     */
    static List<Place> firstCrew(ClusterPlan plan, CrewHistory history) {
        List<Place> places =
                new ArrayList<>(plan.workers().subList(0, plan.settings().workers()));
        for (CrewChange change : history.changes().reversed()) {
            if (!change.isOfServer() && change.index() < places.size()) {
                places.set(change.index(), change.place()); // in the end that of its first change: it went
            }
        }
        return places;
    }

    List<BroadcastTree> trees() {
        return trees;
    }

    /** Whether something has changed since {@link #follow}: a cheap question. */
    boolean isBehind() {
        return !goes && (membership.crews().history() != followed || hasAnyGone());
    }

    private boolean hasAnyGone() {
        if (going.isEmpty()) {
            return false;
        }
        for (int node : going.keySet()) { // asked for each frame that is passed on: no stream, which makes garbage
            if (hasGone(node)) {
                return true;
            }
        }
        return false;
    }

    /** Goes on by one change of the crew, or notes who has gone that was to. To be called until it is not behind. */
    void follow() {
        if (going.keySet().removeIf(this::hasGone)) {
            return;
        }
        CrewHistory history = membership.crews().history();
        if (count < history.changes().size()) {
            CrewChange change = history.changes().get(count);
            goes = !change.joins() && !change.isOfServer() && plan.workerNode(change.index()) == membership.node();
            if (!goes) {
                apply(change);
            }
            count++;
        }
        followed = count == history.changes().size() ? history : followed;
    }

    private void apply(CrewChange change) {
        if (change.isOfServer()) {
            return;
        }
        int node = change.place().node();
        if (change.joins()) {
            trees = repair.with(trees, change.place());
            going.remove(node);
            return;
        }
        trees = repair.without(trees, node);
        going.put(node, change.place().endpoint());
    }

    /** Whether a node is to go, is in the trees no more, and may still be there. */
    boolean isGoing(int node) {
        return going.containsKey(node);
    }

    private boolean hasGone(int node) {
        int worker = plan.workerIndex(node);
        return membership.isLost(worker)
                || membership.clockAtLeaving(worker) < Long.MAX_VALUE
                || !membership.attendance().seat(node).place().endpoint().equals(going.get(node));
    }
}
