package io.sluice.tree;

import java.util.concurrent.TimeUnit;

/**
 * Finds links that move, but hold up all that goes through a ring. Time is cut into spans, and in several of them in a
 * row such a link has a frame wait for it for three quarters of the span, and takes at most a quarter of what has come
 * at the best of times, while all that go over the network, of this ring and of others that are held up as well, take
 * at most half of that together: else it is the node's own uplink that is busy, and nothing would be gained without the
 * one. A link that waits for a budget does not count. A receiver that itself passes frames on may be held up by one of
 * its own, so it is given two spans more for each that may stand in a row behind it: whoever is nearest to the cause
 * acts first, and then those above see their links move.
 *
 * <p>Used by one thread. Allocates nothing.
 */
final class RingPace {
    /** Spans in a row that make a link slow. */
    static final int SPANS = 4;

    /** More of them for each relay behind a link. */
    static final int SPANS_PER_RELAY = 2;

    private static final int SLOW = 4;
    private static final int IDLE_UPLINK = 2;

    /** In so many parts a span's pace is measured: a ring may be full after a part of a span. */
    private static final int PARTS = 4;

    /** What share of the best pace is forgotten in a span in which nobody waited. */
    private static final int FORGET = 16;

    private final long spanNs;
    private final boolean lettingGo;
    private final Uplink uplink;
    private final SlowLinks told;

    private boolean begun;
    private long beganNs;
    private long lastNs;
    private long partBeganNs;
    private long cameInPart;

    /** Most that has come in a part of a span, in bytes per second. */
    private long best;

    /** For how long some link over the network has held up the ring, now this one, now that, in the span. */
    private long heldNs;

    /** What links over the network took in the last span, in bytes per second; 0 if they did not hold up the ring. */
    private long takenWhileHeld;

    /** Until when that says something of the uplink. */
    private long saysUntilNs;

    /**
     * Begins to judge.
     *
     * @param forNs     how long a link without relays behind it has to be slow
     * @param lettingGo whether a slow link is let go
     * @param uplink    of the node
     * @param told      of each
     */
    RingPace(long forNs, boolean lettingGo, Uplink uplink, SlowLinks told) {
        this.spanNs = Math.max(1, forNs / SPANS);
        this.lettingGo = lettingGo;
        this.uplink = uplink;
        this.told = told;
        uplink.add(this);
    }

    /** A frame has come, and has been taken into the ring. */
    void came(int length) {
        cameInPart += length;
    }

    /** To be called before each frame is tried: those that held up the last one have done so until now. */
    void look(RingLink[] links, long nowNs) {
        boolean held = false;
        for (RingLink link : links) {
            link.heldUpTo(nowNs - lastNs);
            held |= link.isHoldingUp() && link.outlet().link().isUdp();
        }
        heldNs += held ? nowNs - lastNs : 0;
        lastNs = nowNs;
        if (begun && nowNs - partBeganNs >= spanNs / PARTS) {
            best = Math.max(best, perSecond(cameInPart, nowNs - partBeganNs));
            partBeganNs = nowNs;
            cameInPart = 0;
        }
        long elapsedNs = nowNs - beganNs;
        if (begun && elapsedNs < spanNs) {
            return;
        }
        // In a span that took far longer nobody looked: there was nothing to send, or this thread stood still.
        if (begun && elapsedNs < 2 * spanNs) {
            measure(links, elapsedNs, nowNs);
            judge(links, elapsedNs, nowNs);
        } else {
            for (RingLink link : links) {
                link.endSpan(0);
            }
        }
        if (!begun) {
            partBeganNs = nowNs;
            cameInPart = 0;
        }
        begun = true;
        beganNs = nowNs;
        heldNs = 0;
    }

    private void measure(RingLink[] links, long elapsedNs, long nowNs) {
        long taken = 0;
        for (RingLink link : links) {
            taken += link.outlet().link().isUdp() ? link.takenInSpan() : 0;
        }
        takenWhileHeld = isMost(heldNs, elapsedNs) ? perSecond(taken, elapsedNs) : 0;
        saysUntilNs = nowNs + 2 * spanNs;
    }

    /** What links over the network took of late, in bytes per second; 0 if they did not hold up the ring. */
    long takenWhileHeld(long nowNs) {
        return nowNs - saysUntilNs < 0 ? takenWhileHeld : 0;
    }

    private static boolean isMost(long heldNs, long elapsedNs) {
        return heldNs >= elapsedNs - elapsedNs / SLOW;
    }

    private void judge(RingLink[] links, long elapsedNs, long nowNs) {
        boolean uplinkIsBusy = uplink.takenWhileHeld(nowNs) > best / IDLE_UPLINK;
        boolean free = true;
        for (RingLink link : links) {
            boolean holdsUp = isMost(link.heldNs(), elapsedNs);
            free &= !holdsUp;
            long taken = perSecond(link.takenInSpan(), elapsedNs);
            boolean shares = uplinkIsBusy && link.outlet().link().isUdp();
            int before = link.slowSpans();
            boolean slow = holdsUp && !shares && taken <= best / SLOW;
            int spans = slow ? before + (taken > 0 ? 1 : 0) : 0; // one that stands is not this one's to judge
            link.endSpan(spans);
            int most = SPANS + SPANS_PER_RELAY * link.relaysBehind();
            if (spans > before && spans >= most && link.beginsEpisode()) {
                told.onSlow(link.outlet().link(), taken, best);
                if (lettingGo) {
                    link.letGo();
                }
            }
        }
        best -= free ? best / FORGET : 0;
    }

    private static long perSecond(long bytes, long elapsedNs) {
        return (long) ((double) bytes / Math.max(1, elapsedNs) * TimeUnit.SECONDS.toNanos(1));
    }
}
