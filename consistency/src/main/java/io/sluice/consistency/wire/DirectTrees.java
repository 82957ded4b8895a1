package io.sluice.consistency.wire;

import io.sluice.tree.BroadcastTree;
import io.sluice.tree.Hop;
import io.sluice.tree.Place;
import java.util.ArrayList;
import java.util.List;

/** Trees by which each server reaches each worker itself: one that goes leaves nobody behind who hangs on it. */
final class DirectTrees {
    private DirectTrees() {}

    /**
     * Makes them.
     *
     * @param servers      in order of index
     * @param workers      to reach, in order of index
     * @param sharedMemory whether those of a server's host read one log in shared memory
     * @param shardBytes   that each server's tree carries
     * @return a tree for each server
     */
    static List<BroadcastTree> of(List<Place> servers, List<Place> workers, boolean sharedMemory, long[] shardBytes) {
        List<BroadcastTree> trees = new ArrayList<>();
        for (Place server : servers) {
            List<Integer> near = new ArrayList<>();
            List<Hop> hops = new ArrayList<>();
            for (Place worker : workers) {
                if (sharedMemory && worker.host().equals(server.host())) {
                    near.add(worker.node());
                } else {
                    hops.add(new Hop(server.node(), List.of(worker.node()), false, worker.endpoint()));
                }
            }
            if (!near.isEmpty()) {
                hops.addFirst(new Hop(server.node(), near, true, ""));
            }
            trees.add(new BroadcastTree(server.node(), shardBytes[server.node()], hops));
        }
        return trees;
    }
}
