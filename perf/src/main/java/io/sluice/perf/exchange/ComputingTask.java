package io.sluice.perf.exchange;

import io.sluice.consistency.terms.Protocol;
import io.sluice.consistency.worker.Initialiser;
import io.sluice.consistency.worker.Table;
import io.sluice.consistency.worker.Worker;
import io.sluice.perf.cluster.Rendezvous;
import io.sluice.perf.cluster.WorkerTask;
import java.util.concurrent.TimeUnit;

/**
 * A worker that simulates computing by waiting, pushes its update as a whole, and continues once it has received the
 * sum. It receives while it computes, but for protocol push-pull, in which each {@code sync} would pull.
 *
 * @param updates  updates of all workers
 * @param warmup   clocks before the measured clocks
 * @param clocks   measured clocks; warm-up and measured clocks together are an even number, so that replicas are zero
 *     at the end
 */
record ComputingTask(ExchangeUpdates updates, int params, long computeNs, int warmup, int clocks)
        implements WorkerTask<ComputingTask.Times> {
    private static final double NS = 1e9;

    /**
     * Means over the clocks.
     *
     * @param seconds     of the measured clocks
     * @param pushSeconds filtering and sending in the measured clocks
     * @param bytesPushed of all clocks, warm-up included, because frames of a clock may leave during the next one
     * @param bytesReceived of all clocks
     */
    record Times(double seconds, double pushSeconds, double bytesPushed, double bytesReceived) {}

    @Override
    public Times train(Worker worker, Rendezvous rendezvous) throws InterruptedException {
        Table table = worker.table("model", 1, params);
        worker.start(Initialiser.ZEROS);
        long receivedBefore = worker.stats().bytesDecoded(); // under push-pull, the first parameters
        boolean receives = worker.settings().protocol() != Protocol.PUSH_PULL;
        long startNs = 0;
        long pushedNs = 0;
        for (int clock = 1; clock <= warmup + clocks; clock++) {
            table.sync();
            if (receives) {
                WorkerTask.compute(computeNs, table::sync);
            } else {
                TimeUnit.NANOSECONDS.sleep(computeNs);
            }
            table.update(updates.ofClock(clock));
            worker.clock();
            if (clock == warmup) {
                startNs = System.nanoTime();
                pushedNs = worker.stats().pushNs();
            }
        }
        double seconds = (System.nanoTime() - startNs) / NS;
        double pushSeconds = (worker.stats().pushNs() - pushedNs) / NS;
        worker.drain();
        int all = warmup + clocks;
        updates.check(table, all, worker.workers());
        return new Times(
                seconds / clocks,
                pushSeconds / clocks,
                (double) worker.bytesPushed() / all,
                (double) (worker.stats().bytesDecoded() - receivedBefore) / all);
    }
}
