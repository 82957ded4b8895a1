package io.sluice.tree.planning;

import io.sluice.tree.spi.BroadcastJob;
import io.sluice.tree.spi.Forest;

/**
 * Compares plans by time, then by the time of the broadcasts without the job's pushes, then by cost, then by depth. All
 * but the first are computed only when needed.
 */
final class PlanChoice {
    private static final double UNKNOWN = -1;

    private final BroadcastJob job;
    private final Forest forest;
    private final double seconds;
    private double alone = UNKNOWN;
    private double cost = UNKNOWN;
    private int depth = (int) UNKNOWN;

    PlanChoice(BroadcastJob job, Forest forest) {
        this.job = job;
        this.forest = forest;
        this.seconds = PlanEstimate.of(job, forest).finishSeconds();
    }

    /** Predicted time. */
    double seconds() {
        return seconds;
    }

    /** Predicted time without pushes. */
    double alone() {
        if (alone == UNKNOWN) {
            alone = job.hasPushes()
                    ? PlanEstimate.of(job.withoutPushes(), forest).finishSeconds()
                    : seconds;
        }
        return alone;
    }

    /** The cost of all hops. */
    double cost() {
        if (cost == UNKNOWN) {
            cost = forest.cost(job);
        }
        return cost;
    }

    /** Hops to the last site. */
    int depth() {
        if (depth == UNKNOWN) {
            depth = forest.depth();
        }
        return depth;
    }

    boolean isBetterThan(PlanChoice other) {
        if (differ(seconds, other.seconds)) {
            return seconds < other.seconds;
        }
        if (differ(alone(), other.alone())) {
            return alone() < other.alone();
        }
        if (Math.abs(cost() - other.cost()) > 1e-9 * cost()) {
            return cost() < other.cost();
        }
        return depth() < other.depth();
    }

    private static boolean differ(double one, double other) {
        return Math.abs(one - other) > RotatedPlanner.SAME_TIME * Math.min(one, other);
    }
}
