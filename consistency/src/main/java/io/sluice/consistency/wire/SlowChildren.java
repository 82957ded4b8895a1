package io.sluice.consistency.wire;

import io.sluice.consistency.membership.Membership;
import io.sluice.messaging.Link;
import io.sluice.messaging.counters.CounterType;
import io.sluice.messaging.counters.Tally;
import io.sluice.tree.FrameRing;
import io.sluice.tree.SlowLinks;
import io.sluice.tree.Uplink;
import org.agrona.ErrorHandler;

/**
 * Receivers of broadcasts that take too little for the others that hang on the same sender: counts them, and tells of
 * each. Where versions wait for every worker's pushes, a receiver is let go: how far it can fall behind is bounded, and
 * its servers keep what it misses. Else (TAP, backup workers) nothing would bound that, so the others wait for it. For
 * the thread that sends.
 */
public final class SlowChildren implements SlowLinks {
    private final boolean lettingGo;
    private final Uplink uplink = new Uplink();
    private final Tally count;
    private final ErrorHandler told;

    /**
     * None so far.
     *
     * @param membership of the node that sends
     * @param told       hears of each
     */
    public SlowChildren(Membership membership, ErrorHandler told) {
        this.lettingGo = membership.plan().settings().rule().isBounded();
        this.count = membership.counters().tally(CounterType.NODE_CHILDREN_SLOW);
        this.told = told;
    }

    /**
     * Finds those of a ring from now on.
     *
     * @param ring  that sends
     * @param forNs how long a receiver has to be slow, in nanoseconds
     */
    public void watch(FrameRing ring, long forNs) {
        ring.watchPace(forNs, lettingGo, uplink, this);
    }

    @Override
    public void onSlow(Link link, long taken, long came) {
        count.increment();
        told.onError(new SlowChildException(link.label(), taken, came, lettingGo));
    }
}
