package io.sluice.consistency.worker;

import io.sluice.consistency.membership.Membership;
import io.sluice.consistency.terms.Failure;
import io.sluice.consistency.wire.FrameLog;
import io.sluice.consistency.wire.FrameWriter;
import io.sluice.consistency.wire.Resender;
import io.sluice.messaging.counters.CounterType;
import io.sluice.messaging.counters.Tally;
import org.agrona.DirectBuffer;

/**
 * Keeps what it sends over a network, and pushes again, before anything new, what the server asks for (decision 41).
 *
 * <p>For the sending thread. Allocates nothing but when the log grows, or for another link.
 */
class RepeatingSender extends PushSender implements Resender.Way {
    final FrameLog log;
    final Resender resender;
    final Membership membership;
    final int server;
    private final Tally repeated;

    /**
     * Repeats nothing so far.
     *
     * @param parts      what it sends, and where
     * @param membership of this worker
     * @param log        to keep what is sent
     */
    RepeatingSender(Parts parts, Membership membership, FrameLog log) {
        super(parts);
        this.membership = membership;
        this.server = parts.receiver();
        this.log = log;
        this.repeated = membership.counters().tally(CounterType.NODE_PUSHES_REPEATED);
        FrameWriter writer = parts.writer();
        this.resender = new Resender(log, () -> writer.to(server), FrameWriter.PUSHES, this);
    }

    @Override
    void goOver() {
        super.goOver();
        begin();
    }

    /** The link leads to another process than before. */
    void begin() {
        resender.forget();
    }

    /** Whether what goes out on the link is kept. */
    boolean isKept() {
        return link().isUdp();
    }

    @Override
    boolean ask(int table, long round, int sequence) {
        if (null == link() || !link().isUdp()) {
            return false;
        }
        if (!isClosed() && !way.isLeftBehind()) { // else all that it can miss is another's, or goes out anyway
            int before = way.life();
            resender.ask(log.strand(table, 0), round, sequence, nowNs());
            if (before != way.life()) {
                begin(); // another link was opened just when the server came back
            }
        }
        return true;
    }

    @Override
    int sendDue() {
        if (!resender.isSending()) {
            return super.sendDue();
        }
        int sent = resender.work(LIMIT, nowNs());
        repeated.add(sent);
        return sent;
    }

    @Override
    void onSent(DirectBuffer frame, int length) {
        super.onSent(frame, length);
        if (isKept()) {
            log.append(0, frame, length);
        }
    }

    @Override
    public final boolean offer(DirectBuffer buffer, int offset, int length) {
        return pacing().offer(buffer, offset, length);
    }

    @Override
    public final boolean isConnected() {
        return link().isConnected();
    }

    @Override
    public final void reopen() {
        openAnother();
    }

    @Override
    public final void gone(String sentence) {
        throw membership.fail(Failure.PEER_FAILED, membership.plan().nameOf(server) + " " + sentence);
    }
}
