package io.sluice.tree;

import io.sluice.tree.spi.TreePlanner;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Changes the broadcast trees with few new hops when receivers die, leave, join or are demoted.
 *
 * <p>{@link #without} removes a receiver that is dead or leaves: only hops from and to it change. Its children, the
 * orphans, are adopted one by one, those of the longest trees first. Adopters are nodes that send in the same tree
 * already and can be reached without the orphan. They are chosen as plans are: first by the planner's limits, then by
 * time, then cost, then depth. The time is how long one broadcast of all trees would keep the busiest link between
 * adopter and orphan busy; differences below half a percent are ignored. Of equally good adopters, the removed node's
 * parent is chosen, or otherwise the lowest number. An orphan that relays keeps its subtree. Workers of the removed
 * node's host that shared its copy each get a copy over the network.
 *
 * <p>No tree gets deeper than H. A node gets more than T children only if all senders of the tree within the depth
 * limit have T: leaves do not become relays, and other nodes keep their parents.
 *
 * <p>So no link that leads to an orphan is busy for longer than F + W / w, plus half a percent. F is the time of the
 * busiest link without the dead node, and W all bytes that the dead node sent. An orphan uses the adopter to which its
 * path is widest; w is the rate of the narrowest link on those paths. With equal uplinks the bound is at most twice the
 * time of the plan.
 *
 * <p>{@link #with} adds a worker: only hops to it are new. It shares the copy of its host if a node there, or the root,
 * forwards one in shared memory; otherwise it is adopted like an orphan without a subtree, in the longest trees first.
 * It is a leaf and stays one, because leaves do not become relays.
 *
 * <p>{@link #demote} makes a worker forward nothing over the network: its children are adopted as if it were dead, and
 * it adopts no node later. It keeps its parents, and its log in shared memory for itself and the workers of its host.
 *
 * <p>The result depends only on the trees, the network and the order of changes, so all nodes compute the same trees.
 * For one thread.
 */
public final class TreeRepair {
    /** Maximum difference, as a share, between the times of adopters that count as equally fast. */
    private static final double SAME_TIME = 0.005;

    private final List<Place> servers;
    private final boolean sharedMemory;
    private final SiteNetwork network;
    private final TreePlanner.Limits limits;

    /** The workers by node id. */
    private final Map<Integer, Place> workers = new LinkedHashMap<>();

    /** The workers that forward nothing over the network. */
    private final Set<Integer> demoted = new HashSet<>();

    /** The loads of all links; null before the first change, since places may still be empty. */
    private LinkLoads loads;

    /**
     * Prepares to repair trees whose nodes each have an uplink of the same rate and whose planner has no limits.
     *
     * @param workers all workers
     */
    public TreeRepair(List<Place> workers) {
        this(List.of(), workers, false, SiteNetwork.equal(1e9), TreePlanner.Limits.NONE);
    }

    /**
     * Prepares to repair trees.
     *
     * @param servers      all servers, the roots of the trees; if empty, each root is at a host of its own
     * @param workers      all workers
     * @param sharedMemory whether nodes of one host may use shared memory, as for {@link BroadcastPlan#of}
     * @param network      network between the hosts
     * @param limits       limits of the planner that made the trees
     */
    public TreeRepair(
            List<Place> servers,
            List<Place> workers,
            boolean sharedMemory,
            SiteNetwork network,
            TreePlanner.Limits limits) {
        this.servers = servers;
        this.sharedMemory = sharedMemory;
        this.network = network;
        this.limits = limits;
        workers.forEach(worker -> this.workers.put(worker.node(), worker));
    }

    /**
     * Removes a worker from the trees.
     *
     * @param trees trees of all servers, as they are now
     * @param dead  node id of a worker that died or left
     * @return the trees, in the same order; a tree that does not reach the dead worker is unchanged
     */
    public List<BroadcastTree> without(List<BroadcastTree> trees, int dead) {
        return adopted(
                trees, trees.stream().map(tree -> CutTree.without(tree, dead)).toList());
    }

    /**
     * Makes a worker forward nothing over the network for good.
     *
     * @param trees trees of all servers, as they are now
     * @param node  node id of a worker
     * @return the trees, in the same order
     */
    public List<BroadcastTree> demote(List<BroadcastTree> trees, int node) {
        demoted.add(node);
        return adopted(
                trees, trees.stream().map(tree -> CutTree.withLeaf(tree, node)).toList());
    }

    /**
     * Predicts what the demotion of a worker would gain. Its uplink now takes some time to forward one broadcast of all
     * trees. After the demotion, a broadcast takes at least as long as its busiest link.
     *
     * @param trees trees of all servers, as they are now
     * @param node  node id of a worker
     * @param share rate at which its uplink forwards, as a share of its rate in the network
     * @return the second time over the first; infinite if the worker forwards nothing
     */
    public double timeIfDemoted(List<BroadcastTree> trees, int node, double share) {
        double bytes = trees.stream()
                .mapToDouble(tree -> tree.bytes()
                        * tree.from(node).stream()
                                .filter(hop -> !hop.sharedMemory())
                                .count())
                .sum();
        boolean isNew = demoted.add(node);
        adopted(trees, trees.stream().map(tree -> CutTree.withLeaf(tree, node)).toList());
        if (isNew) {
            demoted.remove(node);
        }
        return loads.busiestSeconds() / (bytes / (share * loads.uplink(node)));
    }

    /**
     * Rate of a worker's uplink in the network.
     *
     * @param trees trees of all servers, as they are now
     * @param node  node id of a worker
     * @return bytes per second
     */
    public double uplink(List<BroadcastTree> trees, int node) {
        count(trees, List.of());
        return loads.uplink(node);
    }

    private List<BroadcastTree> adopted(List<BroadcastTree> trees, List<CutTree> cut) {
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
     * Adds a new worker to the trees.
     *
     * @param trees    trees of all servers, as they are now
     * @param newcomer worker that no tree reaches yet; its node id may be that of a former worker
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
        workers.keySet().retainAll(reached(trees)); // skips workers that have left
        workers.put(node, newcomer);
        demoted.remove(node);
        loads = null;
        List<CutTree> open = trees.stream().map(CutTree::whole).toList();
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

    /** Counts the load of each link without the hops that are cut. */
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

    /**
     * The orphans of the trees that carry the most bytes first; among equal trees, those with the deepest subtrees
     * first, because shallow ones fit anywhere.
     */
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
                .filter(sender -> !demoted.contains(sender))
                .filter(sender -> limits.allowsDepth(tree.depth(sender) + 1 + orphan.height()))
                .map(sender -> new Adopter(
                        sender,
                        limits.excess(tree.degree(sender) + 1),
                        loads.secondsWith(sender, orphan.node(), tree.bytes()),
                        loads.cost(sender, orphan.node()),
                        tree.depth(sender)))
                .toList();
        int excess = candidates.stream()
                .mapToInt(Adopter::excess)
                .min()
                .orElseThrow(); // the root always qualifies: its depth is 0
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
