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
 * The dead workers without which a job continues: under {@link DeathPolicy#SHRINK}, workers that had joined its cluster
 * and then failed. Safe from any thread.
 */
final class Casualties {
    private static final long PATIENCE_SECONDS = 5;

    private final DeathPolicy onDeath;
    private final PrintStream out;
    private final Set<String> joined = new HashSet<>();
    private final List<Child> spared = new ArrayList<>();
    private boolean over;

    /**
     * Creates an empty list of dead workers.
     *
     * @param onDeath policy of the cluster
     * @param out stream for messages
     */
    Casualties(DeathPolicy onDeath, PrintStream out) {
        this.onDeath = onDeath;
        this.out = out;
    }

    /** Processes a report from a node: once a worker has joined, the cluster detects its death. */
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

    /** Describes the failure of a child without which the job cannot continue. */
    String fatal(Child child) {
        boolean shrinks = onDeath == DeathPolicy.SHRINK
                && child.isKilled()
                && child.name().startsWith("server");
        return child.ending()
                + (shrinks
                        ? ": the job ends, because --on-death shrink tolerates the loss of workers, not of servers"
                        : "");
    }

    /** The number of dead workers. */
    synchronized int count() {
        return spared.size();
    }

    /** The first dead worker. */
    synchronized Child first() {
        return spared.getFirst();
    }

    /**
     * Completes with the end of all workers or, if the cluster continues without workers that hang, a moment after the
     * others have left.
     *
     * @param trained completes when all workers have ended
     */
    CompletableFuture<Void> mayHang(CompletableFuture<Void> trained) {
        return onDeath == DeathPolicy.SHRINK
                ? trained.copy().completeOnTimeout(null, PATIENCE_SECONDS, TimeUnit.SECONDS)
                : trained;
    }

    /**
     * Names, at the end of a successful job, the failed workers that were not named before. Until then the failure of a
     * worker might have been that of the whole job.
     */
    synchronized void tell(List<Child> workers) {
        spared.stream().filter(child -> !child.isKilled()).forEach(child -> out.printf("sluice: %s%n", child.ending()));
        workers.stream()
                .filter(Child::isAlive)
                .forEach(child -> out.printf("sluice: %s hangs; the others continued without it%n", child.name()));
    }

    /** Records that the job ends its processes from now on. */
    synchronized void end() {
        over = true;
    }
}
