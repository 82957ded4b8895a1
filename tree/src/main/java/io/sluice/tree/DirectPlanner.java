package io.sluice.tree;

import java.util.ArrayList;
import java.util.List;

/**
 * The flat broadcast: the root sends to every receiver itself.
 *
 * <p>Receivers on the root's own host share one IPC log, written once and read in place by all. Every other receiver
 * costs the root's uplink a copy of its own, so a broadcast of S bytes to n remote workers takes n * S / B.
 */
public final class DirectPlanner {
    private final boolean sharedMemory;

    /**
     * Creates the planner.
     *
     * @param sharedMemory whether nodes of one host may use shared memory; if not, every receiver is reached by UDP
     */
    public DirectPlanner(boolean sharedMemory) {
        this.sharedMemory = sharedMemory;
    }

    /**
     * Plans the broadcast of one root.
     *
     * @param root      the sending server
     * @param receivers the workers to reach, in ascending order of node id
     * @return the tree, one hop into each receiver
     */
    public BroadcastTree plan(Place root, List<Place> receivers) {
        List<Integer> local = new ArrayList<>();
        List<Hop> hops = new ArrayList<>();
        for (Place receiver : receivers) {
            if (sharedMemory && receiver.host().equals(root.host())) {
                local.add(receiver.node());
            } else {
                hops.add(new Hop(root.node(), List.of(receiver.node()), false, receiver.endpoint()));
            }
        }
        if (!local.isEmpty()) {
            hops.addFirst(new Hop(root.node(), local, true, ""));
        }
        return new BroadcastTree(root.node(), hops);
    }
}
