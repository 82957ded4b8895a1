package io.sluice.codecs;

/**
 * The sender's fields of a data frame, apart from the block. Mutable and reused: a link sets the constant fields once,
 * and slice and sequence for each frame.
 */
public final class DataHeader {
    private long clusterId;
    private int epoch;
    private int origin;
    private int table;
    private int slice;
    private long clock;
    private int sequence;
    private boolean partial;
    private long tag = Frame.NO_TAG;

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

    /** Sets the number of the frame within its table, round and stream, 0 or more. */
    public DataHeader sequence(int value) {
        sequence = value;
        return this;
    }

    /** Sets whether another part of the slice follows in the same clock: see decision 5. */
    public DataHeader partial(boolean value) {
        partial = value;
        return this;
    }

    /** Sets the number that the update rule of the table needs; {@link Frame#NO_TAG} to leave it out. */
    public DataHeader tag(long value) {
        tag = value;
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

    /** Whether another part of the slice follows in the same clock. */
    public boolean partial() {
        return partial;
    }

    /** The number that the update rule of the table needs, or {@link Frame#NO_TAG}. */
    public long tag() {
        return tag;
    }
}
