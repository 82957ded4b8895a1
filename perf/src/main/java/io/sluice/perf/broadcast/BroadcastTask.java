package io.sluice.perf.broadcast;

import io.sluice.consistency.worker.Initialiser;
import io.sluice.consistency.worker.Table;
import io.sluice.consistency.worker.Worker;
import io.sluice.perf.cluster.Cluster;
import io.sluice.perf.cluster.CommandedBroadcast;
import io.sluice.perf.cluster.Rendezvous;
import io.sluice.perf.cluster.Replica;
import io.sluice.perf.cluster.WorkerTask;
import java.util.List;
import java.util.SplittableRandom;

/** A worker that takes part in commanded broadcasts of all parameters, and checks its replica in the end. */
final class BroadcastTask implements WorkerTask<BroadcastTask.Times> {
    /** The filter if only a part of an update passes: it holds back the other elements, whose sums stay below 1. */
    static final String FILTER = "dvf:1";

    /**
     * Values that pass: integers from 2 on, whose sums need no rounding. They repeat after so many elements.
     */
    private static final int PERIOD = 7;

    private static final float PASSING = 2;
    private static final float STAYING = 1e-5f;

    private final int trials;
    private final long quietNs;
    private final float[] all;
    private final int sliceElements;
    private final CommandedBroadcast last;

    /**
     * Times at which the worker started the broadcast of each trial, if it did, and had all parameters ({@link
     * System#nanoTime}).
     */
    record Times(long[] starts, long[] ends) {}

    /**
     * Prepares updates, which all workers share.
     *
     * @param quietNs time for which links must be idle before all pushes count as arrived
     */
    BroadcastTask(long elements, double kept, int trials, int sliceElements, long quietNs) {
        this.trials = trials;
        this.quietNs = quietNs;
        all = new float[Math.toIntExact(elements)];
        this.sliceElements = sliceElements;
        last = new CommandedBroadcast(all.length, sliceElements, PASSING);
        SplittableRandom random = new SplittableRandom(elements);
        for (int i = 0; i < all.length; i++) {
            all[i] = random.nextDouble() < kept ? PASSING + i % PERIOD : STAYING;
        }
    }

    /** The part of an update that reaches replicas. */
    private static float passing(float value) {
        return value < PASSING ? 0 : value;
    }

    /** The broadcasts of a cluster: the last worker starts each broadcast, and the slowest worker ends it. */
    static List<Broadcast> broadcasts(Cluster.Outcome<Times> outcome) {
        List<Times> workers = outcome.seen();
        return Broadcast.between(
                List.of(workers.getLast().starts()),
                workers.stream().map(Times::ends).toList(),
                outcome.costs());
    }

    @Override
    public Times train(Worker worker, Rendezvous rendezvous) throws InterruptedException {
        long[] starts = new long[trials];
        long[] ends = new long[trials];
        Table table = worker.table("parameters", 1, all.length);
        worker.start(Initialiser.ZEROS);
        for (int trial = 0; trial < trials; trial++) {
            CommandedBroadcast.prepare(worker, table, all, quietNs);
            rendezvous.await();
            rendezvous.await();
            starts[trial] = System.nanoTime();
            last.start(worker, table);
            table.sync();
            ends[trial] = System.nanoTime();
            rendezvous.await();
            rendezvous.await();
        }
        Replica.require(table, i -> trials * (passing(all[i]) + (i % sliceElements == 0 ? PASSING : 0)));
        return new Times(starts, ends);
    }
}
