package io.sluice.samples;

import io.sluice.consistency.membership.ClusterSettings;
import io.sluice.consistency.membership.DeathPolicy;
import io.sluice.samples.launch.ChildFailedException;
import io.sluice.samples.launch.LocalCluster;
import java.io.PrintStream;

/**
 * How often a whole job is started again because server 0, and with it the coordinator, has died: under
 * {@link DeathPolicy#WAIT}, from the newest snapshot that all nodes hold, {@value #MOST} times in a row without
 * progress.
 */
final class Relaunches {
    private static final int MOST = 3;

    private final boolean waits;
    private final PrintStream out;
    private long furthest = -1;
    private int count;
    private int jobs;
    private int nodes;

    /**
     * None so far.
     *
     * @param cluster says whether jobs are started again
     * @param out     hears of them
     */
    Relaunches(ClusterSettings cluster, PrintStream out) {
        this.waits = cluster.onDeath() == DeathPolicy.WAIT;
        this.out = out;
    }

    /** Whether the next start is not the first: it goes on from the newest snapshots. */
    boolean haveBegun() {
        return jobs > 0;
    }

    /** How often anything was started again until a cluster came to its end. */
    Total total(LocalCluster last) {
        return new Total(nodes + last.startedAgain(), jobs);
    }

    /**
     * Decides to start the job again, and says so.
     *
     * @param failed  the process that ended it
     * @param cluster that has failed
     * @throws ChildFailedException the one given, if it is not for this to mend, or was mended too often
     */
    void require(ChildFailedException failed, LocalCluster cluster) {
        count = cluster.furthest() > furthest ? 1 : count + 1;
        furthest = Math.max(furthest, cluster.furthest());
        if (!waits || !cluster.wasComplete() || failed.exitCode() != ExitCode.CLUSTER || count > MOST) {
            throw failed;
        }
        jobs++;
        nodes += cluster.startedAgain();
        out.printf(
                "%nsluice: %s: all nodes are started again from the newest snapshot that they share (%d of %d)%n",
                failed.getMessage(), count, MOST);
    }

    /**
     * What was started again in place of what had died.
     *
     * @param nodes servers and workers, while the others waited
     * @param jobs  times that all nodes were
     */
    record Total(int nodes, int jobs) {}
}
