package io.sluice.tree;

import io.sluice.tree.spi.TreeLimits;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Changes the broadcast trees with few new hops when receivers die, leave or join.
 *
 * <p>{@link #without} removes a receiver that is dead or leaves: only hops from and to it change. Its children, the
 * orphans, are adopted one by one, those of the longest trees first. Adopters are nodes that send in the same tree
 * already and can be reached without the orphan. They are chosen as plans are: first by the planner's limits, then by
 * time, then cost, then depth. The time is for how long the busiest link between adopter and orphan is then busy with
 * one broadcast of all trees; differences below half a percent are ignored. Ties go to the removed node's parent, else
 * to the lowest number. An orphan that relays keeps its subtree. Workers of the removed node's host that shared its
 * copy get a copy over the network each.
 *
 * <p>No tree gets deeper than H. A node gets more than T children only if all senders of the tree that are near enough
 * have T: leaves do not become relays, and other nodes keep their parents.
 *
 * <p>So no link that leads to an orphan is busy for longer than F + W / w, and half a percent: F is for how long the
 * busiest link was without the dead one, W all bytes that it sent, and w the rate of the narrowest link between an
 * orphan and that adopter of those it may have of which this rate is highest. With equal uplinks that is
 * twice the time of the plan at most.
 *
 * <p>{@link #with} adds a worker: only hops to it are new. It shares the copy of its host if a node there, or the root,
 * passes one on in shared memory; otherwise it is adopted as an orphan without a subtree, in the longest trees first.
 * So it is a leaf, and stays one: leaves do not become relays.
 *
 * <p>The result depends only on the trees, the network and the order of changes, so all nodes compute the same trees.
 * For one thread.
 */
public final class TreeRepair {
    /** Share of the time by which adopters may differ and count as equally fast. */
    private static final double SAME_TIME = 0.005;

    private final List<Place> servers;
    private final boolean sharedMemory;
    private final SiteNetwork network;
    private final TreeLimits limits;

    /** By node id. */
    private final Map<Integer, Place> workers = new LinkedHashMap<>();

    /** The loads of all links; null before the first change, since places may still be empty. */
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
        this.sharedMemory = sharedMemory;
        this.network = network;
        this.limits = limits;
        workers.forEach(worker -> this.workers.put(worker.node(), worker));
    }

    /**
     * The trees without a worker.
     *
     * @param trees of all servers, as they are now
     * @param dead  node id of a worker that died or left
     * @return the trees, in the same order; one that does not reach the dead one is unchanged
     */
    public List<BroadcastTree> without(List<BroadcastTree> trees, int dead) {
        List<CutTree> cut = trees.stream().map(tree -> new CutTree(tree, dead)).toList();
        count(trees, cut);
        for (Orphan orphan : orphans(cut)) {
            CutTree tree = orphan.tree();
            int adopter = adopter(orphan);
            tree.adopt(adopter, orphan.node(), workers.get(orphan.node()).endpoint());
            loads.add(adopter, orphan.node(), tree.bytes());
        }
        return cut.stream().map(CutTree::tree).toList();
    }

    /**
     * The trees with a new worker.
     *
     * @param trees    of all servers, as they are now
     * @param newcomer node id that none of them reaches; a former worker may have had it
     * @return the trees, in the same order
     * @throws IllegalArgumentException if a tree reaches it
     */
    public List<BroadcastTree> with(List<BroadcastTree> trees, Place newcomer) {
        int node = newcomer.node();
        for (BroadcastTree tree : trees) {
            if (tree.reaches(node)) {
                throw new IllegalArgumentException(
                        "node " + node + " joins, but the tree of node " + tree.root() + " reaches it already");
            }
        }
        workers.keySet().retainAll(reached(trees)); // others have left
        workers.put(node, newcomer);
        loads = null;
        List<CutTree> open =
                trees.stream().map(tree -> new CutTree(tree, CutTree.NO_NODE)).toList();
        count(trees, open);
        List<CutTree> longestFirst = new ArrayList<>(open);
        longestFirst.sort(Comparator.comparingLong(tree -> -tree.bytes()));
        for (CutTree tree : longestFirst) {
            take(tree, newcomer);
        }
        return open.stream().map(CutTree::tree).toList();
    }

    /** The nodes that the trees reach; every tree reaches the same nodes. */
    private static Set<Integer> reached(List<BroadcastTree> trees) {
        return trees.getFirst().hops().stream()
                .flatMap(hop -> hop.to().stream())
                .collect(Collectors.toSet());
    }

    private void take(CutTree tree, Place newcomer) {
        int node = newcomer.node();
        for (Place server : servers) {
            if (server.node() == tree.root() && isBeside(server, newcomer)) {
                tree.share(tree.root(), node);
                return;
            }
        }
        for (int sender : tree.senders()) {
            if (tree.sharesMemory(sender) && workers.containsKey(sender) && isBeside(workers.get(sender), newcomer)) {
                tree.share(sender, node);
                return;
            }
        }
        int adopter = adopter(new Orphan(tree, node, 0));
        tree.adopt(adopter, node, newcomer.endpoint());
        loads.add(adopter, node, tree.bytes());
    }

    private boolean isBeside(Place one, Place other) {
        return sharedMemory && one.host().equals(other.host());
    }

    /** Counts the load of each link without the dead node. */
    private void count(List<BroadcastTree> trees, List<CutTree> cut) {
        if (loads == null) {
            List<Place> all = List.copyOf(workers.values());
            loads = new LinkLoads(network, servers.isEmpty() ? roots(trees) : servers, all, sharedMemory);
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

    /** The deepest trees first, because shallow ones fit anywhere; then those with the most descendants. */
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

    /** A node without a parent, and the number of hops in its subtree. */
    private record Orphan(CutTree tree, int node, int height) {}

    /** A possible adopter of an orphan, and the result. */
    private record Adopter(int node, int excess, double seconds, double cost, int depth) {}
}
