package io.sluice.tree;

import java.util.List;

/**
 * The hops by which frames of one root reach every receiver exactly once: all frames of the root, or those on one of
 * its routes.
 *
 * @param root the server whose shard, or part of it, this tree carries
 * @param bytes bytes of the shard that it carries
 * @param hops all hops, a parent's before its children's
 */
public record BroadcastTree(int root, long bytes, List<Hop> hops) {

    /** Copies {@code hops}. */
    public BroadcastTree {
        hops = List.copyOf(hops);
    }

    /**
     * The hops on which a node sends.
     *
     * @param node any node of the tree
     * @return its hops in plan order; empty for a leaf
     */
    public List<Hop> from(int node) {
        return hops.stream().filter(hop -> hop.from() == node).toList();
    }

    /**
     * Whether a node relays what it receives.
     *
     * @param node any node of the tree
     * @return true if it has hops, and is not the root
     */
    public boolean relays(int node) {
        return node != root && hops.stream().anyMatch(hop -> hop.from() == node);
    }

    /**
     * Whether a node receives what this tree carries.
     *
     * @param node any node
     * @return true if a hop leads to it
     */
    public boolean reaches(int node) {
        return hops.stream().anyMatch(hop -> hop.to().contains(node));
    }

    /**
     * The node from which a node receives, other than itself.
     *
     * @param node a receiver
     * @return node id
     * @throws IllegalArgumentException if the tree does not reach the node
     */
    public int parent(int node) {
        return hops.stream()
                .filter(hop -> hop.from() != node && hop.to().contains(node))
                .mapToInt(Hop::from)
                .findFirst()
                .orElseThrow(() -> notReached(node));
    }

    private IllegalArgumentException notReached(int node) {
        return new IllegalArgumentException("the tree of node " + root + " does not reach node " + node);
    }

    /**
     * The hop by which frames of this tree reach the trainer of a node. A relay sends to itself, so this is the last
     * hop to the node.
     *
     * @param node a receiver
     * @return the hop, never {@code null}
     * @throws IllegalArgumentException if the tree does not reach the node
     */
    public Hop delivery(int node) {
        return hops.reversed().stream()
                .filter(hop -> hop.to().contains(node))
                .findFirst()
                .orElseThrow(() -> notReached(node));
    }
}
