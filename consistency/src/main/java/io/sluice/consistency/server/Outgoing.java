package io.sluice.consistency.server;

import io.sluice.consistency.membership.ClusterPlan;
import io.sluice.consistency.wire.Peering;
import io.sluice.messaging.Link;
import io.sluice.messaging.outbox.NodeBudget;
import io.sluice.messaging.outbox.Pacing;
import java.util.Arrays;

/**
 * By what a server sends.
 *
 * @param broadcasting sends to all; null under push-pull
 * @param links        one for each worker that pulls; none otherwise
 * @param replies      sends what workers pull on those links
 */
record Outgoing(Broadcasting broadcasting, Link[] links, ReplyLines replies) {
    static final Outgoing NONE = pulled(new Link[0], ReplyLines.NONE);

    static Outgoing broadcast(Broadcasting broadcasting) {
        return new Outgoing(broadcasting, new Link[0], ReplyLines.NONE);
    }

    /** What workers pull goes to each on a link of its own. */
    static Outgoing replies(ClusterPlan plan, Peering peering, NodeBudget budget, int frames, int tables) {
        Link[] links = new Link[plan.settings().workers()];
        Arrays.setAll(links, worker -> peering.replyLinkTo(plan.workerNode(worker)));
        Pacing[] pacings =
                Arrays.stream(links).map(link -> peering.pace(link, budget)).toArray(Pacing[]::new);
        int sliceElements = plan.settings().sliceElements();
        return pulled(links, new ReplyLines(links, pacings, frames, tables, sliceElements, peering.longestFrame()));
    }

    static Outgoing pulled(Link[] links, ReplyLines replies) {
        return new Outgoing(null, links, replies);
    }

    /** Sends what links and budgets have room for; returns the number of frames. */
    int flush(long nowNs) {
        return replies.work() + (null == broadcasting ? 0 : broadcasting.work(nowNs));
    }

    /** Sends a worker again what it misses; false if nothing is kept for that. */
    boolean resend(int worker, boolean relay, int table, int way, long version, int sequence) {
        return null != broadcasting && broadcasting.resend(worker, relay, table, way, version, sequence);
    }

    /** Sends to a worker where it is now. */
    void reopen(int worker) {
        if (null != broadcasting) {
            broadcasting.reopen(worker);
        }
    }

    /** Whether a worker may have to be sent again what it misses. */
    boolean sendsTo(int worker) {
        return null == broadcasting || broadcasting.sendsTo(worker);
    }

    /** Digest of the trees as this server has planned them; 0 where it broadcasts nothing. */
    int plannedTrees() {
        return null == broadcasting ? 0 : broadcasting.plannedTrees();
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
