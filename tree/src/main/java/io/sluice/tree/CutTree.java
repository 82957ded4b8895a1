package io.sluice.tree;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * A broadcast tree during a change: without a dead receiver, or without what a receiver forwards over the network. The
 * orphans have no parent until they are adopted. A tree that did not reach the receiver has no orphans. A new worker
 * too has no parent until it is adopted.
 */
final class CutTree {
    /** Passed as the receiver if no hop is cut. */
    private static final int NO_NODE = -1;

    private final int root;
    private final long bytes;
    private final int parent;
    private final List<Integer> orphans;
    private final Map<Integer, List<Hop>> from = new HashMap<>();

    /** Hops over the network from the root to each sender that it reaches, itself included. */
    private final Map<Integer, Integer> depths = new TreeMap<>();

    private CutTree(BroadcastTree tree, int node, boolean dead) {
        root = tree.root();
        bytes = tree.bytes();
        parent = tree.hops().stream()
                .filter(hop -> hop.from() != node && hop.to().contains(node))
                .mapToInt(Hop::from)
                .findFirst()
                .orElse(root);
        orphans = tree.from(node).stream()
                .filter(hop -> dead || !hop.sharedMemory())
                .flatMap(hop -> hop.to().stream())
                .filter(to -> to != node)
                .toList();
        for (Hop hop : tree.hops()) {
            boolean isCut = hop.from() == node && (dead || !hop.sharedMemory());
            List<Integer> left =
                    dead ? hop.to().stream().filter(to -> to != node).toList() : hop.to();
            if (!isCut && !left.isEmpty()) {
                boolean same = left.size() == hop.to().size();
                add(same ? hop : new Hop(hop.from(), left, hop.sharedMemory(), hop.endpoint()));
            }
        }
        reach(root, 0);
    }

    /** Cuts no hop. */
    static CutTree whole(BroadcastTree tree) {
        return new CutTree(tree, NO_NODE, false);
    }

    /** Cuts all hops from and to a dead receiver. */
    static CutTree without(BroadcastTree tree, int dead) {
        return new CutTree(tree, dead, true);
    }

    /** Cuts the hops over the network from a receiver. */
    static CutTree withLeaf(BroadcastTree tree, int leaf) {
        return new CutTree(tree, leaf, false);
    }

    private void add(Hop hop) {
        from.computeIfAbsent(hop.from(), _ -> new ArrayList<>()).add(hop);
    }

    /** Records the senders below a node that the root reaches. */
    private void reach(int node, int depth) {
        if (node == root || from.containsKey(node)) {
            depths.put(node, depth);
        }
        Deque<Integer> senders = new ArrayDeque<>(List.of(node));
        while (!senders.isEmpty()) {
            int sender = senders.removeFirst();
            for (Hop hop : hops(sender)) {
                int below = depths.get(sender) + (hop.sharedMemory() ? 0 : 1);
                for (int to : hop.to()) {
                    if (to != sender && from.containsKey(to)) {
                        depths.put(to, below);
                        senders.add(to);
                    }
                }
            }
        }
    }

    private List<Hop> hops(int node) {
        return from.getOrDefault(node, List.of());
    }

    /** The server. */
    int root() {
        return root;
    }

    /** Number of bytes that the tree carries. */
    long bytes() {
        return bytes;
    }

    /** The parent of the node whose hops are cut. */
    int parent() {
        return parent;
    }

    /** The children of that node that have lost their parent, in the order of its hops. */
    List<Integer> orphans() {
        return orphans;
    }

    /** All hops, including those of nodes without a parent. */
    List<Hop> hops() {
        return from.values().stream().flatMap(List::stream).toList();
    }

    /** The possible adopters, in ascending order: the root, and nodes that send already and that the root reaches. */
    Set<Integer> senders() {
        return depths.keySet();
    }

    /** Number of hops over the network from the root to one of {@link #senders}. */
    int depth(int sender) {
        return depths.get(sender);
    }

    /** Whether a node forwards in shared memory, even if only to itself. */
    boolean sharesMemory(int sender) {
        return hops(sender).stream().anyMatch(Hop::sharedMemory);
    }

    /**
     * Makes {@code node} read the shared-memory log of {@code sender}, which is on the same host; if the sender has no
     * such log, a hop over shared memory is added.
     */
    void share(int sender, int node) {
        List<Hop> hops = from.computeIfAbsent(sender, _ -> new ArrayList<>());
        for (int i = 0; i < hops.size(); i++) {
            if (hops.get(i).sharedMemory()) {
                List<Integer> to = new ArrayList<>(hops.get(i).to());
                to.add(node);
                to.sort(null);
                hops.set(i, new Hop(sender, to, true, ""));
                return;
            }
        }
        hops.add(new Hop(sender, List.of(node), true, ""));
    }

    /** Number of nodes to which a node sends over the network. */
    int degree(int sender) {
        return (int) hops(sender).stream().filter(hop -> !hop.sharedMemory()).count();
    }

    /** Number of hops over the network from a node to the farthest below it. */
    int height(int node) {
        int height = 0;
        Map<Integer, Integer> below = new HashMap<>(Map.of(node, 0));
        Deque<Integer> nodes = new ArrayDeque<>(List.of(node));
        while (!nodes.isEmpty()) {
            int sender = nodes.removeFirst();
            height = Math.max(height, below.get(sender));
            for (Hop hop : hops(sender)) {
                int depth = below.get(sender) + (hop.sharedMemory() ? 0 : 1);
                hop.to().stream().filter(to -> to != sender).forEach(to -> {
                    below.put(to, depth);
                    nodes.add(to);
                });
            }
        }
        return height;
    }

    /**
     * Attaches an orphan, and all nodes below it, to a node.
     *
     * @param adopter  one of {@link #senders}
     * @param orphan   one of {@link #orphans}, or a new worker
     * @param endpoint endpoint of the orphan
     */
    void adopt(int adopter, int orphan, String endpoint) {
        add(new Hop(adopter, List.of(orphan), false, endpoint));
        if (from.containsKey(orphan)) {
            reach(orphan, depth(adopter) + 1);
        }
    }

    /** Creates the tree, once all orphans are adopted, with a parent's hops before its children's. */
    BroadcastTree tree() {
        List<Hop> hops = new ArrayList<>();
        Deque<Integer> senders = new ArrayDeque<>(List.of(root));
        while (!senders.isEmpty()) {
            int sender = senders.removeFirst();
            for (Hop hop : hops(sender)) {
                hops.add(hop);
                hop.to().stream().filter(node -> node != sender).forEach(senders::add);
            }
        }
        return new BroadcastTree(root, bytes, hops);
    }
}
