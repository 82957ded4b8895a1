package io.sluice.samples;

import io.sluice.consistency.worker.FloatView;
import io.sluice.consistency.worker.Worker;
import io.sluice.consistency.worker.WorkerContext;
import io.sluice.consistency.worker.WorkerStats;
import io.sluice.samples.data.Dataset;
import io.sluice.samples.launch.EventLines;
import io.sluice.samples.launch.NodeEvent;
import io.sluice.samples.lr.Evaluation;
import io.sluice.samples.lr.LrSettings;
import io.sluice.samples.lr.LrTrainer;
import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Trains logistic regression as one worker. */
@Command(
        name = "lr",
        description = "Trains sparse logistic regression as one worker of a cluster.",
        mixinStandardHelpOptions = true,
        sortOptions = false)
final class WorkerLrCommand implements Callable<Integer> {
    private static final long REPORT_NS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long LOG_NS = TimeUnit.SECONDS.toNanos(2);

    @Mixin
    private NodeOptions node;

    @Mixin
    private LrOptions lr;

    private final EventLines lines = new EventLines();
    private long nextReportNs = System.nanoTime();

    @Override
    public Integer call() throws IOException {
        LrSettings settings = lr.settings();
        Dataset data = lr.load();
        WorkerContext context = node.applyTo(new WorkerContext());
        try (Attachment _ = Attachment.of(node.attached());
                LocalDriver _ = LocalDriver.unlessRunning(node.aeronDirectory());
                Worker worker = Worker.connect(context)) {
            if (node.attached()) {
                lines.write(System.out, new NodeEvent.Joined(worker.index()));
            }
            LrTrainer trainer = new LrTrainer(worker, data, settings);
            long startNs = System.nanoTime();
            FloatView w = trainer.train((clock, loss) -> onClock(worker, settings, clock, loss));
            double seconds = (System.nanoTime() - startNs) / 1e9;
            NodeEvent.WorkerDone done =
                    result(worker, trainer, w, data, seconds, context.kernels().name());
            if (node.attached()) {
                lines.write(System.out, done);
            } else {
                print(done);
            }
        }
        return ExitCode.OK;
    }

    private void onClock(Worker worker, LrSettings settings, int clock, double loss) {
        long nowNs = System.nanoTime();
        if (nowNs - nextReportNs < 0 && clock < settings.clocks()) {
            return;
        }
        boolean terminal = System.console() != null && System.console().isTerminal();
        nextReportNs = nowNs + (terminal || node.attached() ? REPORT_NS : LOG_NS);
        long staleness = worker.stats().maxStaleness();
        if (node.attached()) {
            lines.write(System.out, new NodeEvent.Clock(worker.index(), clock, loss, staleness, worker.bytesPushed()));
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
        boolean first = IntStream.range(0, worker.index()).allMatch(worker::isLost);
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
                stats.elementsOffered(),
                stats.elementsKept(),
                stats.maxStaleness(),
                trainer.weights().residualMaxAbs(),
                stats.lastThreshold(),
                worker.framesRejected(),
                kernels,
                worker.compression());
    }

    private static void print(NodeEvent.WorkerDone done) {
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
