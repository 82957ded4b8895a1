package io.sluice.consistency.feedback;

import io.sluice.filter.feedback.SettableFeedback;
import io.sluice.filter.spi.NetworkFeedback;
import io.sluice.messaging.bandwidth.DeliveryRate;
import java.util.List;

/**
 * Gives the filters of a node, in each clock, the capacity of its links: whether all links have a minimum rate
 * ({@link Sufficiency}), and how many bytes a clock may send ({@link ClockBudget}).
 *
 * <p>The capacity of a link is the measured rate of its path, or its budget if that is less. A rate that the path never
 * limited is not a measurement, so such a link counts as unlimited. The capacity of a link grows by a quarter for each
 * {@link #GROWS_NS} in which the path did not limit it. Otherwise a node that sends little because of a low estimate
 * would never measure more (BBR probes with 1.25 times its estimate for the same reason). Samples of an application
 * that sends little do not delay the growth.
 *
 * <p>For the thread that ends clocks. Other threads update the rates. Allocates nothing.
 */
public final class LinkFeedback {
    /**
     * Time without a sample that the path limited, in nanoseconds, after which the estimate of a rate grows by a
     * quarter.
     */
    public static final long GROWS_NS = 2_000_000_000L;

    /** Share by which an insufficient link must exceed the minimum to become sufficient. */
    public static final double MARGIN = 0.2;

    /** Share of the bandwidth that the budget of a clock uses. */
    public static final double SHARE = 0.8;

    /** Number of bytes that a clock may always send: one slice that is not empty. */
    public static final long FLOOR = 4_096;

    private static final double GROWTH = 1.25;
    private static final long UNBOUNDED = Long.MAX_VALUE;

    private final DeliveryRate[] rates;
    private final int shares;
    private final long bound;
    private final Sufficiency sufficiency;
    private final ClockBudget budget;
    private final SettableFeedback sink;

    /**
     * Creates feedback without measurements.
     *
     * @param rates      rates of all links on which the node sends; null for those over shared memory
     * @param shares     number of links among which the node divides what it sends; 1 where each link carries all
     * @param bound      budget of each link, in bytes per second; {@link Long#MAX_VALUE} for none
     * @param minimum    rate of a sufficient link, in bytes per second; 0 for none
     * @param isBudgeted whether a budget of bytes for each clock is computed from the rate
     * @param sink       receives the capacity for the filters
     */
    public LinkFeedback(
            List<DeliveryRate> rates, int shares, long bound, long minimum, boolean isBudgeted, SettableFeedback sink) {
        this.rates = rates.toArray(DeliveryRate[]::new);
        this.shares = shares;
        this.bound = bound;
        this.sufficiency = new Sufficiency(this.rates.length, minimum, MARGIN);
        this.budget = isBudgeted ? new ClockBudget(SHARE, FLOOR) : null;
        this.sink = sink;
    }

    /**
     * Ends a clock.
     *
     * @param nowNs time by the clock of the rates
     * @param ownNs duration of the clock without waits for the network, in nanoseconds
     */
    public void onClock(long nowNs, long ownNs) {
        long slowest = UNBOUNDED;
        for (int link = 0; link < rates.length; link++) {
            long available = available(rates[link], nowNs);
            slowest = Math.min(slowest, available);
            sufficiency.onEstimate(link, available);
        }
        sink.setSufficient(sufficiency.isSufficient());
        if (null != budget) {
            budget.onClock(ownNs);
            // A clock ends when its slowest link has sent its part, and the parts are about equal.
            long bytes = UNBOUNDED == slowest ? ClockBudget.UNKNOWN : budget.bytesPerClock(slowest * shares);
            sink.bytesPerClock(ClockBudget.UNKNOWN == bytes ? NetworkFeedback.NO_BUDGET : bytes);
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
