package io.sluice.messaging;

/**
 * When one peer's signs of life came, and how long it may be silent in view of that. Only arithmetic on times in
 * nanoseconds that the caller takes from one monotonic clock. Single-threaded; allocates nothing after construction.
 *
 * <p>A peer is overdue once it has been silent for longer than the timeout, and implausibly long in view of the last
 * gaps between its signs of life: longer than a normal distribution of their mean and deviation exceeds once in 10^8
 * times (the accrual detector of Hayashibara et al. 2004, section 4, with phi = 8), and longer than twice the longest
 * of them, since pauses of a JVM or a machine are rare and long, and in no normal distribution (Satzger et al. 2007
 * take the gaps observed for the same reason). Twice the timeout is always implausible, so that a death is never
 * missed; and nothing less is of a peer of which fewer than 8 gaps are known. On a host that is overcommitted all of
 * that is longer by its {@link HostLoad}.
 */
public final class PhiAccrualDetector {
    /** The most that can be allowed, in timeouts, on a host that is not overcommitted. */
    public static final int CEILING = 2;

    /** A standard normal variable is above this once in 10^8 times: phi = 8. */
    private static final double DEVIATIONS = 5.612;

    private static final int GAPS = 128;

    /** So few gaps tell nothing of what is usual: a JVM that has just started pauses longer than it will. */
    private static final int FEW = 8;

    private final HostLoad load;
    private final long shortestGapNs;
    private final long timeoutNs;
    private final long[] gaps = new long[GAPS];
    private int recorded;
    private long lastHeardNs;
    private long allowedNs;

    /**
     * Of a peer that is heard of now for the first time.
     *
     * @param intervalNs between two signs of life as the peer means to send them.
     * @param timeoutNs of silence that is always allowed.
     * @param load of the host of the listener, by which all that is allowed is longer.
     * @param nowNs the clock now.
     */
    public PhiAccrualDetector(long intervalNs, long timeoutNs, HostLoad load, long nowNs) {
        this.load = load;
        this.shortestGapNs = intervalNs / 2;
        this.timeoutNs = timeoutNs;
        restart(nowNs);
    }

    /** Forgets everything, as if the peer had been heard of now for the first time. */
    public void restart(long nowNs) {
        recorded = 0;
        lastHeardNs = nowNs;
        allowedNs = CEILING * timeoutNs;
    }

    /** Takes note of a sign of life; of one that is older than the last, it takes none. */
    public void heard(long nowNs) {
        long gapNs = nowNs - lastHeardNs;
        if (gapNs > 0) {
            lastHeardNs = nowNs;
            record(gapNs);
        }
    }

    /** Signs that come in a bunch after a pause, and news between heartbeats, tell nothing of silences. */
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

    /** Does not count a time in which the listener itself was held up, in nanoseconds. */
    public void forgive(long stalledNs) {
        lastHeardNs += stalledNs;
    }

    /** How long the peer has been silent, in nanoseconds. */
    public long silenceNs(long nowNs) {
        return nowNs - lastHeardNs;
    }

    /** How long it may be silent, in nanoseconds: one to {@link #CEILING} timeouts, times the load of the host. */
    public long allowedNs() {
        return (long) (allowedNs * load.factor());
    }

    /** Whether it has been silent for longer than it may be. */
    public boolean isOverdue(long nowNs) {
        return silenceNs(nowNs) > allowedNs && silenceNs(nowNs) > allowedNs();
    }
}
