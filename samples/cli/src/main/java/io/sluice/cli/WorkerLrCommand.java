package io.sluice.cli;

import io.sluice.cli.launch.NodeEvent;
import io.sluice.consistency.terms.WorkerSet;
import io.sluice.consistency.worker.FloatView;
import io.sluice.consistency.worker.Worker;
import io.sluice.consistency.worker.WorkerContext;
import io.sluice.consistency.worker.WorkerStats;
import io.sluice.console.ExitCode;
import io.sluice.filter.kernel.Kernels;
import io.sluice.samples.data.Dataset;
import io.sluice.samples.lr.Evaluation;
import io.sluice.samples.lr.LrSettings;
import io.sluice.samples.lr.LrTrainer;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Trains logistic regression as one worker. */
@Command(
        name = "lr",
        description = {
            "Trains sparse logistic regression as one worker of a cluster.",
            "In an elastic job, SIGTERM makes the worker leave while the job runs, as --leave-after does; a second one"
                    + " ends it at once."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false)
final class WorkerLrCommand implements Callable<Integer> {
    private static final long REPORT_NS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long LOG_NS = TimeUnit.SECONDS.toNanos(2);

    @Mixin
    private NodeOptions node;

    @Mixin
    private LrOptions lr;

    @Option(
            names = "--leave-after",
            paramLabel = "N",
            description =
                    "With --max-workers in the terms: leave the job after N iterations of this worker's own, and a"
                            + " few more until all have agreed on it.")
    private Long leaveAfter;

    private long nextReportNs = System.nanoTime();

    @Override
    public Integer call() throws IOException {
        LrSettings settings = lr.settings();
        if (leaveAfter != null && leaveAfter < 1) {
            throw new IllegalArgumentException("--leave-after is " + leaveAfter + ", expected 1 or more");
        }
        Dataset data = lr.load();
        WorkerContext context = node.applyTo(new WorkerContext());
        LrTrainer.declare(context, data, settings);
        try (Attachment attachment = node.process().attach();
                LocalDriver _ = LocalDriver.unlessRunning(node.process());
                Worker worker = Worker.connect(context)) {
            node.process().joined("worker " + worker.index());
            LrTrainer trainer = new LrTrainer(worker, data, settings);
            if (leaveAfter != null) {
                requireLeave(worker);
                trainer.leaveAfter(leaveAfter);
            }
            if (worker.settings().isElastic()) {
                attachment.onLeaveRequested(trainer::leave);
                if (!node.process().attached()) {
                    DrainSignal.asks(() -> leave(worker, trainer));
                }
            }
            long startNs = System.nanoTime();
            FloatView w = trainer.train(
                    workerSets -> onWorkerSet(worker, workerSets),
                    (clock, loss) -> onClock(worker, settings, clock, loss));
            double seconds = (System.nanoTime() - startNs) / 1e9;
            NodeEvent.WorkerDone done = result(
                    worker, trainer, w, data, seconds, Kernels.preferred().name());
            if (node.process().attached()) {
                node.process().tell(done);
            } else {
                print(done, worker.workerSet().takesPart());
            }
        }
        return ExitCode.OK;
    }

    private void requireLeave(Worker worker) {
        if (!worker.settings().isElastic()) {
            IllegalArgumentException mistake = new IllegalArgumentException("--leave-after is " + leaveAfter
                    + ", expected --max-workers among the terms of the cluster: its workers stay to the end");
            worker.fail(mistake);
            throw mistake;
        }
    }

    private static void leave(Worker worker, LrTrainer trainer) {
        System.out.printf("%nworker %d: leaves in a few clocks%n", worker.index());
        trainer.leave();
    }

    /** In a job with a fixed set of workers there is nothing to report. */
    private void onWorkerSet(Worker worker, List<WorkerSet> workerSets) {
        if (!node.process().attached() && worker.settings().isElastic()) {
            WorkerSet workerSet = workerSets.getLast();
            System.out.printf(
                    "worker %d: from clock %d on workers %s%n", worker.index(), workerSet.since(), workerSet.workers());
        }
    }

    private void onClock(Worker worker, LrSettings settings, int clock, double loss) {
        long nowNs = System.nanoTime();
        if (nowNs - nextReportNs < 0 && clock < settings.clocks()) {
            return;
        }
        boolean terminal = System.console() != null && System.console().isTerminal();
        nextReportNs = nowNs + (terminal || node.process().attached() ? REPORT_NS : LOG_NS);
        long staleness = worker.stats().maxStaleness();
        if (node.process().attached()) {
            node.process().tell(new NodeEvent.Clock(worker.index(), clock, loss, staleness, worker.bytesPushed()));
        } else {
            System.out.printf(
                    (terminal ? "\r%s" : "%s%n")
                            .formatted("worker %d: clock %d of %d, loss %.4f, staleness %d, %,d bytes pushed"),
                    worker.index(),
                    clock,
                    settings.clocks(),
                    loss,
                    staleness,
                    worker.bytesPushed());
        }
    }

    private static NodeEvent.WorkerDone result(
            Worker worker, LrTrainer trainer, FloatView w, Dataset data, double seconds, String kernels) {
        WorkerStats stats = worker.stats();
        double waitSeconds = stats.waitNs() / 1e9;
        double pushSeconds = stats.pushNs() / 1e9;
        boolean first = worker.workerSet().takesPart()
                && worker.workerSet().now().workers().stream()
                        .filter(other -> other < worker.index())
                        .allMatch(worker::isLost);
        Evaluation evaluation = first ? Evaluation.of(data, w) : new Evaluation(Double.NaN, Double.NaN);
        return new NodeEvent.WorkerDone(
                worker.index(),
                evaluation.loss(),
                evaluation.accuracy(),
                Evaluation.hash(w),
                seconds - waitSeconds - pushSeconds,
                pushSeconds,
                waitSeconds,
                seconds,
                stats.framesPushed(),
                stats.framesEarly(),
                worker.bytesPushed(),
                worker.bytesRelayed(),
                stats.bytesDecoded(),
                stats.bytesDecodedByRelay(),
                stats.elementsOffered(),
                stats.elementsKept(),
                stats.maxStaleness(),
                trainer.weights().residualMaxAbs(),
                stats.lastThreshold(),
                worker.framesRejected(),
                kernels,
                worker.compression());
    }

    private static void print(NodeEvent.WorkerDone done, boolean toTheEnd) {
        if (done.bytesRelayed() > 0) {
            System.out.printf("%nworker %d: relayed %,d bytes", done.worker(), done.bytesRelayed());
        }
        if (!toTheEnd) {
            System.out.printf("%nworker %d: has left with an empty residual%n", done.worker());
            return;
        }
        System.out.printf(
                "%nworker %d: replica %s, %.1f s of which %.1f s waiting%n",
                done.worker(), done.replicaHash(), done.seconds(), done.waitSeconds());
        if (!done.compression().rows().isEmpty()) {
            System.out.printf(
                    "worker %d: compression: %s%n",
                    done.worker(), done.compression().summary());
        }
        if (!Double.isNaN(done.accuracy())) {
            System.out.printf("loss %.4f, held-out accuracy %.2f %%%n", done.loss(), 100 * done.accuracy());
        }
    }
}
