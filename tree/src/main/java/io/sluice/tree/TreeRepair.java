package io.sluice.tree;

import io.sluice.tree.planning.TreeLimits;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Cuts a dead receiver out of the broadcast trees, with as little change as can be: only hops from and to the dead
 * one change. Those who hung on it, its orphans, are adopted one by one, those of the longest trees first. Adopters are
 * nodes that send in the same tree already and can be reached without the orphan. They are chosen as plans are: first
 * the planner's limits count, then the time, then cost, then depth. The time is for how long the busiest link between
 * adopter and orphan is then busy with one broadcast of all trees; within half a percent it is the same. Of several
 * that are alike it is the dead one's parent, or the one with the lowest number. An orphan that relays keeps what is
 * behind it. Workers of the dead one's host that shared its copy get a copy of the network each.
 *
 * <p>No tree gets deeper than H. Somebody may get more than T children, but only where all who send in the tree, and
 * are near enough, have as many: leaves do not become relays, and others keep their parents.
 *
 * <p>So no link that leads to an orphan is busy for longer than F + W / w, and half a percent: F is for how long the
 * busiest link was without the dead one, W all bytes that it sent, and w the rate of the narrowest link between an
 * orphan and that adopter of those it may have of which this rate is highest. With equal uplinks that is
 * twice the time of the plan at most.
 *
 * <p>Nothing but the trees, the network and the order of deaths decides, so all nodes come to the same trees by
 * themselves. For one thread.
 */
public final class TreeRepair {
    /** Share of the time by which adopters may differ and count as equally fast. */
    private static final double SAME_TIME = 0.005;

    private final List<Place> servers;
    private final List<Place> workers;
    private final boolean sharedMemory;
    private final SiteNetwork network;
    private final TreeLimits limits;
    private final Map<Integer, String> endpoints = new HashMap<>();

    /** Of the last repair; there may be none, and not all places need be filled before the first. */
    private LinkLoads loads;

    /**
     * Prepares to repair trees where every node has an uplink of its own, all of the same rate, and the planner has no
     * limits.
     *
     * @param workers all workers
     */
    public TreeRepair(List<Place> workers) {
        this(List.of(), workers, false, SiteNetwork.equal(1e9), TreeLimits.NONE);
    }

    /**
     * Prepares to repair trees.
     *
     * @param servers      all servers, the roots of the trees; if there are none, roots are at hosts of their own
     * @param workers      all workers
     * @param sharedMemory whether nodes of one host may use shared memory, as for {@link BroadcastPlan#of}
     * @param network      between the hosts
     * @param limits       of the planner that made the trees
     */
    public TreeRepair(
            List<Place> servers, List<Place> workers, boolean sharedMemory, SiteNetwork network, TreeLimits limits) {
        this.servers = servers;
        this.workers = workers;
        this.sharedMemory = sharedMemory;
        this.network = network;
        this.limits = limits;
        workers.forEach(worker -> endpoints.put(worker.node(), worker.endpoint()));
    }

    /**
     * The trees without a worker.
     *
     * @param trees of all servers, as they are now
     * @param dead  node id of a worker
     * @return the trees, in the same order; one that does not reach the dead one is unchanged
     */
    public List<BroadcastTree> without(List<BroadcastTree> trees, int dead) {
        List<CutTree> cut = trees.stream().map(tree -> new CutTree(tree, dead)).toList();
        count(trees, cut);
        for (Orphan orphan : orphans(cut)) {
            CutTree tree = orphan.tree();
            int adopter = adopter(orphan);
            tree.adopt(adopter, orphan.node(), endpoints.get(orphan.node()));
            loads.add(adopter, orphan.node(), tree.bytes());
        }
        return cut.stream().map(CutTree::tree).toList();
    }

    /** What links carry without the dead one. */
    private void count(List<BroadcastTree> trees, List<CutTree> cut) {
        if (loads == null) {
            loads = new LinkLoads(network, servers.isEmpty() ? roots(trees) : servers, workers, sharedMemory);
        }
        loads.clear();
        for (CutTree tree : cut) {
            for (Hop hop : tree.hops()) {
                if (!hop.sharedMemory()) {
                    loads.add(hop.from(), hop.to().getFirst(), tree.bytes());
                }
            }
        }
    }

    private static List<Place> roots(List<BroadcastTree> trees) {
        return trees.stream()
                .map(BroadcastTree::root)
                .distinct()
                .map(root -> new Place(root, "", ""))
                .toList();
    }

    /** The longest trees first, since what is short fits anywhere; then those with most behind them. */
    private static List<Orphan> orphans(List<CutTree> cut) {
        List<Orphan> orphans = new ArrayList<>();
        for (CutTree tree : cut) {
            tree.orphans().forEach(node -> orphans.add(new Orphan(tree, node, tree.height(node))));
        }
        orphans.sort(Comparator.<Orphan>comparingLong(orphan -> -orphan.tree().bytes())
                .thenComparingInt(orphan -> -orphan.height()));
        return orphans;
    }

    private int adopter(Orphan orphan) {
        CutTree tree = orphan.tree();
        List<Adopter> candidates = tree.senders().stream()
                .filter(sender -> limits.allowsDepth(tree.depth(sender) + 1 + orphan.height()))
                .map(sender -> new Adopter(
                        sender,
                        limits.excess(tree.degree(sender) + 1),
                        loads.secondsWith(sender, orphan.node(), tree.bytes()),
                        loads.cost(sender, orphan.node()),
                        tree.depth(sender)))
                .toList();
        int excess = candidates.stream().mapToInt(Adopter::excess).min().orElseThrow(); // the parent is near enough
        double seconds = candidates.stream()
                .filter(candidate -> candidate.excess() == excess)
                .mapToDouble(Adopter::seconds)
                .min()
                .orElseThrow();
        return candidates.stream()
                .filter(candidate -> candidate.excess() == excess && candidate.seconds() <= seconds * (1 + SAME_TIME))
                .min(Comparator.comparingDouble(Adopter::cost)
                        .thenComparingInt(Adopter::depth)
                        .thenComparing(candidate -> candidate.node() != tree.parent())
                        .thenComparingInt(Adopter::node))
                .orElseThrow()
                .node();
    }

    /** Who hangs on nothing, with so many hops behind it. */
    private record Orphan(CutTree tree, int node, int height) {}

    /** Who may take an orphan, and what comes of it. */
    private record Adopter(int node, int excess, double seconds, double cost, int depth) {}
}
