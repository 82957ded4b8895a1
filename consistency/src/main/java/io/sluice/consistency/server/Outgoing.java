package io.sluice.consistency.server;

import io.sluice.messaging.Link;
import io.sluice.tree.FanOut;
import java.util.Arrays;

/**
 * The ways on which a server sends.
 *
 * @param broadcasting sends to all; null under push-pull
 * @param fanOut       its links; has none under push-pull
 * @param links        one for each worker that pulls; none otherwise
 * @param replies      sends what workers pull on those links
 */
record Outgoing(Broadcasting broadcasting, FanOut fanOut, Link[] links, ReplyLines replies) {
    static final Outgoing NONE = pulled(new Link[0], ReplyLines.NONE);

    static Outgoing broadcast(Broadcasting broadcasting) {
        return new Outgoing(broadcasting, broadcasting.fanOut(), new Link[0], ReplyLines.NONE);
    }

    static Outgoing pulled(Link[] links, ReplyLines replies) {
        return new Outgoing(null, new FanOut(new Link[0], 1), links, replies);
    }

    /** Sends what links and budgets have room for; returns the number of frames. */
    int flush(long nowNs) {
        int sent = fanOut.flush() + replies.work();
        return null == broadcasting ? sent : sent + broadcasting.work(nowNs);
    }

    /** Frames sent again to receivers that missed them. */
    long framesResent() {
        return null == broadcasting ? 0 : broadcasting.framesResent();
    }

    /** Bytes sent, counted once for each worker that receives them, also where several read one log. */
    long bytes() {
        return null == broadcasting
                ? Arrays.stream(links).mapToLong(Link::bytes).sum()
                : broadcasting.bytes();
    }
}
