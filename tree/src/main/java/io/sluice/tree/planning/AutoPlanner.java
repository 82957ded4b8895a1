package io.sluice.tree.planning;

import io.sluice.tree.spi.BroadcastJob;
import io.sluice.tree.spi.Forest;
import io.sluice.tree.spi.TreePlanner;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/**
 * Plans with each shape, with stripes only if they do not need too many links, and takes the plan with the shortest
 * time by {@link PlanEstimate}, possible delay included. In a job with pushes, it takes of the plans within 1 % of that
 * those with the shortest time without pushes. Of the plans within 1 % it takes the one with the fewest hops, since
 * each hop costs a stream and memory, then the cheapest, then the least deep. It states the reason in the plan.
 *
 * <p>It has no limits: those of a shape only serve to reduce the time, so later changes of its trees minimise the time
 * alone.
 */
public final class AutoPlanner implements TreePlanner {
    private static final double SAME_TIME = 1.01;
    private static final int MANY = 8;

    private record Candidate(Forest plan, PlanEstimate estimate, PlanEstimate alone, long hops) {
        double seconds() {
            return estimate.finishSeconds() + estimate.waitSeconds();
        }

        double secondsAlone() {
            return alone.finishSeconds() + alone.waitSeconds();
        }
    }

    @Override
    public Forest plan(BroadcastJob job) {
        List<Candidate> candidates = new ArrayList<>();
        for (TreePlanner planner : shapes(job)) {
            Forest plan = planner.plan(job);
            long hops = plan.trees().stream().mapToLong(tree -> tree.size() - 1).sum();
            PlanEstimate estimate = PlanEstimate.of(job, plan);
            PlanEstimate alone = job.hasPushes() ? PlanEstimate.of(job.withoutPushes(), plan) : estimate;
            candidates.add(new Candidate(plan, estimate, alone, hops));
        }
        candidates.sort(Comparator.comparingDouble(Candidate::seconds));
        Candidate best = fastest(fastest(candidates, Candidate::seconds), Candidate::secondsAlone).stream()
                .min(Comparator.comparingLong(Candidate::hops)
                        .thenComparingDouble(candidate -> candidate.plan.cost(job))
                        .thenComparingInt(candidate -> candidate.plan.depth()))
                .orElseThrow();
        return new Forest(best.plan.strategy(), reason(best, candidates), best.plan.trees());
    }

    private static List<Candidate> fastest(List<Candidate> candidates, ToDoubleFunction<Candidate> seconds) {
        double least = candidates.stream().mapToDouble(seconds).min().orElseThrow();
        return candidates.stream()
                .filter(candidate -> seconds.applyAsDouble(candidate) <= least * SAME_TIME)
                .toList();
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

    private static String reason(Candidate best, List<Candidate> candidates) {
        String others = candidates.stream()
                .filter(candidate -> candidate != best)
                .map(candidate -> candidate.plan.strategy() + " " + seconds(candidate.seconds()))
                .collect(Collectors.joining(", "));
        return best.plan.strategy() + " takes " + seconds(best.seconds()) + ": " + seconds(best.estimate.linkSeconds())
                + " for the " + best.estimate.link() + " and " + seconds(best.estimate.fillSeconds())
                + " for a frame to the last host, " + best.plan.depth() + " hops away" + waits(best)
                + (best.estimate == best.alone ? "" : "; without pushes " + seconds(best.secondsAlone())) + "; "
                + others;
    }

    private static String waits(Candidate best) {
        double waits = best.estimate.waitSeconds();
        return waits > 0 ? ", and up to " + seconds(waits) + " behind other trees" : "";
    }

    private static String seconds(double seconds) {
        return String.format(Locale.ROOT, seconds < 1 ? "%.3g s" : "%.3f s", seconds);
    }

    @Override
    public String name() {
        return "auto";
    }
}
