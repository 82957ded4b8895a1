package io.sluice.consistency.server;

/**
 * The stage after the sums of one table, which receives finalised slices. Slices are numbered among those that the
 * shard owns, from 0. Defaults are those of a sink that is always ready and retains nothing.
 */
interface RoundSink {
    /** The sink of a table without slices. */
    RoundSink NOTHING = (slice, round) -> {};

    /** Whether the slice's next round may be finalised; false while its last round is being sent. */
    default boolean isReady(int slice) {
        return true;
    }

    /** Processes the sum of a slice for a round, and leaves the residual in its place. */
    void finalise(int slice, long round);

    /** Receives a notice that the sum of a slice has changed, complete or not. */
    default void changed(int slice) {}

    /** Closes a round once all its slices are finalised; false if the last round commit is still being sent. */
    default boolean closeRound(long round) {
        return true;
    }

    /**
     * Handles a worker's request for the parameters of a version or a later one; false if this sink does not serve
     * pulls.
     */
    default boolean onPull(int worker, long version) {
        return false;
    }

    /** Runs one duty cycle of replies; returns the amount of work done. */
    default int work() {
        return 0;
    }

    /** Largest magnitude in the residual; 0 without one. */
    default float residualMaxAbs() {
        return 0;
    }
}
