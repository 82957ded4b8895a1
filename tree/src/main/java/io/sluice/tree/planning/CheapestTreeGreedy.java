package io.sluice.tree.planning;

import io.sluice.tree.spi.BroadcastJob;
import io.sluice.tree.spi.RelayTree;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * First tree of {@link CheapestTreePlanner}: one site below each aggregation switch is reached, then one in each rack,
 * then chains inside the racks as far as depth allows. It tries different numbers of switches to which the tree leads
 * from one switch.
 *
 * <p>Every order of attaching sites is feasible as long as a full tree can hold all of them.
 */
final class CheapestTreeGreedy {
    private static final int WIDEST = 5;

    private final BroadcastJob job;
    private final SiteCosts costs;
    private final int most;
    private final int deepest;
    private final Map<Integer, Map<Integer, List<Integer>>> pods = new LinkedHashMap<>();
    private SharedTree tree;
    private Map<Integer, Deque<Integer>> racks;
    private List<Integer> reached;
    private int firstWithRoom;

    CheapestTreeGreedy(BroadcastJob job, SiteCosts costs, int most, int deepest) {
        this.job = job;
        this.costs = costs;
        this.most = most;
        this.deepest = deepest;
        for (int site = 0; site < job.sites(); site++) {
            if (job.hasWorkers(site)) {
                pods.computeIfAbsent(costs.aggregation(site), _ -> new LinkedHashMap<>())
                        .computeIfAbsent(costs.edge(site), _ -> new ArrayList<>())
                        .add(site);
            }
        }
    }

    /** Builds with each pair of widths and keeps the best tree. */
    SharedTree build(double leafPenalty) {
        SharedTree best = level();
        double least = best.objective(costs, leafPenalty);
        for (int podWidth = 1; podWidth <= Math.min(most, WIDEST); podWidth++) {
            for (int rackWidth = 1; rackWidth <= Math.min(most, WIDEST); rackWidth++) {
                SharedTree other = build(podWidth, rackWidth);
                double objective = other.objective(costs, leafPenalty);
                if (objective < least) {
                    best = other;
                    least = objective;
                }
            }
        }
        return best;
    }

    /** Builds the tree level by level, as {@link SharedPlanner} does. */
    private SharedTree level() {
        SharedTree level = new SharedTree(job, most, deepest);
        int[] members = level.members();
        for (int i = 0; i < members.length; i++) {
            level.attach(members[i], i < most ? level.root() : members[i / most - 1]);
        }
        return level;
    }

    private SharedTree build(int podWidth, int rackWidth) {
        tree = new SharedTree(job, most, deepest);
        racks = new LinkedHashMap<>();
        reached = new ArrayList<>(List.of(tree.root()));
        firstWithRoom = 0;
        Entrances podGates = new Entrances(podWidth);
        podGates.add(tree.root());
        for (Map<Integer, List<Integer>> pod : pods.values()) {
            int entry = cheapest(pod);
            attach(entry, podGates.next());
            podGates.add(entry);
        }
        for (Map<Integer, List<Integer>> pod : pods.values()) {
            Entrances rackGates = new Entrances(rackWidth);
            for (List<Integer> rack : pod.values()) {
                rack.stream().filter(tree::isReached).forEach(rackGates::add);
            }
            for (List<Integer> rack : pod.values()) {
                if (rack.stream().noneMatch(tree::isReached)) {
                    attach(rack.getFirst(), rackGates.next());
                    rackGates.add(rack.getFirst());
                }
            }
        }
        for (Map<Integer, List<Integer>> pod : pods.values()) {
            pod.forEach(this::fill);
        }
        return tree;
    }

    private int cheapest(Map<Integer, List<Integer>> pod) {
        int best = RelayTree.NONE;
        for (List<Integer> rack : pod.values()) {
            for (int site : rack) {
                if (best == RelayTree.NONE || costs.of(tree.root(), site) < costs.of(tree.root(), best)) {
                    best = site;
                }
            }
        }
        return best;
    }

    /** Reaches the other sites of a rack. */
    private void fill(int edge, List<Integer> rack) {
        for (int site : rack) {
            if (!tree.isReached(site)) {
                Deque<Integer> chain = racks.get(edge);
                while (!chain.isEmpty() && !tree.hasRoom(chain.peek())) {
                    chain.pop();
                }
                attach(site, chain.isEmpty() ? anywhere() : chain.peek());
            }
        }
    }

    private int anywhere() {
        while (!tree.hasRoom(reached.get(firstWithRoom))) {
            firstWithRoom++;
        }
        return reached.get(firstWithRoom);
    }

    private void attach(int site, int parent) {
        tree.attach(site, parent);
        racks.computeIfAbsent(costs.edge(site), _ -> new ArrayDeque<>()).push(site);
        reached.add(site);
    }

    /** Sites from which switches are reached, each with the number of other sites that it serves. */
    private final class Entrances {
        private final int width;
        private final Deque<Integer> sites = new ArrayDeque<>();
        private int given;

        Entrances(int width) {
            this.width = width;
        }

        void add(int site) {
            sites.add(site);
        }

        int next() {
            while (!sites.isEmpty() && (given == width || !tree.hasRoom(sites.peek()))) {
                sites.remove();
                given = 0;
            }
            given++;
            return sites.isEmpty() ? anywhere() : sites.peek();
        }
    }
}
