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
 * One job from its first start to its end, disturbed on the way. After each disturbance it waits until all nodes train
 * on, or have ended and are started again; who does neither in time has hung, and is counted. It starts what a launcher
 * would: where the cluster waits for its dead only those, and all if one is the server that coordinates, or cannot come
 * back alone. A job that does not come to train however often it is started is given up, which counts as a hang, too.
 */
final class Trial {
    private static final long POLL_MS = 20;
    private static final long START_MS = 120_000;

    /** In a row without any training between. */
    private static final int MOST_STARTS = 12;

    /** After so many a job would go on like that for ever. */
    private static final int MOST_HANGS = 3;

    /** After so many, a node cannot come back alone: its snapshot may be damaged. */
    private static final int MOST_ALONE = 4;

    /** For a JVM to print what its threads are at. */
    private static final long PRINT_MS = 2_000;

    private static final double MS_PER_S = 1e3;
    private static final double NS_PER_S = 1e9;

    private final Cluster cluster;
    private final Tally tally;
    private final Consumer<String> log;
    private final Disturber disturber;
    private final Counts expected;

    /** Of a job that is left in peace. */
    private final Standstill standstill = new Standstill(START_MS, SystemNanoClock.INSTANCE);

    private long brokenNs;

    /** With those who have outlived the one that has died last. */
    private Patience broken;

    private boolean lost;
    private int hangs;

    /** For how long a host was cut off of late, if nobody has ended since; else 0. */
    private long cutMs;

    /**
     * Of a job that is to begin.
     *
     * @param expected what its nodes should have pushed and taken in the end; null if that is not known
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
     * @param schedule what to do to it
     * @param enough whether to leave it in peace from now on
     */
    void run(Schedule schedule, BooleanSupplier enough) throws IOException, InterruptedException {
        start();
        while (!cluster.isFinished() && recover()) {
            if (!cluster.isBroken()) {
                startDeadCoordinators();
            }
            cluster.sweep();
            hangUnderWay();
            if (enough.getAsBoolean() || cluster.isEnding()) { // of who dies when all is done nothing is promised
                hangIfStill();
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
        unexplained.forEach(process -> log.accept("WITHOUT A WORD: " + process.ending()));
        tally.onUnexplainedEnds(unexplained.size());
        tally.onEnd(cluster, expected);
        log.accept((cluster.progress().isUncounted()
                        ? "not compared, for a server was killed before it could say what it has taken: "
                        : "counted: ")
                + tally.counts());
    }

    /** Who was started, or asked to go, has come or gone by now. */
    private void hangUnderWay() throws InterruptedException {
        List<ClusterProcess> stuck = cluster.underWay(START_MS);
        if (!stuck.isEmpty()) {
            hang(stuck);
        }
    }

    /** In peace a job comes on, and to its end. */
    private void hangIfStill() throws InterruptedException {
        List<ClusterProcess> living = cluster.living();
        if (!living.isEmpty() && standstill.isTooLong(cluster.progress().words(), living.size())) {
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

    /** The others do not wait for it. */
    private void startDeadCoordinators() throws IOException {
        if (!cluster.coordinators().haveClosed() && cluster.coordinators().startDead()) {
            log.accept("coordinators that were dead are started again");
        }
    }

    /** Whoever dies before all have joined is not missed but waited for, so nobody is disturbed until all train. */
    private void start() throws IOException, InterruptedException {
        cluster.start();
        tally.onStart();
        awaitTraining();
    }

    /** Leaves it in peace for a time; false if it has come to an end of its own meanwhile. */
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

    /** All that run come on again, or somebody has died: in the time that they have for it. */
    private void settle() throws InterruptedException {
        long startNs = System.nanoTime();
        Patience patience = new Patience(cluster.terms().limitMs(HostLoad.here()), SystemNanoClock.INSTANCE);
        while (!cluster.isBroken() && !cluster.isFinished() && !cluster.hasMovedSince(startNs)) {
            if (patience.isOver()) {
                hang(cluster.living());
                return;
            }
            Thread.sleep(POLL_MS);
        }
    }

    /** Starts what has died, and waits until it trains; false if that is in vain, and the job is over. */
    private boolean recover() throws IOException, InterruptedException {
        int back = 0;
        for (int starts = 0; cluster.isBroken() || anyDriverIsDead(); starts++) {
            if (starts == MOST_STARTS || hangs == MOST_HANGS) {
                log.accept("GIVEN UP after " + starts + " starts in a row and " + hangs + " hangs: " + endings());
                tally.onGivenUp();
                cluster.endNodes();
                return false;
            }
            brokenNs = System.nanoTime();
            broken = new Patience(cluster.terms().limitMs(HostLoad.here()), SystemNanoClock.INSTANCE);
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
                log.accept("all nodes are started again, for one cannot come back alone: " + endings());
                cluster.endNodes();
                back = 0;
                start();
            } else {
                // Whoever dies before all have joined is missed by nobody.
                List<ClusterProcess> survivors = cluster.progress().hasBegun() ? cluster.living() : List.of();
                back += cluster.startDead();
                awaitNotice(survivors);
                awaitTraining();
            }
        }
        if (lost) {
            lost = false;
            cluster.notices().restart(); // all are back, whether anybody has said so or not
            tally.onRejoins(back);
            log.accept("trains again from clock " + cluster.progress().clock());
        }
        return true;
    }

    /**
     * Those who have outlived a death say so in the time that they have for it, or go on without the dead, as they do
     * without a coordinator that does not lead: what was under way at the death comes to its end much sooner than a
     * node that is silent is missed, so a worker that still comes on then goes on. If the job fails or ends meanwhile,
     * or nobody has outlived it, no word is due.
     */
    private void awaitNotice(List<ClusterProcess> survivors) throws InterruptedException {
        long missedNs = brokenNs + TimeUnit.MILLISECONDS.toNanos(cluster.terms().livenessMs());
        while (survivors.stream().anyMatch(ClusterProcess::isAlive) && !cluster.hasFailed() && !cluster.isEnding()) {
            if (cluster.notices().haveComeOf(brokenNs)) {
                tally.onReport(Math.max(0, cluster.notices().lastNs() - brokenNs) / NS_PER_S);
                return;
            }
            if (!cluster.isBroken() && cluster.hasMovedSince(missedNs)) {
                return;
            }
            if (broken.isOver()) {
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
     * hears nothing of it: the trial ends that node, as an operator would.
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
            if (broken.isOver()) {
                List<ClusterProcess> left =
                        survivors.stream().filter(ClusterProcess::isAlive).toList();
                if (!cut || !cluster.coordinators().haveClosed()) {
                    hang(left);
                    return;
                }
                log.accept("ended by hand, for they were cut off when the job ended: "
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
        Patience patience = new Patience(START_MS, SystemNanoClock.INSTANCE);
        while (!cluster.isBroken() && !cluster.isFinished() && !cluster.hasMovedSince(startNs)) {
            if (patience.isOver()) {
                hang(cluster.living());
                return;
            }
            Thread.sleep(POLL_MS);
        }
    }

    /** What they are at goes into the log: it cannot be asked for later. */
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

    private static long millisSince(long startNs) {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNs);
    }
}
