package io.sluice.filter.threshold;

/** The same threshold for all slices of a clock, by schedule. */
public final class ScheduledThreshold implements SliceThreshold {
    private final ThresholdSchedule schedule;

    /**
     * Follows a schedule.
     *
     * @param schedule schedule of thresholds
     */
    public ScheduledThreshold(ThresholdSchedule schedule) {
        this.schedule = schedule;
    }

    @Override
    public float choose(SliceValues slice, long clock) {
        return schedule.threshold(clock);
    }

    /** Does nothing: a schedule does not depend on the kept elements. */
    @Override
    public void observe(int elements, int kept, int bytes) {}
}
