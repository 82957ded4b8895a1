package io.sluice.consistency.feedback;

/**
 * How many bytes a node may send in a clock so that its links are done with them before the next: the bandwidth it has,
 * times the time a clock takes, times the share of both that is meant for updates.
 *
 * <p>The time of a clock is what the trainer takes without waiting for the network; were the waiting counted, a slow
 * network would make long clocks, and long clocks large budgets. It is smoothed by an eighth, as round trips are
 * (RFC 6298), and a budget never goes below a floor, for an update must get through at last.
 *
 * <p>One thread. Nothing is allocated.
 */
public final class ClockBudget {
    /** The budget as long as the bandwidth or the time of a clock is not known. */
    public static final long UNKNOWN = -1;

    private static final double SMOOTHING = 1.0 / 8;
    private static final double NS_PER_SECOND = 1e9;

    private final double share;
    private final long floor;
    private double clockNs;

    /**
     * With nothing measured yet.
     *
     * @param share of the bandwidth that updates may take, above 0 to 1, for instance 0.8
     * @param floor bytes that a clock may always send, 0 or more
     * @throws IllegalArgumentException if one is out of range
     */
    public ClockBudget(double share, long floor) {
        if (!(share > 0 && share <= 1)) {
            throw new IllegalArgumentException("share of the bandwidth is " + share + ", expected above 0 to 1");
        }
        if (floor < 0) {
            throw new IllegalArgumentException("least bytes per clock is " + floor + ", expected 0 or more");
        }
        this.share = share;
        this.floor = floor;
    }

    /**
     * Takes the time of a clock.
     *
     * @param ns that it took without waiting for the network; 0 or less is ignored
     */
    public void onClock(long ns) {
        if (ns > 0) {
            clockNs = clockNs == 0 ? ns : clockNs + SMOOTHING * (ns - clockNs);
        }
    }

    /**
     * The budget of the clocks to come.
     *
     * @param bytesPerSecond that the node's links have together: of passive estimates made at the same time their sum,
     *                       of links probed one after the other over one interface the least
     * @return bytes, or {@link #UNKNOWN}
     */
    public long bytesPerClock(long bytesPerSecond) {
        if (bytesPerSecond <= 0 || clockNs == 0) {
            return UNKNOWN;
        }
        return Math.max(floor, (long) (bytesPerSecond * (clockNs / NS_PER_SECOND) * share));
    }
}
