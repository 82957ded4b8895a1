package io.sluice.consistency.worker;

import io.sluice.messaging.bandwidth.DeliveryRate;
import io.sluice.tree.BroadcastTree;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Detects that a relay's uplink has become slow (decision 6), by the rates of its links to children.
 *
 * <p>In each interval it judges the sum of the rates, unless some link had no sample in that interval which its path
 * limited: a link that has nothing to send, or that a budget holds back, shows nothing about the uplink. A child that
 * is slow while others are not leaves the links to the others without such samples. The judgement counts once it is the
 * same {@value #TIMES} times in a row.
 *
 * <p>For one thread.
 */
final class Uplink {
    /** Longer than the time between two acknowledgements on a slow link. */
    static final long INTERVAL_NS = TimeUnit.SECONDS.toNanos(2);

    static final int TIMES = 3;

    private final Judge judge;

    /** The trees by which this worker forwards. */
    private List<BroadcastTree> trees = List.of();

    /** The highest rate that any link has had. */
    private long best;

    private int times;
    private boolean looked;
    private long lookedNs;

    /** Judges the rate of an uplink. */
    @FunctionalInterface
    interface Judge {
        /**
         * Whether other nodes should forward in place of this one.
         *
         * @param rate bytes per second of all links together
         * @param best the highest rate of any link so far, in bytes per second
         */
        boolean isSlow(double rate, double best);
    }

    Uplink(Judge judge) {
        this.judge = judge;
    }

    /** Whether an interval has passed since the last call that returned true. */
    boolean isTime(long nowNs) {
        if (looked && nowNs - lookedNs < INTERVAL_NS) {
            return false;
        }
        looked = true;
        lookedNs = nowNs;
        return true;
    }

    /**
     * Looks at the rates. Call it when {@link #isTime} returns true.
     *
     * @param nowNs time by the clock of the rates
     * @param rates rates of all present links over the network
     * @return whether the uplink is slow, and was the last times
     */
    boolean isSlow(long nowNs, List<DeliveryRate> rates) {
        boolean isUsed = !rates.isEmpty();
        long sum = 0;
        for (int i = 0; i < rates.size(); i++) {
            DeliveryRate rate = rates.get(i);
            best = Math.max(best, rate.bytesPerSecond());
            sum += rate.bytesPerSecond();
            isUsed &= rate.boundedAgeNs(nowNs) < INTERVAL_NS;
        }
        if (isUsed) {
            times = judge.isSlow(sum, best) ? times + 1 : 0;
        }
        return isUsed && times >= TIMES;
    }

    /** Begins anew if the trees are not the same as before, because links may have changed. */
    void follow(List<BroadcastTree> now) {
        if (!now.equals(trees)) {
            trees = now;
            times = 0;
        }
    }
}
