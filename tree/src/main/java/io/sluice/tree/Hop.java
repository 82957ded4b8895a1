package io.sluice.tree;

import java.util.List;

/**
 * One publication of a broadcast: every frame that {@code from} sends on it reaches each of {@code to}.
 *
 * <p>A shared-memory hop has one log that all receivers of a host read in place, regardless of their number. A UDP hop
 * has exactly one receiver.
 *
 * @param from         sending node
 * @param to           receiving nodes, in ascending order, at least one
 * @param sharedMemory whether the hop stays within one host's shared memory
 * @param endpoint     {@code host:port} of the receiver; empty for a shared-memory hop
 */
public record Hop(int from, List<Integer> to, boolean sharedMemory, String endpoint) {

    /** Copies {@code to} and refuses a hop without receivers, or to several nodes by UDP. */
    public Hop {
        to = List.copyOf(to);
        if (to.isEmpty() || (!sharedMemory && to.size() != 1)) {
            throw new IllegalArgumentException("a hop from node " + from + " over "
                    + (sharedMemory ? "shared memory needs receivers" : "UDP needs exactly one receiver") + ", got "
                    + to);
        }
    }
}
