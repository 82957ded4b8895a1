package io.sluice.consistency.worker;

import io.sluice.consistency.membership.AgentThreads;
import io.sluice.consistency.membership.Failure;
import io.sluice.consistency.membership.Membership;
import io.sluice.consistency.membership.SendingMode;
import io.sluice.messaging.LinkClosedException;
import java.util.concurrent.TimeUnit;
import org.agrona.CloseHelper;
import org.agrona.ErrorHandler;
import org.agrona.concurrent.Agent;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.NanoClock;

/** Drives the senders of all links of a worker, on the thread that the mode says. */
final class Sending implements Agent, AutoCloseable {
    /** Links are closed before Aeron gives the reason: so long another agent may take to find it. */
    private static final long CAUSE_PATIENCE_NS = TimeUnit.MILLISECONDS.toNanos(500);

    private final SendingMode mode;
    private final Membership membership;
    private final PushSender[] senders;
    private final NanoClock clock;
    private AutoCloseable thread;
    private LinkClosedException closed;
    private long closedNs;
    private int first;
    private boolean failed;

    Sending(SendingMode mode, Membership membership, PushSender[] senders, NanoClock clock) {
        this.mode = mode;
        this.membership = membership;
        this.senders = senders;
        this.clock = clock;
    }

    /** Begins to send where that is not left to the trainer's calls. */
    void start(IdleStrategy idle, ErrorHandler errorHandler) {
        if (SendingMode.SHARED == mode) {
            membership.host(this);
        } else if (SendingMode.DEDICATED == mode) {
            thread = AgentThreads.inThread(this, idle, errorHandler);
        }
    }

    /** Whether it is for the trainer's calls to send. */
    boolean isInvoked() {
        return SendingMode.INVOKER == mode;
    }

    /**
     * Sends if that is for the trainer's calls to do.
     *
     * @return frames sent
     * @throws io.sluice.consistency.membership.ClusterException if a link is closed
     */
    int invoke() {
        if (!isInvoked()) {
            return 0;
        }
        try {
            return send();
        } catch (LinkClosedException e) {
            throw membership.explain(e);
        }
    }

    /** Begins behind the link that sent last: whoever comes first takes what the budget of the node has left. */
    private int send() {
        int sent = 0;
        int from = first;
        for (int i = 0; i < senders.length; i++) {
            int at = (from + i) % senders.length;
            int frames = senders[at].work();
            if (frames > 0) {
                first = (at + 1) % senders.length;
            }
            sent += frames;
        }
        return sent;
    }

    /** A duty cycle on another thread: what goes wrong is found by the trainer's in the membership. */
    @Override
    public int doWork() {
        if (failed) {
            return 0;
        }
        if (null != closed) {
            awaitCause();
            return 0;
        }
        try {
            return send();
        } catch (LinkClosedException e) {
            closed = e;
            closedNs = clock.nanoTime();
        } catch (RuntimeException e) {
            failed = true;
            membership.fail(Failure.PEER_FAILED, "the thread that sends failed: " + e);
        }
        return 0;
    }

    /** Looks, and never waits: on a shared thread it would be the wait of the very agent that finds the cause. */
    private void awaitCause() {
        if (clock.nanoTime() - closedNs > CAUSE_PATIENCE_NS) {
            failed = true;
            membership.fail(Failure.PEER_LOST, closed.getMessage()); // unless another failure came first
        }
    }

    @Override
    public String roleName() {
        return "sluice-sender";
    }

    /** Ends a thread of its own; one that is shared ends with the membership. */
    @Override
    public void close() {
        CloseHelper.quietClose(thread);
    }
}
