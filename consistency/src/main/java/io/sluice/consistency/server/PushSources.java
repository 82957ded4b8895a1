package io.sluice.consistency.server;

import io.sluice.codecs.Rejection;
import io.sluice.consistency.membership.Attendance;
import io.sluice.consistency.membership.Membership;
import io.sluice.consistency.membership.PeerLives;
import java.util.Arrays;
import java.util.function.IntConsumer;

/**
 * Which of the frames that carry a node's name are of its present life, and come, if it is a worker's, over the link on
 * which it pushes now (decision 29). Whoever opens such a link declares its tables on it first: what comes on any other
 * was sent on one that has been given up, and will come again.
 *
 * <p>For the server's thread.
 */
final class PushSources {
    private static final long NO_SESSION = Long.MIN_VALUE;

    private final Membership membership;
    private final Attendance attendance;
    private final PeerLives lives;
    private final long[] sessions;

    PushSources(Membership membership) {
        this.membership = membership;
        this.attendance = membership.attendance();
        this.lives = new PeerLives(membership);
        this.sessions = new long[membership.plan().settings().workerPlaces()];
        Arrays.fill(sessions, NO_SESSION);
    }

    /** Whether this server knows of all changes of the crew before it came: they are told before any heartbeat. */
    boolean hasHeardAll() {
        return !membership.plan().isOfNewcomer() || membership.versionBroadcast() >= 0;
    }

    /** Whether a worker has come after this server, and nobody has accepted it so far. */
    boolean isStranger(int worker, int epoch) {
        return epoch > membership.plan().epoch()
                && !membership.crews().history().crews().getLast().workers().contains(worker);
    }

    /** Whether links may change at all. */
    boolean change() {
        return attendance.changes();
    }

    /** Whether this server has come back itself: then workers push to it what they have pushed before. */
    boolean areReplaying() {
        return attendance.changes() && membership.plan().epoch() > 0;
    }

    /** Takes note of nodes that have come, or come back; gives the index of each worker, and of each server. */
    void follow(IntConsumer workerBack, IntConsumer serverBack) {
        if (lives.isBehind()) {
            lives.follow(node -> {
                int worker = membership.plan().workerIndex(node);
                if (worker >= 0) {
                    sessions[worker] = NO_SESSION;
                    workerBack.accept(worker);
                } else {
                    serverBack.accept(node);
                }
            });
        }
    }

    /** Whether a frame was sent in a life of its node's place that is over. */
    boolean isPast(int node, int epoch) {
        return lives.isPast(node, epoch);
    }

    /** Whether a frame is of a node whose coming, or coming back, is yet to be followed. */
    boolean isToCome(int node, int epoch) {
        return lives.isToCome(node, epoch);
    }

    /** Why a push that came over a link is not to be taken, or null. */
    Rejection judge(int worker, int session) {
        return attendance.changes() && sessions[worker] != session ? Rejection.DUPLICATE : null;
    }

    /** A worker declares its first table; returns whether that is on another link than so far. */
    boolean begins(int worker, int session) {
        boolean other = sessions[worker] != session;
        sessions[worker] = session;
        return (attendance.changes() || attendance.grows()) && other;
    }

    /** A worker that has been asked for what is missing repeats it, and goes on, by another link. */
    void goesOn(int worker, int session) {
        sessions[worker] = session;
    }

    /** Whether a worker has declared a table in this life of its place. */
    boolean hasBegun(int worker) {
        return sessions[worker] != NO_SESSION;
    }

    /** The first round that a worker pushes over a new link. */
    long firstRound(int worker) {
        int node = membership.plan().workerNode(worker);
        return 1
                + Math.max(
                        membership.plan().start().clock(), attendance.seat(node).clock());
    }
}
