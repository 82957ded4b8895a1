package io.sluice.filter.spi;

import io.sluice.codecs.Frame;
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
     * Creates a filter that sends the elements above a threshold, and holds back the others.
     *
     * @param name      name of the policy, for reports
     * @param threshold gives for each clock from 1 a finite magnitude of 0 or more; called by the thread that filters
     * @return a new filter, for one thread
     */
    UpdateFilter newFilter(String name, LongToDoubleFunction threshold);

    /**
     * Creates the mechanism that splits slices at a threshold and composes blocks.
     *
     * @return a new splitter for one filter
     */
    SliceSplitter newSplitter();

    /**
     * The part of a node's traffic in one direction and clock that does not depend on what its filters keep. Filters
     * with a budget subtract it before they share the remainder.
     *
     * @param tables      tables that send at least one frame each; 1 or more
     * @param elements    elements of all tables that the node filters; 1 or more
     * @param frameBytes  bytes of a data frame on its link in addition to the payload, 0 or more: all headers, and the
     *                    average alignment
     * @param commitBytes bytes of all round commits; 0 or more
     */
    record NodeTraffic(int tables, long elements, int frameBytes, long commitBytes) {
        /** Refuses negative numbers, and traffic without a table or an element. */
        public NodeTraffic {
            if (tables < 1 || elements < 1 || frameBytes < 0 || commitBytes < 0) {
                throw new IllegalArgumentException("a node's traffic has " + tables + " tables of " + elements
                        + " elements, frames with headers of " + frameBytes + " bytes and round commits of "
                        + commitBytes
                        + "; expected 1 table and 1 element or more, and no negative number");
            }
        }

        /**
         * Creates the traffic of a node that has one table and sends only its data frames.
         *
         * @param elements elements of the table
         */
        public static NodeTraffic ofFrames(long elements) {
            return new NodeTraffic(1, elements, Frame.DATA_LENGTH, 0);
        }
    }
}
