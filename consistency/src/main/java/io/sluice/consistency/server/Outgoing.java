package io.sluice.consistency.server;

import io.sluice.consistency.membership.ClusterState;
import java.util.function.IntPredicate;

/** What a server sends: broadcasts, or replies to workers that pull. Defaults are those of replies. */
interface Outgoing {
    /** Nothing is sent. */
    Outgoing NONE = new Outgoing() {
        @Override
        public int work(long nowNs) {
            return 0;
        }

        @Override
        public long bytes() {
            return 0;
        }

        @Override
        public void forget(int worker) {}
    };

    /** Sends what links and budgets have room for; returns the number of frames. */
    int work(long nowNs);

    /** Bytes sent, counted once for each worker that receives them, also where several read one log. */
    long bytes();

    /** Sends nothing more, or nothing more again, to a worker that is lost. */
    void forget(int worker);

    /** Repeats to a worker what it misses; false if nothing is retained for that. */
    default boolean resend(int worker, boolean relay, int table, int route, long version, int sequence) {
        return false;
    }

    /** Sends to a worker that is back where it is now. */
    default void reopen(int worker) {}

    /** Sends by the trees of a state. */
    default void follow(ClusterState state) {}

    /** Begins to send to a worker that joins, or ceases to send to one that has left. */
    default void sendTo(ClusterState state, int worker, boolean takesPart) {}

    /** Whether a worker may ask for repair. */
    default boolean sendsTo(int worker) {
        return true;
    }

    /** Closes links whose receivers have all left. */
    default void giveUp(IntPredicate isGone) {}

    /** Digest of the trees as this server has planned them; 0 where it broadcasts nothing. */
    default int plannedTrees() {
        return 0;
    }

    /** Frames sent again to receivers that missed them. */
    default long framesResent() {
        return 0;
    }
}
