package io.sluice.consistency.worker;

import io.sluice.consistency.membership.Failure;
import io.sluice.consistency.membership.Membership;
import io.sluice.consistency.membership.SendingMode;
import io.sluice.messaging.LinkClosedException;
import org.agrona.ErrorHandler;
import org.agrona.concurrent.Agent;
import org.agrona.concurrent.AgentRunner;
import org.agrona.concurrent.IdleStrategy;

/** Drives the senders of all links of a worker, on the thread that the mode says. */
final class Sending implements Agent, AutoCloseable {
    private final SendingMode mode;
    private final Membership membership;
    private final PushSender[] senders;
    private AgentRunner runner;
    private int first;
    private boolean failed;

    Sending(SendingMode mode, Membership membership, PushSender[] senders) {
        this.mode = mode;
        this.membership = membership;
        this.senders = senders;
    }

    /** Begins to send where that is not left to the trainer's calls. */
    void start(IdleStrategy idle, ErrorHandler errorHandler) {
        if (SendingMode.SHARED == mode) {
            membership.host(this);
        } else if (SendingMode.DEDICATED == mode) {
            runner = new AgentRunner(idle, errorHandler, null, this);
            AgentRunner.startOnThread(runner, task -> {
                Thread thread = new Thread(task, roleName());
                thread.setDaemon(true);
                return thread;
            });
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
        try {
            return send();
        } catch (LinkClosedException e) {
            failed = true;
            membership.explain(e);
        } catch (RuntimeException e) {
            failed = true;
            membership.fail(Failure.PEER_FAILED, "the thread that sends failed: " + e);
        }
        return 0;
    }

    @Override
    public String roleName() {
        return "sluice-sender";
    }

    /** Ends a thread of its own; one that is shared ends with the membership. */
    @Override
    public void close() {
        if (null != runner) {
            runner.close();
        }
    }
}
