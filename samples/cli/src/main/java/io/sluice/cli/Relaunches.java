package io.sluice.cli;

import io.sluice.cli.launch.ChildFailedException;
import io.sluice.cli.launch.ChildFailedException.Kind;
import io.sluice.cli.launch.HostCluster;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.DeathPolicy;
import io.sluice.console.ExitCode;
import java.io.PrintStream;
import java.util.concurrent.TimeUnit;

/**
 * Starts all nodes of a job again after a failure that they cannot survive: under {@link DeathPolicy#WAIT}, from the
 * newest snapshot that all nodes hold. A failure while the nodes start counts like any other failure. After {@value
 * #MOST} consecutive failures without progress, or a failure that would recur, the job ends.
 */
final class Relaunches {
    /** Maximum number of consecutive starts without progress; the pauses before them add up to 15 s. */
    static final int MOST = 5;

    private final boolean waits;
    private final String resume;
    private final PrintStream out;
    private long furthest = -1;
    private int count;

    /**
     * Whether one of the consecutive starts followed the refusal of a node, so that another such start would not help.
     */
    private boolean afterRefusal;

    private int jobs;
    private int nodes;

    /**
     * Creates a count of zero relaunches.
     *
     * @param cluster terms that state whether jobs are started again
     * @param resume  the command that resumes from the newest snapshot, or null without snapshots
     * @param out     receives a line for each start
     */
    Relaunches(ClusterSettings cluster, String resume, PrintStream out) {
        this.waits = cluster.onDeath() == DeathPolicy.WAIT;
        this.resume = resume;
        this.out = out;
    }

    /** Whether the next start is not the first: it continues from the newest snapshots. */
    boolean haveBegun() {
        return jobs > 0;
    }

    /** The number of restarts until a cluster completed. */
    Total total(HostCluster last) {
        return new Total(nodes + last.startedAgain(), jobs);
    }

    /**
     * Decides to start the job again, and reports that.
     *
     * @param failed exception of the process that ended it
     * @param cluster cluster that has failed
     * @throws ChildFailedException with the reason to give up, if the job must not be started again
     */
    void require(ChildFailedException failed, HostCluster cluster) {
        require(failed, cluster.wasComplete(), cluster.furthest());
        nodes += cluster.startedAgain();
    }

    void require(ChildFailedException failed, boolean wasComplete, long reached) {
        count = reached > furthest ? 1 : count + 1;
        furthest = Math.max(furthest, reached);
        afterRefusal &= count > 1;
        String reason = waits ? reasonToGiveUp(failed, wasComplete) : "";
        if (reason != null) {
            boolean began = wasComplete || haveBegun();
            String howToContinue = resume == null || !began ? "" : "; to continue from the newest snapshot: " + resume;
            throw new ChildFailedException(
                    failed.getMessage() + reason + howToContinue, failed.exitCode(), failed.kind());
        }
        jobs++;
        afterRefusal |= failed.kind() == Kind.LASTING;
        out.printf(
                "%nsluice: %s: all nodes are started again from the newest snapshot that they share%s (%d of %d)%n",
                failed.getMessage(), pauseSeconds() == 0 ? "" : " in " + pauseSeconds() + " s", count, MOST);
    }

    /**
     * The reason not to start the job again, as text to append to the failure; null to start it again. A node that was
     * refused by itself may be accepted when all nodes start together from an older snapshot. A job that was never
     * complete is started again only if one of its processes was killed: any other failure counts as one of the
     * command.
     */
    private String reasonToGiveUp(ChildFailedException failed, boolean wasComplete) {
        boolean alone = wasComplete && failed.exitCode() == ExitCode.CLUSTER && !afterRefusal;
        boolean lasting = failed.kind() == Kind.LASTING && !alone;
        if (!haveBegun() && (lasting || !wasComplete && failed.kind() != Kind.KILLED)) {
            return "";
        }
        if (lasting) {
            return ": another start of all nodes would fail in the same way";
        }
        return count > MOST ? ": the job has made no progress in " + MOST + " starts of all nodes" : null;
    }

    /**
     * Waits before the next start: not at all before the first consecutive start, then 1 s, and twice as long each
     * time.
     */
    void pause() throws InterruptedException {
        TimeUnit.SECONDS.sleep(pauseSeconds());
    }

    private long pauseSeconds() {
        return count < 2 ? 0 : 1L << (count - 2);
    }

    /**
     * The restarts after deaths.
     *
     * @param nodes servers and workers restarted while the others waited
     * @param jobs number of restarts of all nodes together
     */
    record Total(int nodes, int jobs) {}
}
