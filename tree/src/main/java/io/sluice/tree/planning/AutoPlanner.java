package io.sluice.tree.planning;

import io.sluice.tree.spi.BroadcastJob;
import io.sluice.tree.spi.Forest;
import io.sluice.tree.spi.TreePlanner;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * Plans with each shape, and with stripes only if they do not need too many links. It takes the plan with the shortest
 * time by {@link PlanEstimate}, possible delay included. In a job with pushes, it then takes, of the plans within 1 %
 * of that time, those with the shortest time without pushes. Of the plans within 1 % of that, it takes the one with the
 * fewest hops, since each hop costs a stream and memory, then the cheapest, then the shallowest. It states the reason
 * in the plan.
 *
 * <p>It has no limits: the limits of a shape only serve to reduce the time, so later changes of its trees minimise only
 * the time.
 */
public final class AutoPlanner implements TreePlanner {
    private static final double SAME_TIME = 0.01;
    private static final int MANY = 8;

    @Override
    public Forest plan(BroadcastJob job) {
        List<PlanChoice> candidates = shapes(job).stream()
                .map(planner -> PlanChoice.of(job, planner.plan(job)))
                .sorted(Comparator.comparingDouble(AutoPlanner::latest))
                .toList();
        List<PlanChoice> fastest = PlanChoice.least(candidates, AutoPlanner::latest, SAME_TIME);
        PlanChoice best = PlanChoice.least(fastest, plan -> plan.alone().latestSeconds(), SAME_TIME).stream()
                .min(Comparator.comparingLong(AutoPlanner::hops)
                        .thenComparingDouble(PlanChoice::cost)
                        .thenComparingInt(plan -> plan.forest().depth()))
                .orElseThrow();
        String reason = reason(best, candidates, job.hasPushes());
        return new Forest(best.forest().strategy(), reason, best.forest().trees());
    }

    private static double latest(PlanChoice plan) {
        return plan.estimate().latestSeconds();
    }

    private static long hops(PlanChoice plan) {
        return plan.forest().trees().stream().mapToLong(tree -> tree.size() - 1).sum();
    }

    private static List<TreePlanner> shapes(BroadcastJob job) {
        List<TreePlanner> shapes = new ArrayList<>();
        shapes.add(new FlatPlanner());
        shapes.add(new ChainPlanner());
        shapes.add(new RotatedPlanner(2, 0));
        if (job.shards() > 2) {
            shapes.add(new RotatedPlanner(Math.min(job.shards(), MANY), 0));
        }
        shapes.add(new SharedPlanner(2, 0));
        long links = (long) job.sites() * job.sites() * job.shards();
        if (links <= StripesPlanner.MOST_HOPS) {
            shapes.add(new StripesPlanner());
        }
        return shapes;
    }

    private static String reason(PlanChoice best, List<PlanChoice> candidates, boolean pushes) {
        PlanEstimate estimate = best.estimate();
        String others = candidates.stream()
                .filter(candidate -> candidate != best)
                .map(candidate -> candidate.forest().strategy() + " " + seconds(latest(candidate)))
                .collect(Collectors.joining(", "));
        return best.forest().strategy() + " takes " + seconds(latest(best)) + ": " + seconds(estimate.linkSeconds())
                + " for the " + estimate.link() + " and " + seconds(estimate.fillSeconds())
                + " for a frame to the last host, " + best.forest().depth() + " hops away"
                + (estimate.waitSeconds() > 0
                        ? ", and up to " + seconds(estimate.waitSeconds()) + " behind other trees"
                        : "")
                + (pushes ? "; without pushes " + seconds(best.alone().latestSeconds()) : "") + "; " + others;
    }

    private static String seconds(double seconds) {
        return String.format(Locale.ROOT, seconds < 1 ? "%.3g s" : "%.3f s", seconds);
    }

    @Override
    public String name() {
        return "auto";
    }
}
