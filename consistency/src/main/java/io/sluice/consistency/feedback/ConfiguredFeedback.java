package io.sluice.consistency.feedback;

import io.sluice.filter.feedback.ConstantFeedback;
import io.sluice.filter.spi.NetworkFeedback;
import io.sluice.messaging.Settings;

/** Feedback about the network that system properties configure; it is constant. */
public final class ConfiguredFeedback {
    private static final String SUFFICIENT = "sluice.network.sufficient";
    private static final String BYTES = "sluice.network.bytes";

    private ConfiguredFeedback() {}

    /**
     * Creates the feedback from the system properties. By default it reports that all links have the required bandwidth
     * and that no budget of bytes applies.
     *
     * @return feedback that never changes
     * @throws io.sluice.messaging.api.MessagingException if a property is not a flag, or not a size
     */
    public static NetworkFeedback fromProperties() {
        return new ConstantFeedback(Settings.flag(SUFFICIENT, true), Settings.size(BYTES, NetworkFeedback.NO_BUDGET));
    }

    /**
     * Whether any of the properties is set, so that it replaces measured feedback.
     *
     * @return false if all have their defaults
     */
    public static boolean isGiven() {
        return null != System.getProperty(SUFFICIENT) || null != System.getProperty(BYTES);
    }
}
