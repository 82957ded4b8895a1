package io.sluice.tree;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.Drawn;
import io.sluice.tree.planning.TreePlanners;
import io.sluice.tree.spi.TreePlanner;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Trees in which workers join and leave, in random histories over networks with different links; messages have the
 * seeds.
 */
class TreeGrowthTest {
    private static final int SEEDS = 60;
    private static final int CHANGES = 30;

    /** Largest ratio of the times of two adopters that count as equally fast, with rounding. */
    private static final double TOLERANCE = 1.005 * (1 + 1e-9);

    /** One cluster and its history. */
    private static final class History {
        private final RandomCluster cluster;
        private final TreePlanner planner;
        private final List<Place> first;
        private final List<Place> living;
        private final List<Function<TreeRepair, Function<List<BroadcastTree>, List<BroadcastTree>>>> steps =
                new ArrayList<>();
        private final TreeRepair repair;
        private List<BroadcastTree> trees;

        History(RandomCluster cluster, TreePlanner planner, SplittableRandom random) {
            this.cluster = cluster;
            this.planner = planner;
            this.first = List.copyOf(cluster.workers()
                    .subList(0, random.nextInt(1, cluster.workers().size() + 1)));
            this.living = new ArrayList<>(first);
            this.repair = newRepair();
            this.trees = cluster.planned(planner, first);
        }

        private TreeRepair newRepair() {
            return new TreeRepair(
                    cluster.servers(), first, cluster.shared(), SiteNetwork.of(cluster.topology()), planner.limits());
        }

        void leave(int node) {
            living.removeIf(place -> place.node() == node);
            steps.add(each -> now -> each.without(now, node));
            trees = repair.without(trees, node);
        }

        void join(Place place) {
            living.add(place);
            steps.add(each -> now -> each.with(now, place));
            trees = repair.with(trees, place);
        }

        List<BroadcastTree> again() {
            TreeRepair other = newRepair();
            List<BroadcastTree> now = cluster.planned(planner, first);
            for (Function<TreeRepair, Function<List<BroadcastTree>, List<BroadcastTree>>> step : steps) {
                now = step.apply(other).apply(now);
            }
            return now;
        }
    }

    /** A place that is free, on any host that some node has. */
    private static Place newcomer(RandomCluster cluster, List<Place> living, SplittableRandom random) {
        Set<Integer> taken = living.stream().map(Place::node).collect(Collectors.toSet());
        int node = cluster.servers().size();
        for (int skip = random.nextInt(3); taken.contains(node) || skip > 0; node++) {
            skip -= taken.contains(node) ? 0 : 1;
        }
        return TreeRepairNetworkTest.place(
                node, random.nextInt(cluster.topology().hosts().size()));
    }

    @Drawn
    @ParameterizedTest
    @Tag("slow")
    @ValueSource(
            strings = {
                "auto",
                "chain",
                "rotated:2",
                "rotated:3,6",
                "shared:2",
                "shared:3,5",
                "p3:3,6",
                "stripes",
                "flat"
            })
    void eachChangeIsTheLeastThereCanBe(String name) {
        TreePlanner planner = TreePlanners.named(name);
        for (long seed : Seeds.of(SEEDS)) {
            SplittableRandom random = new SplittableRandom(-seed);
            History history = new History(RandomCluster.of(seed, false), planner, random);
            for (int change = 0; change < CHANGES; change++) {
                List<BroadcastTree> before = history.trees;
                String context = name + ", seed " + seed + ", change " + change + ", before " + before;
                if (history.living.size() > 1 && random.nextInt(5) < 2) {
                    history.leave(history.living
                            .get(random.nextInt(history.living.size()))
                            .node());
                } else {
                    Place joiner = newcomer(history.cluster, history.living, random);
                    history.join(joiner);
                    requireLeast(history, before, joiner, context);
                    assertEquals(
                            hops(before),
                            hops(history.repair.without(history.trees, joiner.node())),
                            "without it again, " + context);
                }
                Set<Integer> there = history.living.stream().map(Place::node).collect(Collectors.toSet());
                history.trees.forEach(tree -> TreeRepairTest.requireSound(tree, there, context));
            }
            assertEquals(history.trees, history.again(), name + ", seed " + seed + ": the same wherever it is done");
        }
    }

    private static List<Set<Hop>> hops(List<BroadcastTree> trees) {
        return trees.stream().map(tree -> Set.copyOf(tree.hops())).toList();
    }

    private static void requireLeast(History history, List<BroadcastTree> before, Place joiner, String context) {
        RandomCluster cluster = history.cluster;
        double bytes = 0;
        double narrowest = Double.POSITIVE_INFINITY;
        for (int i = 0; i < before.size(); i++) {
            BroadcastTree old = before.get(i);
            BroadcastTree now = history.trees.get(i);
            Hop in = now.delivery(joiner.node());
            List<Hop> added = new ArrayList<>(now.hops());
            added.removeAll(old.hops());
            assertEquals(List.of(in), added, "only what leads to it is new, " + context);
            assertTrue(!now.relays(joiner.node()), context);
            boolean couldShare = cluster.shared()
                    && senders(old).stream()
                            .filter(sender -> sender == old.root() || sharesMemory(old, sender))
                            .anyMatch(sender -> place(history, sender).host().equals(joiner.host()));
            assertEquals(couldShare, in.sharedMemory(), context);
            if (!in.sharedMemory()) {
                requireLimits(old, in.from(), history.planner.limits(), context);
                bytes += old.bytes();
                narrowest = Math.min(narrowest, narrowest(history, old, joiner));
            }
        }
        if (cluster.shared() && history.planner.limits().degree() == 0) {
            double most = TOLERANCE * (finish(history, before) + bytes / narrowest);
            double finish = finish(history, history.trees);
            assertTrue(finish <= most, finish + " s, expected up to " + most + ", " + context);
        }
    }

    private static Set<Integer> senders(BroadcastTree tree) {
        Set<Integer> senders = new HashSet<>(Set.of(tree.root()));
        tree.hops().forEach(hop -> senders.add(hop.from()));
        return senders;
    }

    private static boolean sharesMemory(BroadcastTree tree, int node) {
        return tree.from(node).stream().anyMatch(Hop::sharedMemory);
    }

    private static Place place(History history, int node) {
        List<Place> all = new ArrayList<>(history.cluster.servers());
        all.addAll(history.living);
        return all.stream().filter(place -> place.node() == node).findFirst().orElseThrow();
    }

    private static void requireLimits(BroadcastTree before, int parent, TreePlanner.Limits limits, String context) {
        Map<Integer, Integer> depths = TreeRepairNetworkTest.depths(before);
        assertTrue(limits.allowsDepth(depths.get(parent) + 1), "H, " + context);
        if (limits.excess(TreeRepairNetworkTest.degree(before, parent) + 1) > 0) {
            for (int sender : senders(before)) {
                boolean near = limits.allowsDepth(depths.get(sender) + 1);
                int degree = TreeRepairNetworkTest.degree(before, sender);
                assertTrue(!near || degree >= limits.degree(), "T, node " + sender + ", " + context);
            }
        }
    }

    /** The location of workers changes with the history. */
    private static RandomCluster now(History history) {
        List<Place> workers = new ArrayList<>();
        int last = history.living.stream().mapToInt(Place::node).max().orElseThrow();
        for (int node = history.cluster.servers().size(); node <= last; node++) {
            int index = node;
            workers.add(history.living.stream()
                    .filter(place -> place.node() == index)
                    .findFirst()
                    .orElse(TreeRepairNetworkTest.place(node, 0)));
        }
        RandomCluster cluster = history.cluster;
        return new RandomCluster(cluster.servers(), workers, true, cluster.topology(), cluster.bytes());
    }

    private static double finish(History history, List<BroadcastTree> trees) {
        return now(history).finish(trees, -1);
    }

    /** The highest rate, over all senders, of the narrowest link from the sender to a newcomer. */
    private static double narrowest(History history, BroadcastTree tree, Place joiner) {
        return senders(tree).stream()
                .mapToDouble(sender -> now(history).links(sender, joiner.node()).values().stream()
                        .mapToDouble(Double::doubleValue)
                        .min()
                        .orElseThrow())
                .max()
                .orElseThrow();
    }

    @Test
    void aReachedNodeIsNotAddedAgain() {
        List<Place> workers = List.of(new Place(1, "a", "a:1"), new Place(2, "b", "b:1"));
        List<BroadcastTree> trees = List.of(new BroadcastTree(
                0, 100, List.of(new Hop(0, List.of(1), false, "a:1"), new Hop(0, List.of(2), false, "b:1"))));
        TreeRepair repair = new TreeRepair(workers);
        assertThrows(IllegalArgumentException.class, () -> repair.with(trees, workers.getFirst()));
    }

    /** A host without a relay gets another copy: leaves do not become relays. */
    @Test
    void aNewcomerSharesACopyOnlyWhereOneIsHandedOn() {
        Place server = new Place(0, "s", "s:1");
        Place relay = new Place(1, "a", "a:1");
        Place leaf = new Place(2, "b", "b:1");
        BroadcastTree tree = new BroadcastTree(
                0,
                100,
                List.of(
                        new Hop(0, List.of(1), false, "a:1"),
                        new Hop(1, List.of(2), false, "b:1"),
                        new Hop(1, List.of(1), true, "")));
        SiteNetwork network = SiteNetwork.equal(1e9);
        TreeRepair repair =
                new TreeRepair(List.of(server), List.of(relay, leaf), true, network, TreePlanner.Limits.NONE);
        List<BroadcastTree> grown = repair.with(List.of(tree), new Place(3, "a", "a:2"));
        assertEquals(new Hop(1, List.of(1, 3), true, ""), grown.getFirst().delivery(3));
        grown = repair.with(grown, new Place(4, "b", "b:2"));
        assertEquals(new Hop(0, List.of(4), false, "b:2"), grown.getFirst().delivery(4), "as busy as 1, and nearer");
        grown = repair.with(grown, new Place(5, "s", "s:2"));
        assertEquals(new Hop(0, List.of(5), true, ""), grown.getFirst().delivery(5));
        grown = repair.without(grown, 1);
        Hop own = new Hop(0, List.of(3), false, "a:2");
        assertEquals(own, grown.getFirst().delivery(3), "no relay is left there");
    }
}
