package io.sluice.filter.policy;

import io.sluice.filter.UpdateFilter;

/** What part of an update is sent now. Immutable, shared by all threads and tables of a node. */
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
}
