package io.sluice.consistency.feedback;

/**
 * Computes how many bytes a node may send in a clock so that its links have sent them before the next clock: bandwidth
 * times the duration of a clock times the share of the bandwidth that is for updates.
 *
 * <p>The duration leaves out the time in which the trainer waits for the network. Otherwise a slow network would cause
 * long clocks, and long clocks large budgets. The duration is smoothed by an eighth, as round-trip times are
 * (RFC 6298). A budget is never below a floor, so that updates make progress.
 *
 * <p>One thread. Nothing is allocated.
 */
public final class ClockBudget {
    /** The budget while the bandwidth or the duration of a clock is unknown. */
    public static final long UNKNOWN = -1;

    private static final double SMOOTHING = 1.0 / 8;
    private static final double NS_PER_SECOND = 1e9;

    private final double share;
    private final long floor;
    private double clockNs;

    /**
     * Creates a budget without measurements.
     *
     * @param share share of the bandwidth that updates may use, above 0 to 1, for instance 0.8
     * @param floor bytes that a clock may always send, 0 or more
     * @throws IllegalArgumentException if one is out of range
     */
    public ClockBudget(double share, long floor) {
        if (!(share > 0 && share <= 1)) {
            throw new IllegalArgumentException("share of the bandwidth is " + share + ", expected above 0 to 1");
        }
        if (floor < 0) {
            throw new IllegalArgumentException("minimum of bytes per clock is " + floor + ", expected 0 or more");
        }
        this.share = share;
        this.floor = floor;
    }

    /**
     * Receives the duration of a clock.
     *
     * @param ns duration without waits for the network; 0 or less is ignored
     */
    public void onClock(long ns) {
        if (ns > 0) {
            clockNs = clockNs == 0 ? ns : clockNs + SMOOTHING * (ns - clockNs);
        }
    }

    /**
     * The budget of later clocks.
     *
     * @param bytesPerSecond bytes per second of all links of the node: the sum of passive estimates of the same time,
     *                       or the minimum of links that are probed in turn over one interface
     * @return bytes, or {@link #UNKNOWN}
     */
    public long bytesPerClock(long bytesPerSecond) {
        if (bytesPerSecond <= 0 || clockNs == 0) {
            return UNKNOWN;
        }
        return Math.max(floor, (long) (bytesPerSecond * (clockNs / NS_PER_SECOND) * share));
    }
}
