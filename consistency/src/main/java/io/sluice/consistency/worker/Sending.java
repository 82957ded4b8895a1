package io.sluice.consistency.worker;

import io.sluice.consistency.membership.AgentThreads;
import io.sluice.consistency.membership.Membership;
import io.sluice.consistency.terms.ThreadingMode;
import io.sluice.messaging.idle.NodeIdle;
import java.util.function.IntSupplier;
import org.agrona.CloseHelper;
import org.agrona.ErrorHandler;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.NanoClock;

/** Runs the senders of all links of a worker, in the trainer's calls or, in a subclass, on another thread. */
class Sending implements AutoCloseable {
    private final PushSender[] senders;
    private final IntSupplier requests;
    private int first;

    private Sending(PushSender[] senders, IntSupplier requests) {
        this.senders = senders;
        this.requests = requests;
    }

    /**
     * Creates the object that runs the senders.
     *
     * @param mode       which thread sends
     * @param membership membership of this worker
     * @param senders    senders by server
     * @param requests   processes requests from servers; returns the number of frames
     * @param clock      monotonic time
     */
    static Sending of(
            ThreadingMode mode, Membership membership, PushSender[] senders, IntSupplier requests, NanoClock clock) {
        return ThreadingMode.INVOKER == mode
                ? new Sending(senders, requests)
                : new OnAnotherThread(mode, membership, senders, requests, clock);
    }

    /** Starts the sending thread, unless the trainer's own calls do the sending. */
    void start(IdleStrategy idle, ErrorHandler errorHandler) {}

    /** Whether the trainer's own calls do the sending. */
    boolean isInvoked() {
        return true;
    }

    /**
     * Sends, if the trainer's own calls do the sending. Begins with the link after the one that sent last, because the
     * link that sends first uses up the remaining budget of the node.
     *
     * @return number of frames sent and requests processed
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

    /** Wakes the thread that sends, if it sleeps, because the trainer has published a frame. */
    void wake() {}

    @Override
    public void close() {}

    private static final class OnAnotherThread extends Sending {
        private final ThreadingMode mode;
        private final Membership membership;
        private final LinkAgent agent;
        private Runnable waker = () -> {};
        private AutoCloseable thread;

        OnAnotherThread(
                ThreadingMode mode,
                Membership membership,
                PushSender[] senders,
                IntSupplier requests,
                NanoClock clock) {
            super(senders, requests);
            this.mode = mode;
            this.membership = membership;
            this.agent = new LinkAgent("sluice-sender", super::invoke, membership, clock);
        }

        @Override
        void start(IdleStrategy idle, ErrorHandler errorHandler) {
            if (ThreadingMode.SHARED == mode) {
                membership.host(agent);
            } else {
                if (idle instanceof NodeIdle sleeper) {
                    waker = sleeper::wake;
                }
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

        @Override
        void wake() {
            waker.run();
        }

        /** Ends its own thread; a shared thread ends with the membership. */
        @Override
        public void close() {
            CloseHelper.quietClose(thread);
        }
    }
}
