package io.sluice.consistency.worker;

import io.sluice.consistency.membership.AgentThreads;
import io.sluice.consistency.membership.Membership;
import io.sluice.consistency.terms.SendingMode;
import io.sluice.messaging.LinkClosedException;
import org.agrona.CloseHelper;
import org.agrona.ErrorHandler;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.NanoClock;

/** Drives the senders of all links of a worker, on the thread that the mode says. */
final class Sending implements AutoCloseable {
    private final SendingMode mode;
    private final Membership membership;
    private final PushSender[] senders;

    /** Null where servers have nothing to ask for. */
    private final PushRequests requests;

    private final LinkAgent agent;
    private AutoCloseable thread;
    private int first;

    Sending(SendingMode mode, Membership membership, PushSender[] senders, PushRequests requests, NanoClock clock) {
        this.mode = mode;
        this.membership = membership;
        this.senders = senders;
        this.requests = requests;
        this.agent = new LinkAgent("sluice-sender", this::send, membership, clock);
    }

    /** Begins to send where that is not left to the trainer's calls. */
    void start(IdleStrategy idle, ErrorHandler errorHandler) {
        if (SendingMode.SHARED == mode) {
            membership.host(agent);
        } else if (SendingMode.DEDICATED == mode) {
            thread = AgentThreads.inThread(agent, idle, errorHandler);
        }
    }

    /** Whether it is for the trainer's calls to send. */
    boolean isInvoked() {
        return SendingMode.INVOKER == mode;
    }

    /**
     * Sends if that is for the trainer's calls to do.
     *
     * @return frames sent, and requests taken in
     * @throws io.sluice.consistency.terms.ClusterException if a link is closed
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
        int sent = null == requests ? 0 : requests.poll();
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

    /** Ends a thread of its own; one that is shared ends with the membership. */
    @Override
    public void close() {
        CloseHelper.quietClose(thread);
    }
}
