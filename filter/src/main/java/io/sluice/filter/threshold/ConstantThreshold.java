package io.sluice.filter.threshold;

/** The same threshold at every clock from 1 on. With 0, the filter is exact: it withholds only zeros. */
public final class ConstantThreshold implements ThresholdSchedule {
    private final float value;

    /**
     * Creates a schedule.
     *
     * @param value threshold, finite, 0 or more
     * @throws IllegalArgumentException if it is negative or not finite
     */
    public ConstantThreshold(double value) {
        this.value = (float) ThresholdSchedule.requireThreshold(value);
    }

    @Override
    public float threshold(long clock) {
        return clock < 1 ? 0.0f : value;
    }

    @Override
    public String name() {
        return "constant " + value;
    }
}
