package io.sluice.consistency.server;

import io.sluice.consistency.membership.ClusterState;
import java.util.function.IntPredicate;

/** The outgoing frames of a server: broadcasts, or replies to workers that pull. Defaults are those of replies. */
interface Outgoing {
    /** Sends nothing. */
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

    /** Sends frames while links and budgets admit them; returns their number. */
    int work(long nowNs);

    /** Number of bytes sent, counted once for each worker that receives them, even if several read one log. */
    long bytes();

    /** Stops sending and repeating frames to a lost worker. */
    void forget(int worker);

    /** Repeats missing frames to a worker; false if no frames are retained. */
    default boolean resend(int worker, boolean relay, int table, int route, long version, int sequence) {
        return false;
    }

    /** Sends to the new address of a rejoined worker. */
    default void reopen(int worker) {}

    /** Adopts the trees of a state. */
    default void follow(ClusterState state) {}

    /** Starts to send to a worker that joins, or stops sending to one that has left. */
    default void sendTo(ClusterState state, int worker, boolean takesPart) {}

    /** Whether a worker may request repair. */
    default boolean sendsTo(int worker) {
        return true;
    }

    /** Closes links whose receivers have all left. */
    default void giveUp(IntPredicate isGone) {}

    /** Digest of the trees that this server has planned; 0 if it broadcasts nothing. */
    default int plannedTrees() {
        return 0;
    }

    /** Number of frames repeated to receivers that missed them. */
    default long framesResent() {
        return 0;
    }
}
