package io.sluice.consistency.worker;

import io.sluice.consistency.membership.ClusterState;
import java.util.function.Supplier;
import org.agrona.DirectBuffer;

/**
 * A sender that keeps what it has sent by a network, and sends it again if the server asks for it (decision 7).
 *
 * <p>For the sending thread. Allocates nothing but when the log grows, or for another link.
 */
class RepeatingSender extends PushSender {
    private final PushLog log;
    private final PushRepair repair;

    /** As the other, with what it keeps and how it sends that again. */
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

    /** The receiver is another node than before. */
    void begin(PushRepair again) {
        again.forget();
    }

    @Override
    final boolean ask(int table, long round, int sequence) {
        if (null == link() || !link().isUdp()) {
            return false;
        }
        if (isLeftBehind()) {
            return true; // all that it can miss goes out anyway, or is another's
        }
        long nowNs = nowNs();
        if (repair.ask(table, round, sequence, link().isConnected(), nowNs)) {
            int before = opened();
            reopen();
            repair.reopened(nowNs);
            if (before != opened()) {
                begin(repair); // it has rejoined in this very moment
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

    /** What is in shared memory is there until it has been read. */
    final void keep(DirectBuffer frame, int bytes) {
        log.record(frame, bytes);
    }

    /**
     * Where servers rejoin (decision 9): whatever it has sent by the old link, and the server may have lost with its
     * memory, goes out again by the new one, and what waits comes behind that.
     */
    static final class ToReturning extends RepeatingSender {
        private final Supplier<ClusterState> cluster;

        /** As the other; the state says from which clock on a server goes on. */
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
