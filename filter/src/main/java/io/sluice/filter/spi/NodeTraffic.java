package io.sluice.filter.spi;

import io.sluice.codecs.Frame;

/**
 * What a node sends in one direction in each clock, as far as it is the same whatever its filters keep. Filters with a
 * budget take it off what they share.
 *
 * @param tables      that send at least one frame each; 1 or more
 * @param elements    that the node filters of all tables; 1 or more
 * @param frameBytes  of a data frame on its link beside the payload: all headers, and alignment on average; 0 or more
 * @param commitBytes of all round commits; 0 or more
 */
public record NodeTraffic(int tables, long elements, int frameBytes, long commitBytes) {
    /** Refuses traffic that cannot be. */
    public NodeTraffic {
        if (tables < 1 || elements < 1 || frameBytes < 0 || commitBytes < 0) {
            throw new IllegalArgumentException("a node's traffic has " + tables + " tables of " + elements
                    + " elements, frames with headers of " + frameBytes + " bytes and round commits of " + commitBytes
                    + "; expected 1 table and 1 element or more, and no negative number");
        }
    }

    /**
     * One table, whose frames are all that the node sends.
     *
     * @param elements of the table
     */
    public static NodeTraffic ofFrames(long elements) {
        return new NodeTraffic(1, elements, Frame.DATA_LENGTH, 0);
    }
}
