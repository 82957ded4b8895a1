package io.sluice.perf.exchange;

import io.sluice.consistency.worker.FloatView;
import io.sluice.consistency.worker.Initialiser;
import io.sluice.consistency.worker.Table;
import io.sluice.consistency.worker.Worker;
import io.sluice.consistency.worker.WorkerContext;
import java.util.concurrent.Callable;
import org.HdrHistogram.Histogram;

/** One worker of an exchange: a trainer that computes nothing. */
final class ExchangeWorker implements Callable<ExchangeWorker.Outcome> {
    private static final int SIGNIFICANT_DIGITS = 3;

    /**
     * What a worker has seen.
     *
     * @param clockNs time of each clock recorded
     * @param bytesPushed as they lie in the log, warm-up included
     * @param elementsKept that passed the filter, warm-up included
     * @param replica parameters after the last clock
     */
    record Outcome(Histogram clockNs, long bytesPushed, long elementsKept, float[] replica) {}

    private final WorkerContext context;
    private final ExchangeSettings settings;

    ExchangeWorker(WorkerContext context, ExchangeSettings settings) {
        this.context = context;
        this.settings = settings;
    }

    @Override
    public Outcome call() {
        ExchangeUpdates updates = new ExchangeUpdates(settings.floats(), settings.kept());
        Histogram clockNs = new Histogram(SIGNIFICANT_DIGITS);
        try (Worker worker = Worker.connect(context)) {
            Table table = worker.table("table", 1, settings.floats());
            worker.start(Initialiser.ZEROS);
            for (int clock = 1; clock <= settings.totalClocks(); clock++) {
                long startNs = System.nanoTime();
                table.sync();
                table.update(updates.ofClock(clock));
                worker.clock();
                if (clock > settings.warmup()) {
                    clockNs.recordValue(System.nanoTime() - startNs);
                }
            }
            worker.drain();
            FloatView view = table.view();
            float[] replica = new float[settings.floats()];
            view.copyTo(0, replica);
            return new Outcome(clockNs, worker.bytesPushed(), worker.stats().elementsKept(), replica);
        }
    }
}
