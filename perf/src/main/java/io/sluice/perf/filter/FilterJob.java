package io.sluice.perf.filter;

/** The work of a benchmark on each slice of its table. */
enum FilterJob {
    /** The axpy loop, which shows the speed that memory allows. */
    AXPY,
    /** The filter as a scalar loop with a branch. */
    BRANCHING_LOOP,
    /** The filter pass alone: update and residual into a bitmap and values, without choosing the shortest block. */
    FILTER_BITMAP,
    /** The filter as a loop in C with intrinsics, to a bitmap and values. */
    C_LOOP,
    /** The filter: update and residual into the shortest block. */
    FILTER,
    /** The filter in two passes, as in a server: adds the update to the residual and encodes the sum in place. */
    ADD_ENCODE,
    /** {@link #FILTER} with a threshold that a policy chooses. */
    POLICY,
    /** A frame, decoded, checked and added to the replica. */
    APPLY,
    /** The paper's zero-filled dense array, compressed. */
    PAPER,
    /** The paper's indices and values, compressed. */
    PAPER_PAIRS,
    /** The paper's array, decompressed and added to the replica. */
    PAPER_APPLY,
    /** The encoding of the other JVM library. */
    THRESHOLD_ENCODER;

    /** Whether it is the library's work on a table outside the heap, which the axpy loop can share. */
    boolean sharesTable() {
        return this == FILTER_BITMAP || this == FILTER || this == ADD_ENCODE || this == POLICY || this == APPLY;
    }

    /** Whether it is a loop over arrays, in plain Java. */
    boolean isLoopOverArrays() {
        return this == BRANCHING_LOOP || this == PAPER_PAIRS || this == THRESHOLD_ENCODER;
    }

    /** Whether it makes bytes for the wire. */
    boolean makesBytes() {
        return this != AXPY && this != APPLY && this != PAPER_APPLY;
    }
}
