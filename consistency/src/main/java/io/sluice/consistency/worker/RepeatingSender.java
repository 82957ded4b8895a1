package io.sluice.consistency.worker;

import io.sluice.consistency.membership.ClusterState;
import java.util.function.Supplier;
import org.agrona.DirectBuffer;

/**
 * A sender that keeps the frames it has sent over a network and repeats them on request (decision 7).
 *
 * <p>For the sending thread. Allocates only when the log grows or a link is opened.
 */
class RepeatingSender extends PushSender {
    private final PushLog log;
    private final PushRepair repair;

    /** Creates a sender with the kept frames and their repetition. */
    RepeatingSender(Parts parts, PushLog log, PushRepair repair) {
        super(parts);
        this.log = log;
        this.repair = repair;
    }

    @Override
    void change() {
        super.change();
        begin(repair);
    }

    /** Starts again for a receiver that has taken the place of another. */
    void begin(PushRepair again) {
        again.forget();
    }

    @Override
    final boolean ask(int table, long round, int sequence) {
        if (null == link() || !link().isUdp()) {
            return false;
        }
        if (isLeftBehind()) {
            // Either a new incarnation holds the receiver's place, and this sender repeats frames on a new link; or
            // this sender is closed, because another server owns the slices.
            return true;
        }
        long nowNs = nowNs();
        if (repair.ask(table, round, sequence, link().isConnected(), nowNs)) {
            int before = opened();
            reopen();
            repair.reopened(nowNs);
            if (before != opened()) {
                begin(repair); // the server has just rejoined
            }
        }
        return true;
    }

    @Override
    final boolean isRepeating() {
        return repair.isRepeating();
    }

    @Override
    final int repeat(int limit) {
        return repair.work(pacing(), limit, nowNs());
    }

    @Override
    void onSent(DirectBuffer frame, int bytes) {
        if (link().isUdp()) {
            keep(frame, bytes);
        }
    }

    /** Keeps a frame, unless it is in shared memory, where it stays until it is read. */
    final void keep(DirectBuffer frame, int bytes) {
        log.record(frame, bytes);
    }

    /**
     * For servers that rejoin (decision 9): the new link first repeats the frames that the server may have lost with
     * its memory, and then sends the waiting frames.
     */
    static final class ToReturning extends RepeatingSender {
        private final Supplier<ClusterState> cluster;

        /** Creates such a sender; the state gives the clock from which a server continues. */
        ToReturning(Parts parts, PushLog log, PushRepair repair, Supplier<ClusterState> cluster) {
            super(parts, log, repair);
            this.cluster = cluster;
        }

        @Override
        void change() {
            reopen();
            begin(super.repair);
        }

        @Override
        void begin(PushRepair again) {
            again.rejoin(cluster.get().member(receiver()).start().clock());
        }

        @Override
        void onSent(DirectBuffer frame, int bytes) {
            keep(frame, bytes);
        }
    }
}
