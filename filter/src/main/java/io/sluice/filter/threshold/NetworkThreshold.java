package io.sluice.filter.threshold;

import io.sluice.filter.spi.NetworkFeedback;

/**
 * The network-aware threshold of the Parameter Flow paper (section 3.3.3): {@code delta_low / sqrt(t)} while the
 * network is "sufficient" for this node, {@code delta_up / sqrt(t)} while it is not, so that less is sent when the
 * links carry less.
 *
 * <p>It reads the network's state once a clock, at the first slice: all slices of a clock have the same threshold.
 * Bound: that of the schedule in force, in any case {@code delta_up / sqrt(t)}.
 */
public final class NetworkThreshold implements SliceThreshold {
    private final ThresholdSchedule low;
    private final ThresholdSchedule up;
    private final NetworkFeedback feedback;
    private long clock;
    private float threshold;

    /**
     * Creates a threshold.
     *
     * @param low schedule while the network is sufficient
     * @param up schedule while it is not
     * @param feedback what is known about the network
     */
    public NetworkThreshold(ThresholdSchedule low, ThresholdSchedule up, NetworkFeedback feedback) {
        this.low = low;
        this.up = up;
        this.feedback = feedback;
    }

    @Override
    public float choose(SliceValues slice, long at) {
        if (at != clock) {
            clock = at;
            threshold = (feedback.isSufficient() ? low : up).threshold(at);
        }
        return threshold;
    }

    /** Does nothing: the threshold does not depend on the kept elements. */
    @Override
    public void observe(int elements, int kept, int bytes) {}
}
