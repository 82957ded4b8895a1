package io.sluice.trials.chaos;

import io.sluice.messaging.HostLoad;
import io.sluice.trials.chaos.Disturbance.Kind;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.agrona.concurrent.SystemNanoClock;

/**
 * One job from its first start to its end, with disturbances. After each disturbance the trial waits until all nodes
 * train, or have ended and are started again; a node that does neither in time has hung, and is counted. The trial acts
 * as a launcher: if the cluster waits for dead nodes, it starts only those; it starts all nodes if the server that
 * coordinates is dead or a node cannot rejoin alone. A job that does not train after many starts is given up, which
 * also counts as a hang.
 */
final class Trial {
    private static final long POLL_MS = 20;
    private static final long START_MS = 120_000;

    /** Maximum number of consecutive starts without training in between. */
    private static final int MOST_STARTS = 12;

    /** Number of hangs after which the trial gives up the job. */
    private static final int MOST_HANGS = 3;

    /** Number of starts after which a node is no longer expected to rejoin alone: its snapshot may be damaged. */
    private static final int MOST_ALONE = 4;

    /** Time for a JVM to print a thread dump. */
    private static final long PRINT_MS = 2_000;

    private static final double MS_PER_S = 1e3;
    private static final double NS_PER_S = 1e9;

    private final Cluster cluster;
    private final Tally tally;
    private final Consumer<String> log;
    private final Disturber disturber;
    private final Counts expected;

    /** The detector of hangs of an undisturbed job. */
    private final StallDetector stallDetector = new StallDetector(START_MS, SystemNanoClock.INSTANCE);

    private long brokenNs;

    /** How long the survivors of the last death may take to report it or, where it ends the job, to end. */
    private Patience survivorPatience;

    private boolean lost;
    private int hangs;

    /** Duration of the last cut if no process has ended since; otherwise 0. */
    private long cutMs;

    /**
     * Prepares the trial of a job.
     *
     * @param expected frames that its nodes should have pushed and accepted at the end; null if not known
     */
    Trial(Cluster cluster, SnapshotDisk disk, Tally tally, Counts expected, Consumer<String> log) {
        this.cluster = cluster;
        this.expected = expected;
        this.tally = tally;
        this.log = log;
        this.disturber = new Disturber(cluster, disk, tally, log);
    }

    /**
     * Runs the job to its end.
     *
     * @param schedule schedule of disturbances
     * @param enough whether to stop disturbing the job
     */
    void run(Schedule schedule, BooleanSupplier enough) throws IOException, InterruptedException {
        start();
        while (!cluster.isFinished() && recover()) {
            if (!cluster.isBroken()) {
                startDeadCoordinators();
            }
            cluster.sweep();
            hangOnJoinsAndLeaves();
            if (enough.getAsBoolean() || cluster.isEnding()) { // a death after the last clock has no defined outcome
                hangIfStalled();
                Thread.sleep(POLL_MS);
                continue;
            }
            Disturbance next = schedule.next();
            if (rest(next.delayMs())) {
                onHealed();
                disturber.carryOut(next);
                tally.onEvent();
                onCut(next);
                settle();
            } else {
                schedule.defer(next);
            }
        }
        onHealed();
        cluster.sweep();
        cluster.awaitOutput();
        List<ClusterProcess> unexplained = cluster.unexplainedEnds();
        unexplained.forEach(process -> log.accept("NO MESSAGE: " + process.ending()));
        tally.onUnexplainedEnds(unexplained.size());
        tally.onEnd(cluster, expected);
        log.accept((cluster.progress().isUncounted()
                        ? "not compared, because a server was killed before its final report: "
                        : "counted: ")
                + tally.counts());
    }

    /** Counts nodes that have not joined or left in time as hung. */
    private void hangOnJoinsAndLeaves() throws InterruptedException {
        List<ClusterProcess> stuck = cluster.joiningOrLeaving(START_MS);
        if (!stuck.isEmpty()) {
            hang(stuck);
        }
    }

    /** Counts an undisturbed job without progress as hung. */
    private void hangIfStalled() throws InterruptedException {
        List<ClusterProcess> living = cluster.living();
        if (!living.isEmpty() && stallDetector.isStalled(cluster.progress().words(), living.size())) {
            hang(living);
        }
    }

    private void onCut(Disturbance disturbance) {
        if (Kind.CUT == disturbance.kind()) {
            tally.onCut();
            cutMs = disturbance.durationMs();
        }
    }

    private void onHealed() {
        if (cutMs > 0) {
            tally.onHealed(cutMs);
            cutMs = 0;
        }
    }

    /** Starts dead coordinators at once: the nodes do not wait for them. */
    private void startDeadCoordinators() throws IOException {
        if (!cluster.coordinators().haveClosed() && cluster.coordinators().startDead()) {
            log.accept("dead coordinators are started again");
        }
    }

    /**
     * Starts all nodes and waits until they train: the cluster waits for a node that dies before all have joined, so a
     * disturbance before that would not be reported.
     */
    private void start() throws IOException, InterruptedException {
        cluster.start();
        tally.onStart();
        awaitTraining();
    }

    /** Leaves the job undisturbed for a time; false if it failed or ended in that time. */
    private boolean rest(long ms) throws InterruptedException {
        long startNs = System.nanoTime();
        while (millisSince(startNs) < ms) {
            if (cluster.isBroken() || cluster.isFinished()) {
                return false;
            }
            Thread.sleep(POLL_MS);
        }
        return true;
    }

    /** Waits until all running workers train again or a node has died; counts a hang if neither happens in time. */
    private void settle() throws InterruptedException {
        long startNs = System.nanoTime();
        Patience patience = new Patience(this::limitMs, SystemNanoClock.INSTANCE);
        while (!cluster.isBroken() && !cluster.isFinished() && !cluster.hasMovedSince(startNs)) {
            if (patience.isOver()) {
                hang(cluster.living());
                return;
            }
            Thread.sleep(POLL_MS);
        }
    }

    /** Starts dead processes again and waits until the job trains; false if that fails and the job is given up. */
    private boolean recover() throws IOException, InterruptedException {
        int back = 0;
        for (int starts = 0; cluster.isBroken() || anyDriverIsDead(); starts++) {
            if (starts == MOST_STARTS || hangs == MOST_HANGS) {
                log.accept("GIVEN UP after " + starts + " consecutive starts and " + hangs + " hangs: " + endings());
                tally.onGivenUp();
                cluster.endNodes();
                return false;
            }
            brokenNs = System.nanoTime();
            survivorPatience = new Patience(this::limitMs, SystemNanoClock.INSTANCE);
            lost = true;
            boolean cut = cutMs > 0;
            cutMs = 0;
            awaitEnd(cluster.stranded(), false);
            if (!cluster.terms().awaitsTheDead() || cluster.hasFailed()) {
                cluster.endReturning();
                cluster.startDrivers(); // coordinators need them to decide that the job ends
                awaitEnd(cluster.living(), cut);
                back = 0;
                start();
            } else if (starts == MOST_ALONE) {
                log.accept("all nodes are started again, because one cannot rejoin alone: " + endings());
                cluster.endNodes();
                back = 0;
                start();
            } else {
                // No node reports the death of another before all have joined.
                List<ClusterProcess> survivors = cluster.progress().hasBegun() ? cluster.living() : List.of();
                back += cluster.startDead();
                awaitNotice(survivors);
                awaitTraining();
            }
        }
        if (lost) {
            lost = false;
            cluster.notices().restart(); // all have rejoined, reported or not
            tally.onRejoins(back);
            log.accept("all nodes train again from clock " + cluster.progress().clock());
        }
        return true;
    }

    /**
     * Waits until the survivors of a death report it, or train without the dead process, as they do if a coordinator
     * dies that is not the leader. Rounds in flight at the death complete long before the liveness time is over, so a
     * worker that still completes clocks after it trains on. If the job fails or ends during the wait, or no node
     * survives, no report is due.
     */
    private void awaitNotice(List<ClusterProcess> survivors) throws InterruptedException {
        long missedNs = brokenNs + TimeUnit.MILLISECONDS.toNanos(cluster.terms().livenessMs());
        while (survivors.stream().anyMatch(ClusterProcess::isAlive) && !cluster.hasFailed() && !cluster.isEnding()) {
            if (cluster.notices().haveReported(brokenNs)) {
                tally.onReport(Math.max(0, cluster.notices().lastNs() - brokenNs) / NS_PER_S);
                return;
            }
            if (!cluster.isBroken() && cluster.hasMovedSince(missedNs)) {
                return;
            }
            if (survivorPatience.isOver()) {
                hang(survivors.stream().filter(ClusterProcess::isAlive).toList());
                return;
            }
            Thread.sleep(POLL_MS);
        }
    }

    private String endings() {
        return cluster.nodes().stream()
                .filter(node -> !node.isAlive() && !node.isDone())
                .map(ClusterProcess::ending)
                .collect(Collectors.joining("; "));
    }

    private boolean anyDriverIsDead() {
        return !cluster.isFinished() && cluster.drivers().stream().anyMatch(driver -> !driver.isAlive());
    }

    /**
     * Surviving processes report the death and end. A node that was cut off while several coordinators ended the job
     * does not receive the end: the trial ends that node, as an operator would.
     */
    private void awaitEnd(List<ClusterProcess> survivors, boolean cut) throws IOException, InterruptedException {
        if (survivors.isEmpty()) {
            return;
        }
        while (survivors.stream().anyMatch(ClusterProcess::isAlive)) {
            boolean undecided = !cluster.terms().awaitsTheDead() && !cluster.hasFailed() && !anyDriverIsDead();
            if (undecided) {
                startDeadCoordinators(); // a majority of them decides that the job ends
            }
            if (survivorPatience.isOver()) {
                List<ClusterProcess> left =
                        survivors.stream().filter(ClusterProcess::isAlive).toList();
                if (!cut || !cluster.coordinators().haveClosed()) {
                    hang(left);
                    return;
                }
                log.accept("ended by the trial, because they were cut off when the job ended: "
                        + left.stream().map(ClusterProcess::name).collect(Collectors.joining(", ")));
                cluster.endNodes();
            }
            Thread.sleep(POLL_MS);
        }
        cluster.awaitOutput(survivors);
        tally.onReport(millisSince(brokenNs) / MS_PER_S);
    }

    private void awaitTraining() throws InterruptedException {
        long startNs = System.nanoTime();
        Patience patience = new Patience(() -> START_MS, SystemNanoClock.INSTANCE);
        while (!cluster.isBroken() && !cluster.isFinished() && !cluster.hasMovedSince(startNs)) {
            if (patience.isOver()) {
                hang(cluster.living());
                return;
            }
            Thread.sleep(POLL_MS);
        }
    }

    /** Counts hung nodes, logs their threads, which cannot be inspected later, and ends all nodes. */
    private void hang(List<ClusterProcess> survivors) throws InterruptedException {
        hangs++;
        tally.onHangs(survivors.size());
        survivors.forEach(node -> log.accept("HANGS: " + node.name() + ", process " + node.pid()));
        for (ClusterProcess node : survivors) {
            KernelThreads.of(node.pid()).forEach(thread -> log.accept(node.name() + " has the thread " + thread));
        }
        survivors.forEach(ClusterProcess::printThreads);
        Thread.sleep(PRINT_MS);
        cluster.endNodes();
    }

    /** Nodes allow each other longer silences while the load rises, so the limit rises, too. */
    private long limitMs() {
        return cluster.terms().limitMs(HostLoad.here());
    }

    private static long millisSince(long startNs) {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNs);
    }
}
