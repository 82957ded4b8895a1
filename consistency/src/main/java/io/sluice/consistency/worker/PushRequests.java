package io.sluice.consistency.worker;

import io.sluice.codecs.Frame;
import io.sluice.codecs.Rejection;
import io.sluice.codecs.sbe.MessageHeaderDecoder;
import io.sluice.codecs.sbe.ResendDecoder;
import io.sluice.consistency.membership.ClusterState;
import io.sluice.consistency.membership.Membership;
import io.sluice.consistency.wire.FrameWriter;
import io.sluice.consistency.wire.Inboxes;
import io.sluice.consistency.wire.Peering;
import io.sluice.messaging.FrameHandler;
import org.agrona.DirectBuffer;

/**
 * Where servers ask a worker to push again what they miss. The sending thread reads it: a trainer that waits for room
 * on a link would never come to read that the link leads nowhere.
 *
 * <p>For the sending thread, but for the count. Allocates nothing.
 */
final class PushRequests implements FrameHandler {
    /** All that waits is read before anything new is sent, for no server can miss what is sent then. */
    private static final int LIMIT = 256;

    private final PushSender[] senders;
    private final int tables;
    private final Membership membership;
    private final Inboxes inboxes;
    private final MessageHeaderDecoder header = new MessageHeaderDecoder();
    private final ResendDecoder resend = new ResendDecoder();
    private ClusterState state;

    /**
     * Opens the inbox.
     *
     * @param membership of this worker
     * @param peering    opens it
     * @param senders    by server
     * @param tables     that there are
     */
    PushRequests(Membership membership, Peering peering, PushSender[] senders, int tables) {
        this.senders = senders;
        this.tables = tables;
        this.membership = membership;
        this.state = membership.state();
        this.inboxes = peering.receivePushRequests(this);
    }

    /** Takes in what servers ask for; returns the number of frames. */
    int poll() {
        state = membership.state();
        int work = inboxes.poll(LIMIT);
        for (int more = work; more >= LIMIT; ) {
            more = inboxes.poll(LIMIT);
            work += more;
        }
        return work;
    }

    @Override
    public Action onFrame(DirectBuffer buffer, int offset, int length, int templateId, int session) {
        int server = Frame.origin(buffer, offset);
        if (server >= senders.length) {
            return drop(Rejection.UNKNOWN_ORIGIN);
        }
        int epoch = Frame.epoch(buffer, offset);
        int current = state.member(server).epoch();
        if (epoch < current) {
            return drop(Rejection.STALE_EPOCH);
        }
        if (ResendDecoder.TEMPLATE_ID != templateId || epoch > current) {
            return drop(Rejection.UNEXPECTED); // a server that is not known here yet asks again
        }
        resend.wrapAndApplyHeader(buffer, offset, header);
        boolean sound = FrameWriter.PUSHES == resend.relay()
                && resend.table() < tables
                && resend.clock() >= 0
                && resend.sequence() >= 0;
        if (!sound || !senders[server].ask(resend.table(), resend.clock(), resend.sequence())) {
            return drop(Rejection.UNEXPECTED);
        }
        return Action.CONTINUE;
    }

    private Action drop(Rejection rejection) {
        inboxes.reject(rejection);
        return Action.CONTINUE;
    }

    /** Frames that were dropped because they were not sound, or not meant for this worker. Any thread may ask. */
    long rejected() {
        return inboxes.rejected();
    }
}
