package io.sluice.perf.failure;

import io.sluice.codecs.Frame;
import io.sluice.consistency.policy.Policies;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.tree.BroadcastPlan;
import io.sluice.tree.BroadcastTree;
import io.sluice.tree.Hop;
import io.sluice.tree.Place;
import java.util.BitSet;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The worker that is killed, and its descendants in the tree, by index.
 *
 * @param victim the worker with the most descendants, but not all other workers
 */
record Subtree(int victim, BitSet orphans) {

    /**
     * Computes the subtree of a plan with one server.
     *
     * @throws IllegalArgumentException if no worker has some of the others as descendants
     */
    static Subtree of(RepairPlan plan) {
        List<Place> workers = IntStream.rangeClosed(1, plan.workers())
                .mapToObj(node -> new Place(node, "worker", "127.0.0.1:" + node))
                .toList();
        return of(plan, List.of(new Place(0, "server", "127.0.0.1:0")), workers);
    }

    /** The same for given addresses of nodes. */
    static Subtree of(RepairPlan plan, List<Place> servers, List<Place> workers) {
        ClusterSettings terms = plan.terms("bsp");
        BroadcastTree tree = BroadcastPlan.of(
                        Policies.planner(terms),
                        servers,
                        workers,
                        false,
                        new long[] {(long) plan.params() * Float.BYTES},
                        Frame.DATA_LENGTH + terms.sliceElements() * Float.BYTES,
                        Policies.network(terms))
                .getFirst();
        Subtree most = null;
        for (int worker = 0; worker < workers.size(); worker++) {
            BitSet behind = new BitSet();
            addBehind(tree, workers, worker, behind);
            boolean some = !behind.isEmpty() && behind.cardinality() < workers.size() - 1;
            if (some && (most == null || behind.cardinality() > most.orphans.cardinality())) {
                most = new Subtree(worker, behind);
            }
        }
        if (most == null) {
            throw new IllegalArgumentException("--tree is " + plan.tree() + " and --workers " + plan.workers()
                    + ", expected a tree in which a worker relays to some of the others, but not to all");
        }
        return most;
    }

    private static void addBehind(BroadcastTree tree, List<Place> workers, int worker, BitSet behind) {
        for (Hop hop : tree.from(workers.get(worker).node())) {
            for (int other = 0; other < workers.size(); other++) {
                if (other != worker && hop.to().contains(workers.get(other).node())) {
                    behind.set(other);
                    addBehind(tree, workers, other, behind);
                }
            }
        }
    }
}
