package io.sluice.consistency.feedback;

import io.sluice.filter.feedback.NetworkFeedback;
import io.sluice.filter.feedback.SettableFeedback;
import io.sluice.messaging.bandwidth.DeliveryRate;
import java.util.List;

/**
 * Tells the filters of a node what its links carry, clock by clock: whether all have a minimum ({@link Sufficiency}),
 * and how many bytes a clock may send ({@link ClockBudget}).
 *
 * <p>What a link carries is the measured rate of its path, or its budget if that is less. A rate of which the path was
 * never the limit is no measurement: such a link counts as fast. One that was not full for some time is taken to be a
 * quarter better than it was for each {@link #GROWS_NS} of it, for a node that sends little, because little seemed to
 * get through, would never find out otherwise (as BBR probes with 1.25 times its estimate). Samples of an application
 * that sends little do not put that off.
 *
 * <p>For one thread: the one that ends clocks. The rates are told by others. Allocates nothing.
 */
public final class LinkFeedback {
    /**
     * Time without a sample that the path limited, after which a rate is taken to be a quarter better, in nanoseconds.
     */
    public static final long GROWS_NS = 2_000_000_000L;

    /** By how much an insufficient link must exceed the minimum. */
    public static final double MARGIN = 0.2;

    /** Which part of the bandwidth the budget of a clock is. */
    public static final double SHARE = 0.8;

    /** What a clock may always send, in bytes: one slice with something in it. */
    public static final long FLOOR = 4_096;

    private static final double GROWTH = 1.25;
    private static final long UNBOUNDED = Long.MAX_VALUE;

    private final DeliveryRate[] rates;
    private final int shares;
    private final long bound;
    private final Sufficiency sufficiency;
    private final ClockBudget budget;
    private final SettableFeedback told;

    /**
     * Begins, with nothing measured.
     *
     * @param rates       of all links the node sends on; null for those over shared memory
     * @param shares      into how many parts, one a link, what the node sends is divided; 1 where each link carries all
     * @param bound       what each link may carry by its budget, in bytes per second; {@link Long#MAX_VALUE} for all
     * @param minimum     that each link must have to be sufficient, in bytes per second; 0 for none
     * @param isBudgeted  whether the bytes of a clock follow from the rate
     * @param told        what the filters are told through
     */
    public LinkFeedback(
            List<DeliveryRate> rates, int shares, long bound, long minimum, boolean isBudgeted, SettableFeedback told) {
        this.rates = rates.toArray(DeliveryRate[]::new);
        this.shares = shares;
        this.bound = bound;
        this.sufficiency = new Sufficiency(this.rates.length, minimum, MARGIN);
        this.budget = isBudgeted ? new ClockBudget(SHARE, FLOOR) : null;
        this.told = told;
    }

    /**
     * A clock is over.
     *
     * @param nowNs by the clock of the rates
     * @param ownNs that it took without waiting for the network, in nanoseconds
     */
    public void onClock(long nowNs, long ownNs) {
        long slowest = UNBOUNDED;
        for (int link = 0; link < rates.length; link++) {
            long available = available(rates[link], nowNs);
            slowest = Math.min(slowest, available);
            sufficiency.onEstimate(link, available);
        }
        told.sufficient(sufficiency.isSufficient());
        if (null != budget) {
            budget.onClock(ownNs);
            // A clock is over when its slowest link is done, and each has about the same part.
            long bytes = UNBOUNDED == slowest ? ClockBudget.UNKNOWN : budget.bytesPerClock(slowest * shares);
            told.bytesPerClock(ClockBudget.UNKNOWN == bytes ? NetworkFeedback.NO_BUDGET : bytes);
        }
    }

    private long available(DeliveryRate rate, long nowNs) {
        if (null == rate || !rate.isBounded()) {
            return bound;
        }
        double better = Math.pow(GROWTH, rate.boundedAgeNs(nowNs) / GROWS_NS);
        return Math.min(bound, (long) (rate.bytesPerSecond() * better));
    }
}
