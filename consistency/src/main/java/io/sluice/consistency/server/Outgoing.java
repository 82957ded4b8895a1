package io.sluice.consistency.server;

import io.sluice.messaging.Link;
import io.sluice.tree.FanOut;

/**
 * The links on which a server sends.
 *
 * @param links     one per hop of a broadcast, or one per worker that pulls
 * @param receivers how many workers each link reaches
 * @param fanOut    sends broadcasts; has no links under push-pull
 * @param replies   sends what workers pull; has no links otherwise
 */
record Outgoing(Link[] links, int[] receivers, FanOut fanOut, ReplyLines replies) {
    static final Outgoing NONE = new Outgoing(new Link[0], new int[0], new FanOut(new Link[0], 1), ReplyLines.NONE);

    /** Sends what links and budgets have room for; returns the number of frames. */
    int flush() {
        return fanOut.flush() + replies.work();
    }

    /** Bytes sent, counted once for each worker that receives them, also where several read one log. */
    long bytes() {
        long bytes = 0;
        for (int i = 0; i < links.length; i++) {
            bytes += links[i].bytes() * receivers[i];
        }
        return bytes;
    }
}
