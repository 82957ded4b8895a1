package io.sluice.codecs;

/**
 * What the sender of a data frame says of it, apart from the block itself. Mutable and reused: a link sets what stays
 * the same once, and slice and sequence for each frame.
 */
public final class DataHeader {
    private long clusterId;
    private int epoch;
    private int origin;
    private int table;
    private int slice;
    private long clock;
    private int sequence;
    private int flags;

    /** Sets the id of the cluster. */
    public DataHeader clusterId(long value) {
        clusterId = value;
        return this;
    }

    /** Sets the membership epoch. */
    public DataHeader epoch(int value) {
        epoch = value;
        return this;
    }

    /** Sets the sender's node id, 0 to 65,535. */
    public DataHeader origin(int value) {
        origin = value;
        return this;
    }

    /** Sets the table, 0 to 65,535. */
    public DataHeader table(int value) {
        table = value;
        return this;
    }

    /** Sets the slice within the table, 0 or more. */
    public DataHeader slice(int value) {
        slice = value;
        return this;
    }

    /** Sets the clock (push) or version (broadcast), 0 or more. */
    public DataHeader clock(long value) {
        clock = value;
        return this;
    }

    /** Sets the ordinal of the frame within its table, clock and link, 0 or more. */
    public DataHeader sequence(int value) {
        sequence = value;
        return this;
    }

    /** Sets the flags, 8 bits; none is defined in this version. */
    public DataHeader flags(int value) {
        flags = value;
        return this;
    }

    /** The id of the cluster. */
    public long clusterId() {
        return clusterId;
    }

    /** The membership epoch. */
    public int epoch() {
        return epoch;
    }

    /** The sender's node id. */
    public int origin() {
        return origin;
    }

    /** The table. */
    public int table() {
        return table;
    }

    /** The slice within the table. */
    public int slice() {
        return slice;
    }

    /** The clock or version. */
    public long clock() {
        return clock;
    }

    /** The ordinal of the frame within its table, clock and link. */
    public int sequence() {
        return sequence;
    }

    /** The flags. */
    public int flags() {
        return flags;
    }
}
