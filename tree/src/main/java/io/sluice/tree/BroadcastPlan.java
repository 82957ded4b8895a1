package io.sluice.tree;

import io.sluice.tree.spi.BroadcastJob;
import io.sluice.tree.spi.RelayTree;
import io.sluice.tree.spi.TreePlanner;
import io.sluice.tree.topology.Topology;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Derives the hops of a cluster's broadcasts from a planner's trees.
 *
 * <p>A planner works on sites: hosts, or single nodes if these do not share memory. Here each site gets a node that
 * sends for it: the server at its own site, elsewhere the worker with the lowest number. This node relays if the site
 * has children or several workers: it sends to each child's site over the network, and into one log in shared memory
 * for the workers of its site, itself among them. A worker that is alone at a site without children receives directly
 * from its parent.
 */
public final class BroadcastPlan {
    /** Seed of randomised planners, such as {@code p3}: every node has to compute the same plan. */
    private static final long SEED = 1;

    private final boolean sharedMemory;
    private final Map<Integer, String> endpoints = new HashMap<>();
    private final Map<String, List<Integer>> workersAt = new LinkedHashMap<>();
    private final BroadcastJob job;

    private BroadcastPlan(
            List<Place> servers,
            List<Place> workers,
            boolean sharedMemory,
            long[] shardBytes,
            int frameBytes,
            SiteNetwork network) {
        this.sharedMemory = sharedMemory;
        for (Place worker : workers) {
            endpoints.put(worker.node(), worker.endpoint());
            workersAt
                    .computeIfAbsent(worker.site(sharedMemory), name -> new ArrayList<>())
                    .add(worker.node());
        }
        Map<String, Place> sites = new LinkedHashMap<>();
        servers.forEach(server -> sites.putIfAbsent(server.site(sharedMemory), server));
        workers.forEach(worker -> sites.putIfAbsent(worker.site(sharedMemory), worker));
        Topology topology = network.between(sites);
        this.job = new BroadcastJob(
                        topology, hosts(topology, servers), hosts(topology, workers), shardBytes, frameBytes, SEED)
                .withPushes();
    }

    private int[] hosts(Topology topology, List<Place> places) {
        return places.stream()
                .map(this::atSite)
                .mapToInt(place -> topology.host(place.host()))
                .toArray();
    }

    /**
     * Plans the broadcasts of all servers, which they send while workers push.
     *
     * @param planner      planner of the trees
     * @param servers      servers in order of index
     * @param workers      workers in ascending order of node id
     * @param sharedMemory whether nodes of one host may use shared memory; if not, they send to each other by UDP
     * @param shardBytes   bytes of each server
     * @param frameBytes   bytes of the longest frame
     * @param network      network between the hosts
     * @return one tree or more for each server, in the order of the servers
     * @throws IllegalArgumentException if the planner cannot keep its limits, or the network does not have the host of
     *     a node
     */
    public static List<BroadcastTree> of(
            TreePlanner planner,
            List<Place> servers,
            List<Place> workers,
            boolean sharedMemory,
            long[] shardBytes,
            int frameBytes,
            SiteNetwork network) {
        BroadcastPlan plan = new BroadcastPlan(servers, workers, sharedMemory, shardBytes, frameBytes, network);
        return planner.plan(plan.job).trees().stream()
                .sorted(Comparator.comparingInt(RelayTree::shard))
                .map(tree -> plan.hops(servers.get(tree.shard()), tree))
                .toList();
    }

    private Place atSite(Place place) {
        return new Place(place.node(), place.site(sharedMemory), place.endpoint());
    }

    private BroadcastTree hops(Place server, RelayTree tree) {
        List<Hop> hops = new ArrayList<>();
        for (int i = 0; i < tree.size(); i++) {
            int site = tree.order(i);
            List<Integer> here = workersAt.getOrDefault(job.name(site), List.of());
            boolean root = site == tree.root();
            int sender = root ? server.node() : here.getFirst();
            for (int child = 0; child < tree.degree(site); child++) {
                int receiver = workersAt.get(job.name(tree.child(site, child))).getFirst();
                hops.add(new Hop(sender, List.of(receiver), false, endpoints.get(receiver)));
            }
            if (!here.isEmpty() && (root || tree.degree(site) > 0 || here.size() > 1)) {
                hops.add(new Hop(sender, here, true, ""));
            }
        }
        return new BroadcastTree(server.node(), tree.bytes(), hops);
    }
}
