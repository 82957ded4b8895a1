package io.sluice.filter.spi;

import io.sluice.codecs.api.ValueType;
import java.util.function.LongToDoubleFunction;

/** The place of a filter: one table of one node, pushed or broadcast. */
public interface FilterSite {
    /** Type of the values sent. */
    ValueType values();

    /**
     * A number that no other site of the job has: it follows from node and table. Filters that choose at random derive
     * their numbers from it, so that a run repeats and nodes choose independently of one another.
     */
    long stream();

    /**
     * Number of elements of the table that this node filters, 1 or more. A worker filters all elements, a server the
     * elements that it owns.
     */
    long elements();

    /** Number of elements of the residual, with the gaps between slices; {@link #elements()} or more. */
    long span();

    /** Number of elements of a whole slice, 1 or more. */
    int sliceElements();

    /** The traffic of the node that does not depend on filters. */
    NodeTraffic node();

    /** The measurements of the network. */
    NetworkFeedback feedback();

    /**
     * Makes a filter that sends the elements above a threshold, and holds back the others.
     *
     * @param name      name of the policy, for reports
     * @param threshold gives for each clock from 1 a finite magnitude of 0 or more; called by the thread that filters
     * @return a new filter, for one thread
     */
    UpdateFilter newFilter(String name, LongToDoubleFunction threshold);

    /**
     * Makes the mechanism that splits slices at a threshold and composes blocks.
     *
     * @return a new splitter for one filter
     */
    SliceSplitter newSplitter();
}
