package io.sluice.trials.chaos;

import io.sluice.console.UnavailableException;
import io.sluice.perf.nodes.SluiceProgram;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/** Runs the same job repeatedly, each time from the beginning, and compares the replicas with the reference. */
final class Jobs {
    /** Share of the clocks at which hostile frames stop, because nodes of an ended job reject and count nothing. */
    private static final double UNTIL = 0.97;

    private final SluiceProgram program;
    private final Site site;
    private final Terms terms;
    private final SnapshotDisk disk;
    private final Path folder;
    private final Consumer<String> log;
    private final long rate;

    private final OneProcess oneProcess;

    /** The counts of the undisturbed job; null before it has run, and with {@code --max-workers}. */
    private Counts expected;

    /** The hash of the undisturbed job; null before it has run, and with {@code --max-workers}. */
    private String undisturbed;

    Jobs(
            SluiceProgram program,
            Site site,
            Terms terms,
            SnapshotDisk disk,
            Path folder,
            long rate,
            Consumer<String> log) {
        this.rate = rate;
        this.program = program;
        this.site = site;
        this.terms = terms;
        this.disk = disk;
        this.folder = folder;
        this.log = log;
        this.oneProcess = new OneProcess(program, terms, folder);
    }

    /**
     * Runs the undisturbed job, the reference of the others. Does nothing with {@code --max-workers}, where each job
     * has a reference of its own.
     */
    void prepare() throws IOException, InterruptedException {
        if (terms.isElastic()) {
            return;
        }
        Tally tally = new Tally();
        Outcome outcome = disturbed(tally, new Schedule(0, List.of(), terms), () -> true, 0);
        if (tally.starts() != 1 || tally.lost() != 0) {
            throw new UnavailableException("the undisturbed job fails: " + tally.starts() + " starts, " + tally.lost()
                    + " frames lost (" + tally.counts() + ")");
        }
        expected = tally.counts();
        undisturbed = outcome.replicas();
        log.accept("the undisturbed job has the replica hash " + undisturbed);
    }

    /**
     * Runs a disturbed job.
     *
     * @param tally receives the counts
     * @param schedule schedule of disturbances
     * @param enough whether to stop disturbing the job
     * @param datagrams hostile datagrams and frames to send during the job
     * @return the hash of its replicas and the expected one
     */
    Outcome disturbed(Tally tally, Schedule schedule, BooleanSupplier enough, long datagrams)
            throws IOException, InterruptedException {
        disk.clear();
        try (Cluster cluster = new Cluster(program, site, terms, folder, disk.folder(), log)) {
            FutureTask<Void> traffic = new FutureTask<>(() -> sendHostileTraffic(cluster, tally, datagrams), null);
            Thread thread = Thread.ofPlatform().daemon().name("hostile-traffic").unstarted(traffic);
            thread.start();
            new Trial(cluster, disk, tally, expected, log).run(schedule, enough);
            join(traffic);
            String workerSets = cluster.places().workerSets();
            return new Outcome(cluster.replicaHash(), terms.isElastic() ? oneProcess.hash(workerSets) : undisturbed);
        }
    }

    private void join(FutureTask<Void> traffic) throws InterruptedException {
        try {
            traffic.get();
        } catch (ExecutionException e) {
            throw new IllegalStateException("the sender of hostile frames failed", e.getCause());
        }
    }

    /** Sends hostile datagrams and frames whenever the cluster trains. */
    private void sendHostileTraffic(Cluster cluster, Tally tally, long datagrams) {
        HostileTraffic hostile = new HostileTraffic(cluster, rate, datagrams);
        long before = 0;
        try {
            while (before < datagrams && !isNearEnd(cluster) && !tally.isGivenUp()) {
                Thread.sleep(100);
                if (cluster.isTraining()) {
                    hostile.send(datagrams - before, () -> isNearEnd(cluster) || !cluster.isTraining());
                    before = hostile.datagrams() + hostile.frames();
                }
            }
        } catch (IOException e) {
            throw new UnavailableException("the sender of hostile frames has no socket: " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        tally.onHostileTraffic(hostile);
    }

    private boolean isNearEnd(Cluster cluster) {
        return cluster.progress().clock() > UNTIL * terms.clocks();
    }
}
