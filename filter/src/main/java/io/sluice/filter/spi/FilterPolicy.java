package io.sluice.filter.spi;

import io.sluice.filter.policy.FilterPolicies;

/** Decides which part of an update is sent now. Immutable, shared by all threads and tables of a node. */
public interface FilterPolicy {
    /** The text that names it, as {@link FilterPolicies#named} takes it; all nodes of a cluster have the same. */
    String spec();

    /**
     * Makes the filter of one table in one direction.
     *
     * @param site where it will work
     * @return a filter of its own, for one thread
     */
    UpdateFilter create(FilterSite site);

    /**
     * What each link of a node must carry at least for {@link NetworkFeedback#isSufficient} to be true, where that is
     * to be measured.
     *
     * @return bits per second; 0 if nothing is to be measured for it
     */
    default long leastRate() {
        return 0;
    }

    /**
     * Whether {@link NetworkFeedback#bytesPerClock} is to follow from the rate that is measured and the time that a
     * clock takes.
     *
     * @return true if so
     */
    default boolean followsRate() {
        return false;
    }

    /**
     * Whether its filters are functions of residual, update and clock only: then a node that continues from a snapshot
     * sends the same bits again.
     *
     * @return false if they learn from what they see
     */
    default boolean repeats() {
        return false;
    }
}
