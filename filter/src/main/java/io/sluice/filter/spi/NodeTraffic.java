package io.sluice.filter.spi;

import io.sluice.codecs.Frame;

/**
 * The part of a node's traffic in one direction and clock that does not depend on what its filters keep. Filters with a
 * budget subtract it before they share the remainder.
 *
 * @param tables      tables that send at least one frame each; 1 or more
 * @param elements    elements of all tables that the node filters; 1 or more
 * @param frameBytes  bytes of a data frame on its link in addition to the payload, 0 or more: all headers, and the
 *                    average alignment
 * @param commitBytes bytes of all round commits; 0 or more
 */
public record NodeTraffic(int tables, long elements, int frameBytes, long commitBytes) {
    /** Refuses negative numbers, and traffic without a table or an element. */
    public NodeTraffic {
        if (tables < 1 || elements < 1 || frameBytes < 0 || commitBytes < 0) {
            throw new IllegalArgumentException("a node's traffic has " + tables + " tables of " + elements
                    + " elements, frames with headers of " + frameBytes + " bytes and round commits of " + commitBytes
                    + "; expected 1 table and 1 element or more, and no negative number");
        }
    }

    /**
     * Makes the traffic of a node that has one table and sends only its data frames.
     *
     * @param elements elements of the table
     */
    public static NodeTraffic ofFrames(long elements) {
        return new NodeTraffic(1, elements, Frame.DATA_LENGTH, 0);
    }
}
