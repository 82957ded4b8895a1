package io.sluice.filter.feedback;

import io.sluice.filter.spi.NetworkFeedback;

/**
 * A network whose state comes from the configuration, not from measurements.
 *
 * @param isSufficient whether the links carry what is sent
 * @param bytesPerClock bytes per clock of the node, or {@link #NO_BUDGET}
 */
public record ConstantFeedback(boolean isSufficient, long bytesPerClock) implements NetworkFeedback {
    /** A network that is not measured: sufficient, and without a budget. */
    public static final NetworkFeedback UNWATCHED = new ConstantFeedback(true, NO_BUDGET);

    /** Refuses a negative budget other than {@link #NO_BUDGET}. */
    public ConstantFeedback {
        SettableFeedback.requireBudget(bytesPerClock);
    }
}
