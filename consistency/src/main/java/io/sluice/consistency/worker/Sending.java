package io.sluice.consistency.worker;

import io.sluice.consistency.membership.AgentThreads;
import io.sluice.consistency.membership.Membership;
import io.sluice.consistency.terms.SendingMode;
import java.util.function.IntSupplier;
import org.agrona.CloseHelper;
import org.agrona.ErrorHandler;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.NanoClock;

/** Drives the senders of all links of a worker, in the trainer's calls; or, as a subclass, on another thread. */
class Sending implements AutoCloseable {
    private final PushSender[] senders;
    private final IntSupplier requests;
    private int first;

    private Sending(PushSender[] senders, IntSupplier requests) {
        this.senders = senders;
        this.requests = requests;
    }

    /**
     * Drives senders as a mode says.
     *
     * @param mode       names the thread
     * @param membership of this worker
     * @param senders    by server
     * @param requests   takes in what servers ask for; returns the number of frames
     * @param clock      monotonic time
     */
    static Sending of(
            SendingMode mode, Membership membership, PushSender[] senders, IntSupplier requests, NanoClock clock) {
        return SendingMode.INVOKER == mode
                ? new Sending(senders, requests)
                : new OnAnotherThread(mode, membership, senders, requests, clock);
    }

    /** Begins to send where that is not left to the trainer's calls. */
    void start(IdleStrategy idle, ErrorHandler errorHandler) {}

    /** Whether it is for the trainer's calls to send. */
    boolean isInvoked() {
        return true;
    }

    /**
     * Sends if that is for the trainer's calls to do. Begins behind the link that sent last: that which is first takes
     * what the budget of the node has left.
     *
     * @return frames sent, and requests taken in
     * @throws io.sluice.messaging.LinkClosedException if a link is closed
     */
    int invoke() {
        int sent = requests.getAsInt();
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

    @Override
    public void close() {}

    private static final class OnAnotherThread extends Sending {
        private final SendingMode mode;
        private final Membership membership;
        private final LinkAgent agent;
        private AutoCloseable thread;

        OnAnotherThread(
                SendingMode mode, Membership membership, PushSender[] senders, IntSupplier requests, NanoClock clock) {
            super(senders, requests);
            this.mode = mode;
            this.membership = membership;
            this.agent = new LinkAgent("sluice-sender", super::invoke, membership, clock);
        }

        @Override
        void start(IdleStrategy idle, ErrorHandler errorHandler) {
            if (SendingMode.SHARED == mode) {
                membership.host(agent);
            } else {
                thread = AgentThreads.inThread(agent, idle, errorHandler);
            }
        }

        @Override
        boolean isInvoked() {
            return false;
        }

        @Override
        int invoke() {
            return 0;
        }

        /** Ends a thread of its own; one that is shared ends with the membership. */
        @Override
        public void close() {
            CloseHelper.quietClose(thread);
        }
    }
}
