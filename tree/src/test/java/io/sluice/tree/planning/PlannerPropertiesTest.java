package io.sluice.tree.planning;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.Drawn;
import io.sluice.tree.Seeds;
import io.sluice.tree.spi.BroadcastJob;
import io.sluice.tree.spi.Forest;
import io.sluice.tree.spi.RelayTree;
import io.sluice.tree.spi.TreePlanner;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Properties of every plan over every network. The messages of failures contain the seed. */
class PlannerPropertiesTest {
    private static final int SEEDS = 120;
    private static final double ROUNDING = 1e-9;

    private static BroadcastJob job(long seed) {
        BroadcastJob job = RandomJob.of(seed, seed % 2 == 0, seed % 3 == 0);
        return seed % 5 < 2 ? job.withPushes() : job;
    }

    @Drawn
    @ParameterizedTest
    @ValueSource(
            strings = {"auto", "rotated", "rotated:1", "rotated:4", "chain", "stripes", "flat", "shared:3", "p3:5,9"})
    void everySiteGetsEveryShardExactlyOnce(String strategy) {
        for (long seed : Seeds.of(SEEDS / 4)) {
            BroadcastJob job = job(seed);
            Forest plan = TreePlanners.named(strategy).plan(job);
            long[][] received = new long[job.shards()][job.sites()];
            long[] sent = new long[job.shards()];
            for (RelayTree tree : plan.trees()) {
                boolean[] reached = new boolean[job.sites()];
                reached[tree.root()] = true;
                assertEquals(job.root(tree.shard()), tree.order(0), "seed " + seed);
                for (int place = 1; place < tree.size(); place++) {
                    int site = tree.order(place);
                    assertTrue(reached[tree.parent(site)] && !reached[site], "seed " + seed + ", site " + site);
                    reached[site] = true;
                    received[tree.shard()][site] += tree.bytes();
                }
                sent[tree.shard()] += tree.bytes();
            }
            for (int shard = 0; shard < job.shards(); shard++) {
                assertEquals(job.shardBytes(shard), sent[shard], "seed " + seed);
                for (int site = 0; site < job.sites(); site++) {
                    long wanted = job.receives(shard, site) ? job.shardBytes(shard) : 0;
                    assertEquals(wanted, received[shard][site], "seed " + seed + ", site " + site);
                }
            }
            assertTrue(
                    PlanEstimate.of(job, plan).linkSeconds()
                            >= LowerBound.of(job).seconds() * (1 - ROUNDING),
                    "seed " + seed);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 5})
    void rotatedKeepsToItsLimitsAndIsNotSlowerThanOneTree(int degree) {
        for (long seed : Seeds.of(SEEDS)) {
            BroadcastJob job = job(seed);
            int receivers =
                    IntStream.range(0, job.shards()).map(job::receivers).max().orElse(0);
            int depth = 1;
            while (DepthLimit.reach(degree, depth) < receivers) {
                depth++;
            }
            for (int limit : new int[] {0, depth, depth + 1}) {
                Forest plan = new RotatedPlanner(degree, limit).plan(job);
                String which = "seed " + seed + ", H " + limit;
                assertTrue(plan.degree() <= degree, which);
                assertTrue(limit == 0 || plan.depth() <= limit, which);
                double seconds = PlanEstimate.of(job, plan).finishSeconds();
                Forest shared = new SharedPlanner(degree, limit).plan(job);
                double one = PlanEstimate.of(job, shared).finishSeconds();
                assertTrue(seconds <= one * (1 + RotatedPlanner.SAME_TIME) + ROUNDING, which);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"auto", "rotated", "rotated:4"})
    void aPlanForPushesIsNotSlowerWithThemThanOneWithoutRegardToThem(String strategy) {
        for (long seed : Seeds.of(SEEDS / 2)) {
            BroadcastJob job = RandomJob.of(seed, seed % 2 == 0, seed % 3 == 0);
            BroadcastJob pushing = job.withPushes();
            TreePlanner planner = TreePlanners.named(strategy);
            double with = seconds(PlanEstimate.of(pushing, planner.plan(pushing)), strategy);
            double without = seconds(PlanEstimate.of(pushing, planner.plan(job)), strategy);
            assertTrue(with <= without * 1.01 + ROUNDING, "seed " + seed + ": " + with + " and " + without);
        }
    }

    private static double seconds(PlanEstimate estimate, String strategy) {
        return "auto".equals(strategy) ? estimate.latestSeconds() : estimate.finishSeconds();
    }

    /** With equal links and shards, the busiest uplink exceeds the lower bound by less than one copy of a shard. */
    @Test
    void rotatedExceedsTheLowerBoundByLessThanOneCopy() {
        for (int servers = 1; servers <= 12; servers++) {
            for (int workers = 1; workers <= 60; workers += 7) {
                BroadcastJob job = PlannerGoldenTest.star(servers, workers, 1 << 28);
                PlanEstimate estimate = PlanEstimate.of(job, new RotatedPlanner(2, 0).plan(job));
                double copy = job.shardBytes(0) / job.uplink(0);
                double bound = LowerBound.of(job).seconds();
                String which = servers + " servers, " + workers + " workers";
                assertTrue(estimate.linkSeconds() < bound + copy, which + ": " + estimate + ", bound " + bound);
            }
        }
    }

    @Tag("slow")
    @Test
    void theCheapestTreeKeepsToItsLimitsAndCostsAtMostAsMuchAsTheLevelTree() {
        for (long seed : Seeds.of(SEEDS / 2)) {
            BroadcastJob job = RandomJob.of(seed, false, true);
            int degree = 2 + (int) (seed % 4);
            int depth = 1;
            while (DepthLimit.reach(degree, depth) < job.receivers(0)) {
                depth++;
            }
            CheapestTreePlanner planner = new CheapestTreePlanner(degree, depth, 0.2);
            Forest plan = planner.plan(job);
            assertTrue(plan.degree() <= degree && plan.depth() <= depth, "seed " + seed);
            double objective = planner.objective(job, plan.trees().getFirst());
            Forest level = new SharedPlanner(degree, depth).plan(job);
            assertTrue(objective <= planner.objective(job, level.trees().getFirst()) + ROUNDING, "seed " + seed);
            assertTrue(objective >= planner.bound(job) - ROUNDING, "seed " + seed);
        }
    }

    /** If no server shares a host with a worker, the trees of all servers are one tree with different roots. */
    @Test
    @Tag("slow")
    void theObjectiveOfThePaperDoesNotDependOnTheHostsOfTheServers() {
        for (long seed : Seeds.of(SEEDS / 6)) {
            CheapestTreePlanner planner = new CheapestTreePlanner(4, 0, 0.2);
            BroadcastJob apart = RandomJob.of(seed, false, true);
            RelayTree first = planner.plan(apart).trees().getFirst();
            assertEquals(planner.objective(apart, first), planner.objective(apart), ROUNDING, "seed " + seed);
            BroadcastJob beside = RandomJob.of(seed, true, true);
            assertTrue(planner.objective(beside) >= planner.bound(beside) - ROUNDING, "seed " + seed);
        }
    }

    @Drawn
    @ParameterizedTest
    @ValueSource(strings = {"auto", "rotated:3", "chain", "stripes", "flat", "shared", "p3:5,9"})
    void theSameJobGivesTheSamePlan(String strategy) {
        for (long seed : Seeds.of(SEEDS / 8)) {
            Forest one = TreePlanners.named(strategy).plan(job(seed));
            Forest other = TreePlanners.named(strategy).plan(job(seed));
            assertEquals(one.strategy(), other.strategy(), "seed " + seed);
            assertEquals(one.trees().size(), other.trees().size(), "seed " + seed);
            for (int i = 0; i < one.trees().size(); i++) {
                assertArrayEquals(
                        parents(one.trees().get(i)), parents(other.trees().get(i)), "seed " + seed);
            }
        }
    }

    private static int[] parents(RelayTree tree) {
        int[] parents = new int[tree.size()];
        Arrays.setAll(parents, place -> tree.parent(tree.order(place)));
        return parents;
    }

    private static double latest(BroadcastJob job, Forest plan) {
        return PlanEstimate.of(job, plan).latestSeconds();
    }

    @Test
    void autoChoosesTheFastestShapeAndGivesTheReason() {
        for (long seed : Seeds.of(SEEDS / 4)) {
            BroadcastJob job = job(seed);
            Forest plan = new AutoPlanner().plan(job);
            double seconds = latest(job, plan);
            for (String other : new String[] {"flat", "chain", "rotated:2", "shared:2", "stripes"}) {
                double otherSeconds = latest(job, TreePlanners.named(other).plan(job));
                assertTrue(
                        seconds <= otherSeconds * 1.011,
                        "seed " + seed + ": " + plan.reason() + ", but " + other + " takes " + otherSeconds);
            }
            assertTrue(plan.reason().startsWith(plan.strategy() + " takes "), plan.reason());
        }
    }
}
