package io.sluice.filter.spi;

import io.sluice.filter.policy.FilterPolicies;

/** Decides which part of an update is sent now. Immutable, shared by all threads and tables of a node. */
public interface FilterPolicy {
    /**
     * The text that names this policy, in the form that {@link FilterPolicies#named} reads; all nodes of a cluster have
     * the same.
     */
    String spec();

    /**
     * Makes the filter of one table in one direction.
     *
     * @param site site where it will work
     * @return a new filter, for one thread
     */
    UpdateFilter create(FilterSite site);

    /**
     * The least rate of each link of a node for which {@link NetworkFeedback#isSufficient} is true, if it has to be
     * measured.
     *
     * @return bits per second; 0 if nothing is to be measured for it
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
     * Whether the filters are functions of residual, update and clock only. A node that continues from a snapshot then
     * sends the same bits again.
     *
     * @return false if they learn from what they see
     */
    default boolean repeats() {
        return false;
    }
}
