package io.sluice.tree;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Cuts a dead receiver out of the broadcast trees, with as little change as can be: only hops from and to the dead
 * one change. Those who hung on it, its orphans, are adopted one by one by the node that sends least, among those
 * that send in the same tree already and can be reached without it: the bytes that a node sends over the network
 * count, over all trees; of several that send as little it is the dead one's parent, or the one with the lowest
 * number. An orphan that relays keeps what is behind it. Workers of the dead one's host that shared its copy get a
 * copy of the network each.
 *
 * <p>Nothing but the trees and the order of deaths decides, so all nodes come to the same trees by themselves.
 */
public final class TreeRepair {
    private final Map<Integer, String> endpoints = new HashMap<>();

    /**
     * Prepares to repair trees.
     *
     * @param workers all workers
     */
    public TreeRepair(List<Place> workers) {
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
        List<BroadcastTree> repaired = new ArrayList<>(trees);
        for (int i = 0; i < trees.size(); i++) {
            repaired.set(i, cut(trees.get(i), dead));
        }
        Map<Integer, Long> loads = loads(repaired);
        for (int i = 0; i < trees.size(); i++) {
            int parent = parent(trees.get(i), dead);
            for (int orphan : orphans(trees.get(i), dead)) {
                int adopter = adopter(repaired.get(i), loads, parent);
                repaired.set(i, adopt(repaired.get(i), adopter, orphan));
                loads.merge(adopter, trees.get(i).bytes(), Long::sum);
            }
        }
        for (int i = 0; i < trees.size(); i++) {
            repaired.set(i, fromTheRoot(repaired.get(i)));
        }
        return List.copyOf(repaired);
    }

    private static BroadcastTree cut(BroadcastTree tree, int dead) {
        List<Hop> hops = new ArrayList<>();
        for (Hop hop : tree.hops()) {
            List<Integer> left = hop.to().stream().filter(node -> node != dead).toList();
            if (hop.from() != dead && !left.isEmpty()) {
                hops.add(
                        left.size() == hop.to().size()
                                ? hop
                                : new Hop(hop.from(), left, hop.sharedMemory(), hop.endpoint()));
            }
        }
        return new BroadcastTree(tree.root(), tree.bytes(), hops);
    }

    private static int parent(BroadcastTree tree, int dead) {
        return tree.hops().stream()
                .filter(hop -> hop.from() != dead && hop.to().contains(dead))
                .mapToInt(Hop::from)
                .findFirst()
                .orElse(tree.root());
    }

    private static List<Integer> orphans(BroadcastTree tree, int dead) {
        return tree.from(dead).stream()
                .flatMap(hop -> hop.to().stream())
                .filter(node -> node != dead)
                .toList();
    }

    /** Bytes that each node sends over the network for one broadcast of all trees; none for those not in it. */
    private static Map<Integer, Long> loads(List<BroadcastTree> trees) {
        Map<Integer, Long> loads = new HashMap<>();
        for (BroadcastTree tree : trees) {
            for (Hop hop : tree.hops()) {
                loads.merge(hop.from(), hop.sharedMemory() ? 0 : tree.bytes(), Long::sum);
            }
        }
        return loads;
    }

    private static int adopter(BroadcastTree tree, Map<Integer, Long> loads, int parent) {
        Set<Integer> senders = new HashSet<>();
        fromTheRoot(tree).hops().forEach(hop -> senders.add(hop.from()));
        return senders.stream()
                .min(Comparator.<Integer>comparingLong(node -> loads.getOrDefault(node, 0L))
                        .thenComparing(node -> node != parent)
                        .thenComparing(node -> node))
                .orElse(tree.root()); // to whom nobody is left
    }

    private BroadcastTree adopt(BroadcastTree tree, int adopter, int orphan) {
        List<Hop> hops = new ArrayList<>(tree.hops());
        hops.add(new Hop(adopter, List.of(orphan), false, endpoints.get(orphan)));
        return new BroadcastTree(tree.root(), tree.bytes(), hops);
    }

    /** The same hops with a parent's before its children's, without any that the root does not reach. */
    private static BroadcastTree fromTheRoot(BroadcastTree tree) {
        Map<Integer, List<Hop>> from = new HashMap<>();
        tree.hops()
                .forEach(hop -> from.computeIfAbsent(hop.from(), node -> new ArrayList<>())
                        .add(hop));
        List<Hop> hops = new ArrayList<>();
        Deque<Integer> senders = new ArrayDeque<>(List.of(tree.root()));
        while (!senders.isEmpty()) {
            int sender = senders.removeFirst();
            for (Hop hop : from.getOrDefault(sender, List.of())) {
                hops.add(hop);
                hop.to().stream().filter(node -> node != sender).forEach(senders::add);
            }
        }
        return new BroadcastTree(tree.root(), tree.bytes(), hops);
    }
}
