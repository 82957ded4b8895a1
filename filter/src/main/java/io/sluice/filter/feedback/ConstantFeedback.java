package io.sluice.filter.feedback;

import io.sluice.filter.spi.NetworkFeedback;

/**
 * A network whose state the configuration gives, instead of measurements.
 *
 * @param isSufficient whether the links are up to what is sent
 * @param bytesPerClock of the node, or {@link #NO_BUDGET}
 */
public record ConstantFeedback(boolean isSufficient, long bytesPerClock) implements NetworkFeedback {
    /** A network that is not measured: sufficient, and without a budget. */
    public static final NetworkFeedback UNWATCHED = new ConstantFeedback(true, NO_BUDGET);

    /** Refuses a budget that is none. */
    public ConstantFeedback {
        SettableFeedback.requireBudget(bytesPerClock);
    }
}
