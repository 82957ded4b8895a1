package io.sluice.consistency.membership;

import io.sluice.messaging.Transport;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.NanoClock;

/**
 * How a node leaves: it says so, and is gone once its link has taken that. Of several coordinators, the one that was
 * told may die with it; so there a node is gone once it hears that its leaving is decided. Begun and awaited by the
 * node's own thread, said by the membership's.
 */
final class Goodbye {
    private static final long PARK_NS = TimeUnit.MICROSECONDS.toNanos(200);
    private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(1);

    /** Long enough for another coordinator to take over. */
    private static final long DECIDED_PATIENCE_NS = TimeUnit.SECONDS.toNanos(15);

    private volatile long reached;
    private volatile boolean begun;
    private volatile boolean decided;
    private volatile boolean over;
    private boolean said;

    /** Whether this node wants to leave. */
    boolean isBegun() {
        return begun;
    }

    /** Whether this node is gone, as far as others are concerned. */
    boolean isOver() {
        return over;
    }

    /** Says it, once to each coordinator; returns the number of messages. */
    int say(CoordinatorLine coordinator, ControlMessages messages, int node) {
        if (said) {
            return 0;
        }
        said = coordinator.offer(messages, messages.leave(node, reached));
        over = said && !decided;
        return said ? 1 : 0;
    }

    /** Another coordinator leads, who may not have been told. */
    void sayAgain() {
        said = false;
    }

    /** It is decided: all know, or will. */
    void confirm() {
        over = true;
    }

    /**
     * Waits, for at most a second, until it is under way; or for at most 15 s until it is decided.
     *
     * @param clock that this node has reached
     * @param isToBeDecided whether to wait until it is
     */
    void await(long clock, boolean isToBeDecided, AgentThreads threads, Transport transport, NanoClock time) {
        reached = clock;
        decided = isToBeDecided;
        begun = true;
        long deadlineNs = time.nanoTime() + (isToBeDecided ? DECIDED_PATIENCE_NS : PATIENCE_NS);
        boolean interrupted = Thread.interrupted(); // whoever is interrupted says goodbye all the same
        while (!over && !transport.isClosed() && time.nanoTime() - deadlineNs < 0) {
            threads.invoke();
            LockSupport.parkNanos(PARK_NS);
            interrupted |= Thread.interrupted();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
