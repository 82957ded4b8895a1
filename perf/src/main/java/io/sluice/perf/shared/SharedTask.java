package io.sluice.perf.shared;

import io.sluice.consistency.worker.Initialiser;
import io.sluice.consistency.worker.Table;
import io.sluice.consistency.worker.Worker;
import io.sluice.perf.cluster.Rendezvous;
import io.sluice.perf.cluster.Replica;
import io.sluice.perf.cluster.WorkerTask;
import java.util.concurrent.locks.LockSupport;

/** A worker that pushes random gradients, and whose computing only takes time. */
final class SharedTask implements WorkerTask<Turn.Clocks> {
    private static final double NS = 1e9;

    private final SharedPlan plan;
    private volatile int clock;

    SharedTask(SharedPlan plan) {
        this.plan = plan;
    }

    /** Number of clocks that the first worker has completed. */
    int clock() {
        return clock;
    }

    @Override
    public Turn.Clocks train(Worker worker, Rendezvous rendezvous) {
        Gradients gradients = new Gradients(plan.elements(), worker.index());
        double[] seconds = new double[plan.allClocks()];
        double[] kept = new double[seconds.length];
        Table table = worker.table("w", 1, plan.elements());
        worker.start(Initialiser.ZEROS);
        long endNs = System.nanoTime();
        for (int i = 0; i < seconds.length; i++) {
            long startNs = endNs;
            long before = worker.stats().elementsKept();
            table.sync();
            float[] update = gradients.next(i + 1);
            LockSupport.parkNanos(plan.computeNs());
            table.update(update);
            worker.clock();
            endNs = System.nanoTime();
            seconds[i] = (endNs - startNs) / NS;
            kept[i] = (worker.stats().elementsKept() - before) / (double) plan.elements();
            if (worker.index() == 0) {
                clock = i + 1;
            }
        }
        worker.drain();
        return new Turn.Clocks(seconds, kept, Replica.hash(table));
    }
}
