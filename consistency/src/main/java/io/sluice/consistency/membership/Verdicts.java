package io.sluice.consistency.membership;

import io.sluice.consistency.membership.ClusterState.Presence;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.Failure;
import io.sluice.consistency.terms.Role;
import io.sluice.messaging.Liveness;

/**
 * What a coordinator makes of silence, and of errors that nodes report: whose end they are. Used by the coordinator's
 * thread.
 */
final class Verdicts {
    private final ClusterSettings settings;
    private final EventLog events;
    private final Members nodes;
    private final Liveness liveness;
    private final Leading leading;
    private final EventSink sink;
    private boolean failed;

    Verdicts(
            ClusterSettings settings,
            EventLog events,
            Members nodes,
            Liveness liveness,
            Leading leading,
            EventSink sink) {
        this.settings = settings;
        this.events = events;
        this.nodes = nodes;
        this.liveness = liveness;
        this.leading = leading;
        this.sink = sink;
    }

    /** Whether the end of the cluster is decided, or about to be. */
    boolean areFinal() {
        return failed || null != events.state().failure();
    }

    /** All have come, and cannot work together: there is nothing to be decided. */
    void nothingBegins() {
        failed = true;
    }

    /**
     * Takes the fault that a node reports. A fault of its own is its death, what keeps a newcomer out is the
     * newcomer's, and all else ends the cluster.
     *
     * @param node    that reports it
     * @param failure kind
     * @param nonce   with which the subject has joined
     * @param subject whose fault it is
     * @param message in a sentence
     * @return false if the subject is not there any more, or the node has no say in its faults: nothing has changed
     */
    boolean onError(int node, Failure failure, long nonce, int subject, String message) {
        boolean itself = node == subject;
        boolean refused = Failure.REFUSED == failure && nodes.isArrival(subject);
        boolean hasSay = itself || refused && settings.nodeIds().isServer(node);
        if (!hasSay
                || nonce != nodes.get(subject).nonce
                || !nodes.get(subject).presence.isPresent()) {
            return false;
        }
        if (refused) {
            lose(subject, failure, message);
        } else if (Failure.PEER_FAILED == failure && survives(node)) {
            lose(node, Failure.PEER_LOST, message);
        } else {
            fail(failure, subject, message);
        }
        return true;
    }

    /** Decides of who has been silent for too long. */
    void buryTheDead(long nowNs) {
        int dead = liveness.firstOverdue(nowNs);
        if (dead < 0) {
            return;
        }
        if (events.state().isOver()) { // its work is done, and no node needs it: it need not be heard to leave
            liveness.unwatch(dead);
            sink.append(new Event.Left(events.state().incarnation(dead), nodes.get(dead).clock));
            return;
        }
        String name = nodes.nameOf(dead);
        String silent = Silence.inWords(liveness.silenceNs(dead, nowNs), liveness.allowedNs(dead));
        if (survives(dead)) {
            lose(dead, Failure.PEER_LOST, name + " was " + silent + " and was taken for dead");
        } else {
            String lost = " and is lost; it had reached clock " + nodes.get(dead).clock;
            fail(Failure.PEER_LOST, dead, name + " has been " + silent + lost);
        }
    }

    /** Whether the cluster goes on when a node dies. */
    private boolean survives(int node) {
        if (settings.nodeIds().isServer(node) && isUnneeded(nodes.get(node).presence)) {
            return true;
        }
        return switch (settings.onDeath()) {
            case FAIL -> false;
            case SHRINK -> Role.WORKER == nodes.get(node).role;
            case WAIT -> 0 != node || leading.isOfSeveral(); // alone, it lives in that one's process
        };
    }

    private static boolean isUnneeded(Presence server) {
        return Presence.NEWCOMER == server || Presence.RELEASED == server;
    }

    private void lose(int node, Failure failure, String reason) {
        liveness.unwatch(node);
        if (!areFinal()) {
            sink.append(new Event.Lost(events.state().incarnation(node), nodes.get(node).clock, failure, reason));
        }
    }

    /** The cluster ends for all. */
    void fail(Failure failure, int subject, String message) {
        if (!areFinal()) {
            failed = true;
            sink.append(new Event.Failed(failure, subject, message));
        }
    }
}
