package io.sluice.consistency.membership;

import io.sluice.consistency.terms.ClusterException;
import io.sluice.consistency.terms.Failure;
import java.util.concurrent.TimeUnit;

/**
 * A time in which none of several coordinators leads: training goes on, as far as it does without; this says what is
 * awaited, and when to wait no longer. Used by the membership's thread.
 */
final class LeaderlessTimer {
    private static final long AGAIN_NS = TimeUnit.SECONDS.toNanos(30);

    private final LeaderTracker leaderTracker;
    private final long limitNs;
    private final ControlNetwork network;

    /** Length of the absence when it was last told of; 0 if there is none. */
    private long toldNs;

    /**
     * None so far.
     *
     * @param leaderTracker      knows the coordinators
     * @param limitNs   that one may last, in nanoseconds
     * @param network   through which people hear of it
     */
    LeaderlessTimer(LeaderTracker leaderTracker, long limitNs, ControlNetwork network) {
        this.leaderTracker = leaderTracker;
        this.limitNs = limitNs;
        this.network = network;
    }

    /**
     * Nothing is heard.
     *
     * @param forNs  for how long
     * @param silent the same in words
     * @return why to wait no longer, or null
     */
    ClusterException lasts(long forNs, String silent) {
        if (forNs > limitNs) {
            return new ClusterException(
                    Failure.TIMEOUT,
                    "none of the coordinators at " + leaderTracker.where() + " has led for "
                            + TimeUnit.NANOSECONDS.toMillis(forNs) + " ms, and none is awaited for longer than "
                            + TimeUnit.NANOSECONDS.toMillis(limitNs) + " ms: " + leaderTracker.majority()
                            + " of them must be running and reach each other");
        }
        if (0 == toldNs || forNs - toldNs > AGAIN_NS) {
            toldNs = forNs;
            network.report(leaderTracker.who() + " has been " + silent + " and is awaited, or another of those at "
                    + leaderTracker.where() + ", of which " + leaderTracker.majority() + " must be running, for up to "
                    + TimeUnit.NANOSECONDS.toSeconds(limitNs) + " s; training goes on as far as it does without");
        }
        return null;
    }

    /** A coordinator leads, after so long without one. */
    void ends(long afterNs) {
        boolean told = 0 != toldNs;
        toldNs = 0;
        if (told) {
            network.report(leaderTracker.who() + " leads now; there was none for "
                    + TimeUnit.NANOSECONDS.toMillis(afterNs) + " ms");
        }
    }
}
