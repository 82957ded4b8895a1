package io.sluice.trials.chaos;

import io.sluice.perf.UnavailableException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/** Runs the same job again and again, each time from nothing, and says what it came to. */
final class Jobs {
    /** Strangers leave before the end: a job that has ended refuses nothing. */
    private static final double UNTIL = 0.97;

    private final SluiceProgram program;
    private final Site site;
    private final Terms terms;
    private final SnapshotDisk disk;
    private final Path folder;
    private final Consumer<String> log;
    private final long rate;

    private final OneProcess oneProcess;

    /** What nodes push and take when nobody disturbs them; null before that is known, and where nodes come and go. */
    private Counts expected;

    /** The hash of the undisturbed job; null as above. */
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

    /** Runs it in peace, for others to be compared with; where nodes come and go each is a job of its own. */
    void prepare() throws IOException, InterruptedException {
        if (terms.isElastic()) {
            return;
        }
        Tally tally = new Tally();
        Outcome outcome = disturbed(tally, new Schedule(0, List.of(), terms), () -> true, 0);
        if (tally.starts() != 1 || tally.lost() != 0) {
            throw new UnavailableException("the job does not even run without disturbances: it took " + tally.starts()
                    + " starts, and of the frames, " + tally.counts() + ", it lost " + tally.lost());
        }
        expected = tally.counts();
        undisturbed = outcome.replicas();
        log.accept("the undisturbed job came to " + undisturbed);
    }

    /**
     * Runs it.
     *
     * @param tally of what is done to it
     * @param schedule what to do
     * @param enough whether to leave it in peace from now on
     * @param datagrams of strangers beside all that
     * @return the hash of its replicas, and what it must be
     */
    Outcome disturbed(Tally tally, Schedule schedule, BooleanSupplier enough, long datagrams)
            throws IOException, InterruptedException {
        disk.clear();
        try (Cluster cluster = new Cluster(program, site, terms, folder, disk.folder(), log)) {
            FutureTask<Void> strangers = new FutureTask<>(() -> shout(cluster, tally, datagrams), null);
            Thread crowd = Thread.ofPlatform().daemon().name("strangers").unstarted(strangers);
            crowd.start();
            new Trial(cluster, disk, tally, expected, log).run(schedule, enough);
            join(strangers);
            String crews = cluster.places().crews();
            return new Outcome(cluster.replicaHash(), terms.isElastic() ? oneProcess.hash(crews) : undisturbed);
        }
    }

    private void join(FutureTask<Void> strangers) throws InterruptedException {
        try {
            strangers.get();
        } catch (ExecutionException e) {
            throw new IllegalStateException("strangers failed", e.getCause());
        }
    }

    /** Comes back as often as the cluster does. */
    private void shout(Cluster cluster, Tally tally, long datagrams) {
        Strangers strangers = new Strangers(cluster, rate, datagrams);
        long before = 0;
        try {
            while (before < datagrams && !isNearEnd(cluster) && !tally.isGivenUp()) {
                Thread.sleep(100);
                if (cluster.isTraining()) {
                    strangers.send(datagrams - before, () -> isNearEnd(cluster) || !cluster.isTraining());
                    before = strangers.datagrams() + strangers.frames();
                }
            }
        } catch (IOException e) {
            throw new UnavailableException("strangers have no socket: " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        tally.onStrangers(strangers);
    }

    private boolean isNearEnd(Cluster cluster) {
        return cluster.progress().clock() > UNTIL * terms.clocks();
    }
}
