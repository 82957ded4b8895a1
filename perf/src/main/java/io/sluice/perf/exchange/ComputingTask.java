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

    /** Means over the clocks that count: seconds, of which filtering and sending, and bytes. */
    record Times(double seconds, double pushSeconds, double bytesPushed, double bytesReceived) {
        Times less(Times before, int clocks) {
            return new Times(
                    (seconds - before.seconds) / clocks,
                    (pushSeconds - before.pushSeconds) / clocks,
                    (bytesPushed - before.bytesPushed) / clocks,
                    (bytesReceived - before.bytesReceived) / clocks);
        }

        static Times now(Worker worker) {
            return new Times(
                    System.nanoTime() / NS,
                    worker.stats().pushNs() / NS,
                    worker.bytesPushed(),
                    worker.stats().bytesDecoded());
        }
    }

    @Override
    public Times train(Worker worker, Rendezvous rendezvous) throws InterruptedException {
        Table table = worker.table("model", 1, params);
        worker.start(Initialiser.ZEROS);
        boolean receives = worker.settings().protocol() != Protocol.PUSH_PULL;
        Times before = null;
        for (int clock = 1; clock <= warmup + clocks; clock++) {
            table.sync();
            if (receives) {
                WorkerTask.compute(computeNs, table::sync);
            } else {
                TimeUnit.NANOSECONDS.sleep(computeNs);
            }
            table.update(updates.ofClock(clock));
            worker.clock();
            before = clock == warmup ? Times.now(worker) : before;
        }
        Times times = Times.now(worker).less(before, clocks);
        worker.drain();
        updates.check(table, warmup + clocks, worker.workers());
        return times;
    }
}
