package io.sluice.cli.tree;

import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.annotation.JsonNaming;
import io.sluice.tree.planning.CheapestTreePlanner;
import io.sluice.tree.planning.LowerBound;
import io.sluice.tree.planning.PlanEstimate;
import io.sluice.tree.spi.BroadcastJob;
import io.sluice.tree.spi.Forest;
import io.sluice.tree.spi.RelayTree;
import io.sluice.tree.spi.TreePlanner;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A plan and its figures, for programs.
 *
 * @param strategy       strategy that made the plan
 * @param reason         reason of the choice, if there was one
 * @param hosts          hosts that have servers or workers
 * @param servers        number of servers, one for each shard
 * @param bytes          bytes of all shards
 * @param frameBytes     bytes of a frame
 * @param finishSeconds  predicted seconds until the broadcast ends
 * @param linkSeconds    seconds for which the busiest link is busy
 * @param link           name of the busiest link
 * @param fillSeconds    seconds until the last host has its first frame
 * @param boundSeconds   lower bound on the seconds of any plan
 * @param bound          reason of the bound
 * @param gap            predicted seconds over the bound, less 1
 * @param cost           cost of all hops of all trees
 * @param depth          maximum number of hops from a server to a worker
 * @param children       maximum number of children of a host in one tree
 * @param maxUplinkBytes bytes that one host sends
 * @param objective      objective of the paper's problem P3; {@code null} for other strategies
 * @param objectiveBound lower bound on the objective of any tree
 * @param objectiveGap   objective over bound, less 1
 * @param planSeconds    seconds that planning took
 * @param trees          all trees
 */
@JsonNaming(PropertyNamingStrategies.SnakeCaseStrategy.class)
record PlanReport(
        String strategy,
        String reason,
        int hosts,
        int servers,
        long bytes,
        int frameBytes,
        double finishSeconds,
        double linkSeconds,
        String link,
        double fillSeconds,
        double boundSeconds,
        String bound,
        double gap,
        double cost,
        int depth,
        int children,
        long maxUplinkBytes,
        Double objective,
        Double objectiveBound,
        Double objectiveGap,
        double planSeconds,
        List<Tree> trees) {

    /**
     * One tree.
     *
     * @param shard   shard that the tree carries
     * @param root    host of the server
     * @param bytes   bytes of the shard that use this tree
     * @param parents parents by host, parents before their children
     */
    record Tree(int shard, String root, long bytes, Map<String, String> parents) {}

    static PlanReport of(BroadcastJob job, Forest plan, TreePlanner planner, double planSeconds) {
        PlanEstimate estimate = PlanEstimate.of(job, plan);
        LowerBound bound = LowerBound.of(job);
        Double objective = null;
        Double least = null;
        if (planner instanceof CheapestTreePlanner cheapest) {
            objective = cheapest.objective(job);
            least = cheapest.bound(job);
        }
        List<Tree> trees = new ArrayList<>();
        for (RelayTree tree : plan.trees()) {
            Map<String, String> parents = new LinkedHashMap<>();
            for (int place = 1; place < tree.size(); place++) {
                int site = tree.order(place);
                parents.put(job.name(site), job.name(tree.parent(site)));
            }
            trees.add(new Tree(tree.shard(), job.name(tree.root()), tree.bytes(), parents));
        }
        return new PlanReport(
                plan.strategy(),
                plan.reason(),
                job.sites(),
                job.shards(),
                job.bytes(),
                job.frameBytes(),
                estimate.finishSeconds(),
                estimate.linkSeconds(),
                estimate.link(),
                estimate.fillSeconds(),
                bound.seconds(),
                bound.reason(),
                gap(estimate.finishSeconds(), bound.seconds()),
                plan.cost(job),
                plan.depth(),
                plan.degree(),
                estimate.maxUplinkBytes(),
                objective,
                least,
                objective == null ? null : gap(objective, least),
                planSeconds,
                trees);
    }

    private static double gap(double value, double bound) {
        return bound > 0 ? value / bound - 1 : 0;
    }
}
