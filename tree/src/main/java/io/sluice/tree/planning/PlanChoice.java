package io.sluice.tree.planning;

import io.sluice.tree.spi.BroadcastJob;
import io.sluice.tree.spi.Forest;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * A plan, and the values by which planners choose one of several.
 *
 * @param estimate predicted duration in the job
 * @param alone    predicted duration without the job's pushes
 * @param cost     cost of all hops
 */
record PlanChoice(Forest forest, PlanEstimate estimate, PlanEstimate alone, double cost) {
    static PlanChoice of(BroadcastJob job, Forest forest) {
        PlanEstimate estimate = PlanEstimate.of(job, forest);
        PlanEstimate alone = job.hasPushes() ? PlanEstimate.of(job.withoutPushes(), forest) : estimate;
        return new PlanChoice(forest, estimate, alone, forest.cost(job));
    }

    /** The plans, in their order, whose value exceeds the least value by at most a share of it. */
    static List<PlanChoice> least(List<PlanChoice> plans, ToDoubleFunction<PlanChoice> value, double share) {
        double least = plans.stream().mapToDouble(value).min().orElseThrow();
        return plans.stream()
                .filter(plan -> value.applyAsDouble(plan) <= least * (1 + share))
                .toList();
    }
}
