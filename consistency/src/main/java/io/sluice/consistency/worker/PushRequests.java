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
import java.util.function.IntFunction;
import org.agrona.DirectBuffer;

/**
 * The inbox for requests of receivers to repeat pushes. The sending thread reads it, because a trainer that waits for a
 * broken link would never read the request that reveals the break.
 *
 * <p>For the sending thread, except for the counter. Allocates nothing.
 */
final class PushRequests implements FrameHandler {
    /** Large enough to read all waiting requests before new frames are sent. */
    private static final int LIMIT = 256;

    private final IntFunction<PushSender> senders;
    private final int tables;
    private final Membership membership;
    private final Inboxes inboxes;
    private final MessageHeaderDecoder header = new MessageHeaderDecoder();
    private final ResendDecoder resend = new ResendDecoder();
    private ClusterState state;

    /**
     * Opens the inbox.
     *
     * @param membership membership of this worker
     * @param peering    opens the inbox
     * @param senders    senders by node; null for a node to which this worker does not push
     * @param tables     number of tables
     */
    PushRequests(Membership membership, Peering peering, IntFunction<PushSender> senders, int tables) {
        this.senders = senders;
        this.tables = tables;
        this.membership = membership;
        this.state = membership.state();
        this.inboxes = peering.receivePushRequests(this);
    }

    /** Processes requests; returns the number of frames. */
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
        int node = Frame.origin(buffer, offset);
        PushSender sender = senders.apply(node);
        if (null == sender) {
            return drop(Rejection.UNKNOWN_ORIGIN);
        }
        int epoch = Frame.epoch(buffer, offset);
        int current = state.member(node).epoch();
        if (epoch < current) {
            return drop(Rejection.STALE_EPOCH);
        }
        if (ResendDecoder.TEMPLATE_ID != templateId || epoch > current) {
            return drop(Rejection.UNEXPECTED); // a node that is not known yet repeats its request
        }
        resend.wrapAndApplyHeader(buffer, offset, header);
        boolean valid = FrameWriter.PUSHES == resend.relay()
                && resend.table() < tables
                && resend.clock() >= 0
                && resend.sequence() >= 0;
        if (!valid || !sender.ask(resend.table(), resend.clock(), resend.sequence())) {
            return drop(Rejection.UNEXPECTED);
        }
        return Action.CONTINUE;
    }

    private Action drop(Rejection rejection) {
        inboxes.reject(rejection);
        return Action.CONTINUE;
    }

    /** Number of dropped frames: invalid, or for another worker. For any thread. */
    long rejected() {
        return inboxes.rejected();
    }
}
