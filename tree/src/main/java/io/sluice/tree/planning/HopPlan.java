package io.sluice.tree.planning;

import io.sluice.tree.BroadcastTree;
import io.sluice.tree.Hop;
import io.sluice.tree.Place;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * From sites to nodes: the hops that relays open for a {@link RelayTree}.
 *
 * <p>One worker of a site, another one for each shard, takes the network's copy and passes it on: to the workers beside
 * it, over one log of shared memory that they all read in place, and to the next sites. Workers beside the server read
 * its log.
 */
public final class HopPlan {
    private final BroadcastJob job;
    private final RelayTree tree;
    private final boolean sharedMemory;
    private final List<Hop> hops = new ArrayList<>();
    private final Map<Integer, List<Place>> bySite = new LinkedHashMap<>();

    private HopPlan(BroadcastJob job, RelayTree tree, List<Place> workers, boolean sharedMemory) {
        this.job = job;
        this.tree = tree;
        this.sharedMemory = sharedMemory;
        Map<String, Integer> sites = new LinkedHashMap<>();
        for (int site = 0; site < job.sites(); site++) {
            sites.put(job.name(site), site);
        }
        for (Place worker : workers) {
            Integer site = sites.get(worker.host());
            if (site == null) {
                throw new IllegalArgumentException(
                        "node " + worker.node() + " is at host '" + worker.host() + "', which is not in the plan");
            }
            bySite.computeIfAbsent(site, _ -> new ArrayList<>()).add(worker);
        }
    }

    /**
     * The hops of one tree.
     *
     * @param job          that was planned
     * @param tree         of the plan
     * @param server       whose shard it carries
     * @param workers      all, in ascending order of node id; their hosts are those of the job
     * @param sharedMemory whether nodes of one host may use shared memory; if not, they are reached by UDP
     * @return the same for every caller; a parent's hops before its children's
     * @throws IllegalArgumentException if a worker is at a host that is not in the job
     */
    public static BroadcastTree of(
            BroadcastJob job, RelayTree tree, Place server, List<Place> workers, boolean sharedMemory) {
        HopPlan plan = new HopPlan(job, tree, workers, sharedMemory);
        plan.within(server.node(), plan.bySite.getOrDefault(tree.root(), List.of()));
        plan.onward(tree.root(), server.node());
        for (int place = 1; place < tree.size(); place++) {
            int site = tree.order(place);
            Place head = plan.head(site);
            List<Place> others = plan.bySite.get(site).stream()
                    .filter(worker -> worker.node() != head.node())
                    .toList();
            plan.within(head.node(), others);
            plan.onward(site, head.node());
        }
        return new BroadcastTree(server.node(), plan.hops);
    }

    private Place head(int site) {
        List<Place> workers = bySite.get(site);
        if (workers == null) {
            throw new IllegalArgumentException("no worker is at host '" + job.name(site) + "', which the plan reaches");
        }
        return workers.get(tree.shard() % workers.size());
    }

    private void within(int from, List<Place> workers) {
        if (sharedMemory && !workers.isEmpty()) {
            hops.add(new Hop(from, workers.stream().map(Place::node).toList(), true, ""));
        } else {
            workers.forEach(worker -> hops.add(new Hop(from, List.of(worker.node()), false, worker.endpoint())));
        }
    }

    private void onward(int site, int from) {
        for (int i = 0; i < tree.degree(site); i++) {
            Place next = head(tree.child(site, i));
            hops.add(new Hop(from, List.of(next.node()), false, next.endpoint()));
        }
    }
}
