package io.sluice.filter.threshold;

/** The same threshold at every clock from 1 on. With 0, the exact filter: nothing but zeros is withheld. */
public final class ConstantThreshold implements ThresholdSchedule {
    private final float value;

    /**
     * Makes a schedule.
     *
     * @param value threshold, finite, 0 or more
     * @throws IllegalArgumentException if it is not
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
