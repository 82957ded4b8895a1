package io.sluice.consistency.feedback;

import io.sluice.filter.feedback.ConstantFeedback;
import io.sluice.filter.feedback.NetworkFeedback;
import io.sluice.messaging.Settings;

/** What system properties tell filters of the network: always the same. */
public final class ConfiguredFeedback {
    private static final String SUFFICIENT = "sluice.network.sufficient";
    private static final String BYTES = "sluice.network.bytes";

    private ConfiguredFeedback() {}

    /**
     * The answer of the properties, with their defaults: sufficient, and no budget.
     *
     * @return a constant
     * @throws io.sluice.messaging.MessagingException if a property is not a flag, or not a size
     */
    public static NetworkFeedback get() {
        return new ConstantFeedback(Settings.flag(SUFFICIENT, true), Settings.size(BYTES, NetworkFeedback.NO_BUDGET));
    }

    /**
     * Whether any of the properties is set, so that no other feedback is to answer.
     *
     * @return false if only defaults would be told
     */
    public static boolean isGiven() {
        return null != System.getProperty(SUFFICIENT) || null != System.getProperty(BYTES);
    }
}
