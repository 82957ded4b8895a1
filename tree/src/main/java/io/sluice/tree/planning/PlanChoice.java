package io.sluice.tree.planning;

/**
 * What plans are compared by: time, then cost, then depth.
 *
 * @param seconds that it is predicted to take
 * @param cost    of all hops
 * @param depth   hops to the last site
 */
record PlanChoice(double seconds, double cost, int depth) {
    static PlanChoice of(BroadcastJob job, Forest forest) {
        return new PlanChoice(PlanEstimate.of(job, forest).finishSeconds(), forest.cost(job), forest.depth());
    }

    boolean isBetterThan(PlanChoice other) {
        double margin = RotatedPlanner.SAME_TIME * Math.min(seconds, other.seconds);
        if (Math.abs(seconds - other.seconds) > margin) {
            return seconds < other.seconds;
        }
        if (Math.abs(cost - other.cost) > 1e-9 * cost) {
            return cost < other.cost;
        }
        return depth < other.depth;
    }
}
