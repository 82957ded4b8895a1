package io.sluice.consistency.server;

/**
 * The stage behind the rounds of one table, which takes finalised slices. Slices are numbered as the shard owns them,
 * from 0. Defaults are those of a sink that always has room and retains nothing.
 */
interface RoundSink {
    /** Where there are no slices. */
    RoundSink NOTHING = (slice, round) -> {};

    /** Whether the slice's next round may be finalised; false while its last round is still being sent. */
    default boolean isReady(int slice) {
        return true;
    }

    /** Takes over the sum of a slice for a round, and leaves in its place what stays at home. */
    void finalise(int slice, long round);

    /** Something was added to the sum of a slice, which may or may not be complete. */
    default void changed(int slice) {}

    /** Closes a round once all its slices are finalised; false if the last round's mark is still being sent. */
    default boolean closeRound(long round) {
        return true;
    }

    /** A worker asks for the parameters of a version or later; false if this sink does not serve pulls. */
    default boolean onPull(int worker, long version) {
        return false;
    }

    /** One duty cycle of what is sent on request; returns the amount of work done. */
    default int work() {
        return 0;
    }

    /** Largest magnitude that stayed at home; 0 where nothing stays. */
    default float residualMaxAbs() {
        return 0;
    }
}
