package io.sluice.consistency.membership;

import java.util.List;

/**
 * What a coordinator decides: all that changes who belongs to a cluster, and what nodes may rely on. Facts only, with
 * all that they need, so that whoever takes them in in the same order comes to the same {@link ClusterRecord}. What
 * leads to them (links, proofs, silence, time) is none of it.
 *
 * <p>A <i>life</i> is the epoch in which a node was welcomed: a decision about one that has been replaced meanwhile is
 * without effect.
 */
public sealed interface Decision {
    /**
     * A node that is let in.
     *
     * @param nonce    with which it asked; 0 for a place that nobody has yet
     * @param endpoint at which it receives
     * @param host     where it is
     */
    record Seat(long nonce, String endpoint, String host) {}

    /**
     * All nodes have come: the cluster is complete, in epoch 0.
     *
     * @param clusterId names this run
     * @param terms     that hold for it, in words, by which another coordinator sees whether its own are the same
     * @param declared  by the trainers of all workers: who comes later has to declare the same
     * @param servers   number of places for servers
     * @param onDeath   what becomes of it when a node dies
     * @param start     where the training begins
     * @param seats     of servers, then of workers
     */
    record Completed(
            long clusterId,
            String terms,
            String declared,
            int servers,
            DeathPolicy onDeath,
            StartPoint start,
            List<Seat> seats)
            implements Decision {
        /** Keeps a copy. */
        public Completed {
            seats = List.copyOf(seats);
        }
    }

    /**
     * A node is dead: a new epoch begins.
     *
     * @param node    its id
     * @param life    of the node
     * @param clock   that it last told of
     * @param failure kind: a newcomer that cannot take part is refused, all others are lost
     * @param reason  for which it is taken for dead, the beginning of a sentence
     */
    record Lost(int node, int life, long clock, Failure failure, String reason) implements Decision {}

    /**
     * A node that was awaited is back: a new epoch begins.
     *
     * @param node  its id
     * @param life  of the one that was lost
     * @param seat  of the one that takes its place
     * @param start from which it goes on
     */
    record Readmitted(int node, int life, Seat seat, StartPoint start) implements Decision {}

    /**
     * A node has come in an empty place: a new epoch begins.
     *
     * @param node its id
     * @param seat of the node
     */
    record Arrived(int node, Seat seat) implements Decision {}

    /**
     * A node has left on purpose.
     *
     * @param node  its id
     * @param life  of the node
     * @param clock that it had reached
     * @param done  whether its work is done; else it is a worker that was to go before
     */
    record Left(int node, int life, long clock, boolean done) implements Decision {}

    /**
     * The place of a node that is gone can be taken again.
     *
     * @param node its id
     */
    record Vacated(int node) implements Decision {}

    /**
     * How far snapshots are.
     *
     * @param ordered   the clock ordered last, or -1
     * @param committed the newest clock of which all nodes hold a snapshot, or -1
     * @param previous  the one before that, or -1
     */
    record Saved(long ordered, long committed, long previous) implements Decision {}

    /**
     * The cluster ends for all.
     *
     * @param failure kind
     * @param subject the node that it is about
     * @param message one sentence
     */
    record Failed(Failure failure, int subject, String message) implements Decision {}

    /** All has been said: nothing is to be coordinated any more. */
    record Closed() implements Decision {}
}
