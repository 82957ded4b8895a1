package io.sluice.tree;

import java.util.List;

/**
 * Decides who passes a root's frames to whom.
 *
 * <p>A plan is a pure function of its arguments: every node of the cluster computes it for itself and all arrive at the
 * same one. Implementations must reach each receiver exactly once.
 */
public interface TreePlanner {

    /**
     * Plans the broadcast of one root.
     *
     * @param root      the sending server
     * @param receivers the workers to reach, in ascending order of node id
     * @return the tree, one hop into each receiver
     */
    BroadcastTree plan(Place root, List<Place> receivers);

    /**
     * Name of the strategy, as it is written on a command line.
     *
     * @return a short lower-case word
     */
    String name();
}
