package io.sluice.consistency.membership;

import io.sluice.consistency.terms.ClusterException;
import io.sluice.consistency.terms.Failure;
import java.util.concurrent.TimeUnit;

/**
 * Measures how long no coordinator, of several, has led. Until then training continues as far as it needs no leader.
 * The timer reports the silence, and decides when the node gives up. Used by the membership's thread.
 */
final class LeaderlessTimer {
    private static final long AGAIN_NS = TimeUnit.SECONDS.toNanos(30);

    private final LeaderTracker leaderTracker;
    private final long limitNs;
    private final ControlNetwork network;

    /** Length of the silence in the last report; 0 while a leader is alive. */
    private long reportedNs;

    /**
     * Begins with a leader that is alive.
     *
     * @param leaderTracker names the coordinators
     * @param limitNs       longest time without a leader, in nanoseconds
     * @param network       prints reports for the operator
     */
    LeaderlessTimer(LeaderTracker leaderTracker, long limitNs, ControlNetwork network) {
        this.leaderTracker = leaderTracker;
        this.limitNs = limitNs;
        this.network = network;
    }

    /**
     * Handles the fact that no coordinator has led for a while.
     *
     * @param forNs  length of that time in nanoseconds
     * @param silent length of that time as text, for messages
     * @return the failure with which this node ends; null if it still waits
     */
    ClusterException lasts(long forNs, String silent) {
        if (forNs > limitNs) {
            return new ClusterException(
                    Failure.TIMEOUT,
                    "none of the coordinators at " + leaderTracker.where() + " has led for "
                            + TimeUnit.NANOSECONDS.toMillis(forNs) + " ms, and none is awaited for longer than "
                            + TimeUnit.NANOSECONDS.toMillis(limitNs) + " ms: " + leaderTracker.majority()
                            + " of them must be running and able to reach each other");
        }
        if (0 == reportedNs || forNs - reportedNs > AGAIN_NS) {
            reportedNs = forNs;
            network.report(leaderTracker.leaderName() + " has been " + silent
                    + "; waiting up to " + TimeUnit.NANOSECONDS.toSeconds(limitNs)
                    + " s for it or another leader of the coordinators at " + leaderTracker.where() + ", of which "
                    + leaderTracker.majority() + " must be running; training continues until a decision of a leader is"
                    + " needed");
        }
        return null;
    }

    /** Ends the silence, which lasted for the given time. */
    void ends(long afterNs) {
        boolean wasReported = 0 != reportedNs;
        reportedNs = 0;
        if (wasReported) {
            network.report(leaderTracker.leaderName() + " leads now; there was none for "
                    + TimeUnit.NANOSECONDS.toMillis(afterNs) + " ms");
        }
    }
}
