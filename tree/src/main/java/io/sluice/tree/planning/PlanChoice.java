package io.sluice.tree.planning;

import io.sluice.tree.spi.BroadcastJob;
import io.sluice.tree.spi.Forest;

/**
 * Compares plans by time, then by cost, then by depth. Cost and depth are computed only when needed.
 */
final class PlanChoice {
    private static final double UNKNOWN = -1;

    private final BroadcastJob job;
    private final Forest forest;
    private final double seconds;
    private double cost = UNKNOWN;
    private int depth = (int) UNKNOWN;

    private PlanChoice(BroadcastJob job, Forest forest, double seconds) {
        this.job = job;
        this.forest = forest;
        this.seconds = seconds;
    }

    static PlanChoice of(BroadcastJob job, Forest forest) {
        return of(job, forest, PlanEstimate.of(job, forest));
    }

    static PlanChoice of(BroadcastJob job, Forest forest, PlanEstimate estimate) {
        return new PlanChoice(job, forest, estimate.finishSeconds());
    }

    /** Predicted time. */
    double seconds() {
        return seconds;
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
        double margin = RotatedPlanner.SAME_TIME * Math.min(seconds, other.seconds);
        if (Math.abs(seconds - other.seconds) > margin) {
            return seconds < other.seconds;
        }
        if (Math.abs(cost() - other.cost()) > 1e-9 * cost()) {
            return cost() < other.cost();
        }
        return depth() < other.depth();
    }
}
