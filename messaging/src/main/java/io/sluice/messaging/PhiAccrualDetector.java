package io.sluice.messaging;

/**
 * The arrival times of a peer's heartbeats, and how long it may be silent in view of these times. It only computes with
 * times in nanoseconds that the caller takes from one monotonic clock. Single-threaded; allocates nothing after
 * construction.
 *
 * <p>A peer is overdue once it has been silent for longer than the timeout, and implausibly long given the last
 * intervals between its heartbeats: longer than a normal distribution of their mean and deviation exceeds once in 10^8
 * times (the accrual detector of Hayashibara et al. 2004, section 4, with phi = 8), and longer than twice the longest
 * of them, since pauses of a JVM or a machine are rare, long and not normally distributed (Satzger et al. 2007 use the
 * observed intervals for the same reason). Twice the timeout is always implausible, so that every death is detected;
 * for a peer with fewer than 8 known intervals, nothing less is. The {@link HostLoad} of an overcommitted host extends
 * all of these times.
 */
public final class PhiAccrualDetector {
    /** The longest allowed silence on a host that is not overcommitted, in timeouts. */
    public static final int CEILING = 2;

    /** A standard normal variable is above this once in 10^8 times: phi = 8. */
    private static final double DEVIATIONS = 5.612;

    private static final int GAPS = 128;

    /**
     * Minimum number of intervals that are representative: a JVM that has just started makes longer pauses than later.
     */
    private static final int FEW = 8;

    private final HostLoad load;
    private final long shortestGapNs;
    private final long timeoutNs;
    private final long[] gaps = new long[GAPS];
    private int recorded;
    private long lastHeardNs;
    private long allowedNs;

    /**
     * Creates a detector for a peer whose first heartbeat has just arrived.
     *
     * @param intervalNs nanoseconds between two heartbeats as the peer schedules them.
     * @param timeoutNs nanoseconds of silence that are always allowed.
     * @param load load of the listener's host, which extends the allowed silence.
     * @param nowNs current time.
     */
    public PhiAccrualDetector(long intervalNs, long timeoutNs, HostLoad load, long nowNs) {
        this.load = load;
        this.shortestGapNs = intervalNs / 2;
        this.timeoutNs = timeoutNs;
        restart(nowNs);
    }

    /** Forgets everything, as if the peer's first heartbeat had just arrived. */
    public void restart(long nowNs) {
        recorded = 0;
        lastHeardNs = nowNs;
        allowedNs = CEILING * timeoutNs;
    }

    /** Records a sign of life; ignores one that is older than the last. */
    public void heard(long nowNs) {
        long gapNs = nowNs - lastHeardNs;
        if (gapNs > 0) {
            lastHeardNs = nowNs;
            record(gapNs);
        }
    }

    /**
     * Heartbeats that arrive in a burst after a pause, and other frames between heartbeats, do not count as intervals.
     */
    private void record(long gapNs) {
        if (gapNs < shortestGapNs) {
            return;
        }
        gaps[recorded % GAPS] = gapNs;
        recorded = recorded + 1 == 2 * GAPS ? GAPS : recorded + 1;
        long ceilingNs = CEILING * timeoutNs;
        allowedNs = recorded < FEW ? ceilingNs : Math.max(timeoutNs, Math.min(ceilingNs, plausibleNs()));
    }

    private long plausibleNs() {
        int known = Math.min(recorded, GAPS);
        double sum = 0;
        long longest = 0;
        for (int i = 0; i < known; i++) {
            sum += gaps[i];
            longest = Math.max(longest, gaps[i]);
        }
        double mean = sum / known;
        double squares = 0;
        for (int i = 0; i < known; i++) {
            squares += (gaps[i] - mean) * (gaps[i] - mean);
        }
        return Math.max(2 * longest, (long) (mean + DEVIATIONS * Math.sqrt(squares / known)));
    }

    /**
     * Extends the silence allowed to the peer by a period in which the listener itself was not running.
     *
     * @param stalledNs length of that period in nanoseconds
     */
    public void extendDeadline(long stalledNs) {
        lastHeardNs += stalledNs;
    }

    /** How long the peer has been silent, in nanoseconds. */
    public long silenceNs(long nowNs) {
        return nowNs - lastHeardNs;
    }

    /**
     * How long the peer may be silent, in nanoseconds: one to {@link #CEILING} timeouts, times the load of the host.
     */
    public long allowedNs() {
        return (long) (allowedNs * load.factor());
    }

    /** Whether the peer has been silent for longer than allowed. */
    public boolean isOverdue(long nowNs) {
        return silenceNs(nowNs) > allowedNs && silenceNs(nowNs) > allowedNs();
    }
}
