package io.sluice.messaging.bandwidth;

import java.util.SplittableRandom;

/**
 * A sender, a link with a queue and a receiver that acknowledges a quarter window at a time, in simulated time. As with
 * Aeron, the sender is ahead of the acknowledged position by at most the receiver's window.
 */
final class Bottleneck {
    static final long STEP_NS = 200_000;

    private static final double NS_PER_SECOND = 1e9;

    private final SplittableRandom random;
    private final long window;
    double capacity;
    double cross;

    /** Bytes a second the application makes; more than the capacity keeps the sender busy. */
    double offered = Double.MAX_VALUE;

    /** Longest delay of an acknowledgement. */
    long jitterNs;

    long nowNs;
    private double produced;
    private long sent;
    private double delivered;
    private long consumed;
    private long reported;
    private long stalledUntilNs;
    private long visible;
    private long visibleAtNs;
    private long pending;

    Bottleneck(SplittableRandom random, double capacity, long window) {
        this.random = random;
        this.capacity = capacity;
        this.window = window;
    }

    /** The receiver pauses; arrivals wait. */
    void stallReceiver(long forNs) {
        stalledUntilNs = nowNs + forNs;
    }

    void run(long forNs, DeliveryRate told) {
        for (long end = nowNs + forNs; nowNs < end; ) {
            nowNs += STEP_NS;
            produce();
            sent = Math.max(sent, (long) Math.min(produced, visible + window));
            delivered = Math.min(sent, delivered + (capacity - cross) * STEP_NS / NS_PER_SECOND);
            acknowledge();
            told.onPositions(nowNs, sent, visible, (long) produced <= sent);
        }
    }

    private void produce() {
        // A busy application is blocked by the log's end, a little above what was sent.
        produced = Math.min(sent + 4.0 * window, produced + Math.min(offered, 1e12) * STEP_NS / NS_PER_SECOND);
    }

    private void acknowledge() {
        if (nowNs >= stalledUntilNs) {
            consumed = (long) delivered;
        }
        if (consumed > reported + window / 4) {
            reported = consumed;
            if (pending == visible) {
                visibleAtNs = nowNs + (jitterNs == 0 ? 0 : random.nextLong(jitterNs));
            }
            pending = reported;
        }
        if (pending > visible && nowNs >= visibleAtNs) {
            visible = pending;
        }
    }
}
