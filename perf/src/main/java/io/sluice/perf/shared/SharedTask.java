package io.sluice.perf.shared;

import io.sluice.consistency.worker.Initialiser;
import io.sluice.consistency.worker.Table;
import io.sluice.consistency.worker.Worker;
import io.sluice.perf.cluster.Rendezvous;
import io.sluice.perf.cluster.Replica;
import io.sluice.perf.cluster.WorkerTask;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/** A worker that pushes random gradients, and whose computing only takes time. */
final class SharedTask implements WorkerTask<SharedTask.Clocks> {
    private static final double NS = 1e9;

    private final int elements;
    private final long computeNs;
    private final int clocks;
    private volatile int clock;

    /** The seconds and the density of pushes of each clock of a worker, and the checksum of its final replica. */
    record Clocks(double[] seconds, double[] kept, int checksum) {}

    SharedTask(int elements, long computeNs, int clocks) {
        this.elements = elements;
        this.computeNs = computeNs;
        this.clocks = clocks;
    }

    /** The seconds that each of some clocks took at its slowest worker. */
    static double[] slowest(List<Clocks> workers, int start, int end) {
        return IntStream.range(start, end)
                .mapToDouble(clock -> workers.stream()
                        .mapToDouble(worker -> worker.seconds[clock])
                        .max()
                        .orElseThrow())
                .toArray();
    }

    /** Number of clocks that the first worker has completed. */
    int clock() {
        return clock;
    }

    @Override
    public Clocks train(Worker worker, Rendezvous rendezvous) {
        Gradients gradients = new Gradients(elements, worker.index());
        double[] seconds = new double[clocks];
        double[] kept = new double[seconds.length];
        Table table = worker.table("w", 1, elements);
        worker.start(Initialiser.ZEROS);
        long endNs = System.nanoTime();
        for (int i = 0; i < seconds.length; i++) {
            long startNs = endNs;
            long before = worker.stats().elementsKept();
            table.sync();
            float[] update = gradients.next(i + 1);
            LockSupport.parkNanos(computeNs);
            table.update(update);
            worker.clock();
            endNs = System.nanoTime();
            seconds[i] = (endNs - startNs) / NS;
            kept[i] = (worker.stats().elementsKept() - before) / (double) elements;
            if (worker.index() == 0) {
                clock = i + 1;
            }
        }
        worker.drain();
        return new Clocks(seconds, kept, Replica.hash(table));
    }
}
