package io.sluice.cli;

import io.sluice.cli.launch.NodeEvent;
import io.sluice.consistency.terms.WorkerSet;
import io.sluice.consistency.worker.Table;
import io.sluice.consistency.worker.Worker;
import io.sluice.consistency.worker.WorkerStats;
import io.sluice.filter.kernel.Kernels;
import io.sluice.samples.ReplicaHash;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Trains a workload on a connected worker, and reports to the job or the user. */
final class WorkerRun implements Workload.Progress {
    private static final long REPORT_NS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long LOG_NS = TimeUnit.SECONDS.toNanos(2);

    private final ProcessOptions process;
    private final Workload workload;
    private final Worker worker;
    private final Long leaveAfter;
    private final Evaluations evaluations = new Evaluations();
    private long nextReportNs = System.nanoTime();
    private long evaluationNs;
    private int iterations;
    private boolean hasRequested;
    private volatile boolean leaves;

    /**
     * Creates a run.
     *
     * @param leaveAfter iterations after which the worker of an elastic job leaves, or null
     */
    WorkerRun(ProcessOptions process, Workload workload, Worker worker, Long leaveAfter) {
        this.process = process;
        this.workload = workload;
        this.worker = worker;
        this.leaveAfter = leaveAfter;
    }

    /** Trains to the end, or until the worker has left. */
    void run(Attachment attachment) {
        Workload.Training training = workload.on(worker);
        if (leaveAfter != null) {
            requireLeave();
        }
        if (worker.settings().isElastic()) {
            attachment.onLeaveRequested(() -> leaves = true);
            if (!process.attached()) {
                DrainSignal.asks(this::leave);
            }
        }
        long startNs = System.nanoTime();
        try {
            training.loop().train(this::onWorkerSet, this);
        } catch (RuntimeException | Error e) {
            worker.fail(e); // reports the cause to the other nodes
            throw e;
        }
        double seconds = (System.nanoTime() - startNs - evaluationNs) / 1e9;
        NodeEvent.WorkerDone done = result(training, seconds);
        if (process.attached()) {
            process.tell(done);
        } else {
            print(done);
        }
    }

    private void requireLeave() {
        if (!worker.settings().isElastic()) {
            IllegalArgumentException mistake = new IllegalArgumentException("--leave-after is " + leaveAfter
                    + ", but the cluster was started without --max-workers, so its workers stay to the end");
            worker.fail(mistake);
            throw mistake;
        }
    }

    private void leave() {
        System.out.printf("%nworker %d: leaves in a few clocks%n", worker.index());
        leaves = true;
    }

    /** In a job with a fixed set of workers there is nothing to report. */
    private void onWorkerSet(List<WorkerSet> workerSets) {
        if (!process.attached() && worker.settings().isElastic()) {
            WorkerSet workerSet = workerSets.getLast();
            System.out.printf(
                    "worker %d: from clock %d on workers %s%n", worker.index(), workerSet.since(), workerSet.workers());
        }
    }

    @Override
    public void onClock(int clock, double loss) {
        report(clock, loss);
        iterations++;
        if (!hasRequested && (leaves || leaveAfter != null && iterations >= leaveAfter)) {
            hasRequested = true;
            worker.requestLeave();
        }
    }

    private void report(int clock, double loss) {
        long nowNs = System.nanoTime();
        if (nowNs - nextReportNs < 0 && clock < workload.clocks()) {
            return;
        }
        boolean terminal = System.console() != null && System.console().isTerminal();
        nextReportNs = nowNs + (terminal || process.attached() ? REPORT_NS : LOG_NS);
        long staleness = worker.stats().maxStaleness();
        if (process.attached()) {
            process.tell(new NodeEvent.Clock(worker.index(), clock, loss, staleness, worker.bytesPushed()));
        } else {
            System.out.printf(
                    (terminal ? "\r%s" : "%s%n")
                            .formatted("worker %d: clock %d of %d, loss %.4f, staleness %d, %,d bytes pushed"),
                    worker.index(),
                    clock,
                    workload.clocks(),
                    loss,
                    staleness,
                    worker.bytesPushed());
        }
    }

    /** The first of the workers that are not lost evaluates the model, outside the time of its training. */
    @Override
    public void onModel(int clock, Supplier<Map<String, Double>> figures) {
        boolean first = worker.takesPart()
                && worker.workerSet().workers().stream()
                        .filter(other -> other < worker.index())
                        .allMatch(worker::isLost);
        if (first) {
            long startNs = System.nanoTime();
            NodeEvent.Evaluated evaluated = new NodeEvent.Evaluated(worker.index(), clock, figures.get());
            evaluationNs += System.nanoTime() - startNs;
            evaluations.accept(evaluated);
            if (process.attached()) {
                process.tell(evaluated);
            }
        }
    }

    private NodeEvent.WorkerDone result(Workload.Training training, double seconds) {
        WorkerStats stats = worker.stats();
        double waitSeconds = stats.waitNs() / 1e9;
        double pushSeconds = stats.pushNs() / 1e9;
        float residual = 0;
        for (Table table : training.tables()) {
            residual = Math.max(residual, table.residualMaxAbs());
        }
        return new NodeEvent.WorkerDone(
                worker.index(),
                ReplicaHash.of(training.parameters().get()),
                seconds - waitSeconds - pushSeconds,
                pushSeconds,
                waitSeconds,
                seconds,
                stats.framesPushed(),
                stats.framesEarly(),
                worker.bytesPushed(),
                worker.bytesToPeers(),
                worker.bytesRelayed(),
                stats.bytesDecoded(),
                stats.elementsOffered(),
                stats.elementsKept(),
                stats.maxStaleness(),
                residual,
                stats.lastThreshold(),
                worker.framesRejected(),
                Kernels.preferred().name(),
                worker.compression());
    }

    private void print(NodeEvent.WorkerDone done) {
        if (done.bytesRelayed() > 0) {
            System.out.printf("%nworker %d: relayed %,d bytes", done.worker(), done.bytesRelayed());
        }
        if (!worker.takesPart()) {
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
        if (!evaluations.isEmpty()) {
            System.out.println(workload.quality(evaluations).text());
        }
    }
}
