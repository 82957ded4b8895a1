package io.sluice.filter.spi;

import io.sluice.filter.policy.FilterPolicies;

/** Decides which part of an update is sent now. Immutable, shared by all threads and tables of a node. */
public interface FilterPolicy {
    /**
     * The text that describes this policy, in the form that {@link FilterPolicies#named} reads; all nodes of a cluster
     * have the same text.
     */
    String spec();

    /**
     * Creates the filter of one table in one direction.
     *
     * @param site table and node of the filter
     * @return a new filter, for one thread
     */
    UpdateFilter create(FilterSite site);

    /**
     * The minimum rate of each link of a node for which {@link NetworkFeedback#isSufficient} is true, if the rate has
     * to be measured.
     *
     * @return bits per second; 0 if the policy needs no measurement
     */
    default long leastRate() {
        return 0;
    }

    /**
     * Whether {@link NetworkFeedback#bytesPerClock} follows from the measured rate and the duration of a clock.
     *
     * @return true if so
     */
    default boolean followsRate() {
        return false;
    }

    /**
     * Whether the filters' choices depend only on residual, update and clock. A node that continues from a snapshot
     * then sends the same bits again.
     *
     * @return false if they depend on earlier slices as well
     */
    default boolean repeats() {
        return false;
    }
}
