package io.sluice.filter.threshold;

/**
 * The falling threshold of the Parameter Flow paper, {@code delta(t) = delta / sqrt(t)} (equation 11): high at first,
 * when updates are large and their details matter little, then ever lower, on which the proof of convergence depends.
 */
public final class InverseSquareRoot implements ThresholdSchedule {
    private final double delta;

    /**
     * Creates a schedule.
     *
     * @param delta threshold at clock 1, finite, 0 or more
     * @throws IllegalArgumentException if it is negative or not finite
     */
    public InverseSquareRoot(double delta) {
        this.delta = ThresholdSchedule.requireThreshold(delta);
    }

    /** Computed in double precision and rounded once, so all nodes get the same bits. */
    @Override
    public float threshold(long clock) {
        return clock < 1 ? 0.0f : (float) (delta / Math.sqrt(clock));
    }

    @Override
    public String name() {
        return delta + "/sqrt(t)";
    }
}
