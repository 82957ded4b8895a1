package io.sluice.cli.launch;

import io.sluice.consistency.terms.DeathPolicy;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Dead workers without which a job continues: under {@link DeathPolicy#SHRINK}, those that had joined its cluster and
 * then ended badly. Safe from any thread.
 */
final class Casualties {
    private static final long PATIENCE_SECONDS = 5;

    private final DeathPolicy onDeath;
    private final PrintStream out;
    private final Set<String> joined = new HashSet<>();
    private final List<Child> spared = new ArrayList<>();
    private boolean over;

    /**
     * None so far.
     *
     * @param onDeath policy of the cluster
     * @param out for messages
     */
    Casualties(DeathPolicy onDeath, PrintStream out) {
        this.onDeath = onDeath;
        this.out = out;
    }

    /** Processes a report of a node: once a worker has joined, the cluster notices its death. */
    synchronized void on(NodeEvent event) {
        if (event instanceof NodeEvent.Joined member && member.node().startsWith("worker")) {
            joined.add(member.node());
        }
    }

    /** Whether the job continues without a child that has failed. */
    synchronized boolean spares(Child child) {
        if (over || onDeath != DeathPolicy.SHRINK || !joined.contains(child.name())) {
            return false;
        }
        spared.add(child);
        if (child.isKilled()) {
            out.printf("%nsluice: %s: the others continue without it%n", child.ending());
        }
        return true;
    }

    /** Why the job ends with a child that it cannot do without. */
    String fatal(Child child) {
        boolean shrinks = onDeath == DeathPolicy.SHRINK
                && child.isKilled()
                && child.name().startsWith("server");
        return child.ending()
                + (shrinks ? ": the job ends, for under --on-death shrink it does without workers only" : "");
    }

    /** How many there are. */
    synchronized int count() {
        return spared.size();
    }

    /** The first of them. */
    synchronized Child first() {
        return spared.getFirst();
    }

    /**
     * The end of all workers, or, where the cluster continues without those that do nothing any more, a moment after
     * the others have left.
     *
     * @param trained completes when all workers have ended
     */
    CompletableFuture<Void> mayHang(CompletableFuture<Void> trained) {
        return onDeath == DeathPolicy.SHRINK
                ? trained.copy().completeOnTimeout(null, PATIENCE_SECONDS, TimeUnit.SECONDS)
                : trained;
    }

    /**
     * Names, at the end of a successful job, the workers that failed and were not named before. While the job ran, the
     * reason of a worker could have been the reason of the whole job.
     */
    synchronized void tell(List<Child> workers) {
        spared.stream().filter(child -> !child.isKilled()).forEach(child -> out.printf("sluice: %s%n", child.ending()));
        workers.stream()
                .filter(Child::isAlive)
                .forEach(child -> out.printf("sluice: %s hangs; the others continued without it%n", child.name()));
    }

    /** Processes that end from now on are ended by the job. */
    synchronized void end() {
        over = true;
    }
}
