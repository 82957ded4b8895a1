package io.sluice.consistency.membership;

import io.sluice.consistency.terms.DeathPolicy;
import io.sluice.consistency.terms.Failure;
import java.util.List;

/**
 * An event of a cluster on which nodes may rely: a change of members, of the worker set or of snapshots, or the end.
 * {@link ClusterState#apply} defines the effect of each event, so equal events in equal order make equal
 * states at all coordinators and nodes. The causes of an event (links, proofs, silence, time) are not part of it.
 */
public sealed interface Event {
    /**
     * An admitted node.
     *
     * @param nonce    nonce with which the node requested to join; 0 for an empty place
     * @param endpoint endpoint at which the node receives
     * @param host     host of the node
     */
    record Seat(long nonce, String endpoint, String host) {}

    /**
     * The properties that do not change during a job.
     *
     * @param clusterId id of this run
     * @param terms     terms of the cluster as text, which coordinators compare with theirs
     * @param declared  terms that the trainers of all workers declare: workers that join later have to declare the same
     * @param servers   number of places for servers
     * @param onDeath   reaction of the cluster to the death of a node
     * @param start     clock at which the training begins
     */
    record Job(long clusterId, String terms, String declared, int servers, DeathPolicy onDeath, StartPoint start) {}

    /**
     * All nodes have joined: the cluster is complete, in epoch 0.
     *
     * @param job    job that begins
     * @param seats  seats of servers, then of workers; a seat without a nonce is an empty place
     * @param before nodes that take part, and those of earlier clocks if the job is restored from a snapshot
     */
    record Completed(Job job, List<Seat> seats, WorkerSetHistory before) implements Event {
        /** Copies the list. */
        public Completed {
            seats = List.copyOf(seats);
        }

        /** Creates the start of a job that begins afresh. */
        public Completed(Job job, List<Seat> seats) {
            this(
                    job,
                    seats,
                    WorkerSetHistory.of(taken(seats, 0, job.servers), taken(seats, job.servers, seats.size())));
        }

        private static int taken(List<Seat> seats, int from, int to) {
            return (int) seats.subList(from, to).stream()
                    .filter(seat -> 0 != seat.nonce())
                    .count();
        }
    }

    /**
     * A node is dead: a new epoch begins.
     *
     * @param node    node that is lost
     * @param clock   clock that it last reported
     * @param failure kind of failure: a newcomer that cannot take part is refused, all others are lost
     * @param reason  why it counts as dead, as the beginning of a sentence
     */
    record Lost(Incarnation node, long clock, Failure failure, String reason) implements Event {}

    /**
     * A node has rejoined in the place of a dead node: a new epoch begins.
     *
     * @param before the dead incarnation
     * @param seat   seat of the node that has rejoined
     * @param start  clock from which the node continues
     */
    record Rejoined(Incarnation before, Seat seat, StartPoint start) implements Event {}

    /**
     * A node has joined in an empty place: a new epoch begins.
     *
     * @param place id of the place
     * @param seat  seat of the node
     */
    record Arrived(int place, Seat seat) implements Event {}

    /**
     * A node has left in order.
     *
     * @param node  node that has left
     * @param clock clock that it had reached
     */
    record Left(Incarnation node, long clock) implements Event {}

    /**
     * A server that has joined and owns no slices yet may leave at once.
     *
     * @param node the server
     */
    record Released(Incarnation node) implements Event {}

    /**
     * A worker forwards broadcasts over the network no more, because its uplink has become slow: its children get other
     * parents.
     *
     * @param node the worker
     */
    record Demoted(Incarnation node) implements Event {}

    /**
     * A change is proposed: all nodes must agree on the clock from which a node takes part or ceases to.
     *
     * @param node  node that joins or leaves the rounds
     * @param joins whether it joins
     */
    record Proposed(Incarnation node, boolean joins) implements Event {}

    /**
     * A proposed change is agreed on.
     *
     * @param proposal number of the event that proposed it
     * @param clock first clock for which it holds
     */
    record Agreed(long proposal, long clock) implements Event {}

    /**
     * A server has completed a change: its sums contain all pushes for earlier clocks, and if servers changed, the
     * slices that it hands over have arrived.
     *
     * @param server the server
     * @param clock  clock of the change
     */
    record Passed(Incarnation server, long clock) implements Event {}

    /**
     * The progress of snapshots.
     *
     * @param ordered   the clock ordered last, or -1
     * @param committed the newest clock of which all nodes hold a snapshot, or -1
     * @param previous  the committed clock before that, or -1
     */
    record Saved(long ordered, long committed, long previous) implements Event {}

    /**
     * The cluster ends for all nodes because of a failure.
     *
     * @param failure kind of failure
     * @param subject node that caused the failure
     * @param message one sentence
     */
    record Failed(Failure failure, int subject, String message) implements Event {}

    /** The job is over and needs no coordinator. */
    record Closed() implements Event {}
}
