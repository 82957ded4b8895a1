package io.sluice.consistency.server;

import io.sluice.messaging.Link;
import io.sluice.messaging.outbox.Pacing;
import io.sluice.tree.FanOut;

/**
 * The links on which a server sends.
 *
 * @param links     one per hop of a broadcast, or one per worker that pulls
 * @param pacings   when each link may send; none for broadcasts that never wait
 * @param receivers how many workers each link reaches
 * @param fanOut    sends broadcasts; has no links under push-pull
 */
record Outgoing(Link[] links, Pacing[] pacings, int[] receivers, FanOut fanOut) {
    static final Outgoing NONE = new Outgoing(new Link[0], new Pacing[0], new int[0], new FanOut(new Link[0], 1));

    /** Bytes sent, counted once for each worker that receives them, also where several read one log. */
    long bytes() {
        long bytes = 0;
        for (int i = 0; i < links.length; i++) {
            bytes += links[i].bytes() * receivers[i];
        }
        return bytes;
    }
}
