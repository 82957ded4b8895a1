package io.sluice.perf.broadcast;

import io.sluice.consistency.worker.FloatView;
import io.sluice.consistency.worker.Initialiser;
import io.sluice.consistency.worker.Table;
import io.sluice.consistency.worker.Worker;
import io.sluice.perf.cluster.LabCluster;
import io.sluice.perf.cluster.QuietLinks;
import io.sluice.perf.cluster.Rendezvous;
import io.sluice.perf.cluster.WorkerTask;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A worker of a cluster whose servers broadcast on command. Worker 0 pushes an update of all parameters, the other
 * workers commit a clock without a push, and the last worker waits. Under BSP the servers then wait for the last worker
 * alone. When all pushes have arrived, the last worker pushes one element of each slice: the measured time begins with
 * this push, and servers can send slice by slice, as in training. It ends when the last worker has all parameters.
 */
final class BroadcastTask implements WorkerTask<BroadcastTask.Times> {
    /** The filter of updates that pass in part: the other elements are below 1, and more than they ever add up to. */
    static final String FILTER = "dvf:1";

    /** Values that pass: integers from 2 on, whose sums need no rounding. They repeat after this many elements. */
    private static final int PERIOD = 7;

    private static final float PASSING = 2;
    private static final float STAYING = 1e-5f;

    private final int trials;
    private final long quietNs;
    private final float[] all;
    private final float[] last;

    /**
     * Times of each trial ({@link System#nanoTime}).
     *
     * @param starts time at which the worker started the broadcast, if it did
     * @param ends time at which it had all parameters
     */
    record Times(long[] starts, long[] ends) {}

    /**
     * Prepares updates, which all workers share.
     *
     * @param elements      f32 that are broadcast
     * @param kept share of the elements that pass the filter
     * @param trials        number of broadcasts
     * @param sliceElements floats of a slice
     * @param quietNs       time for which links must be idle before all pushes count as arrived
     */
    BroadcastTask(long elements, double kept, int trials, int sliceElements, long quietNs) {
        this.trials = trials;
        this.quietNs = quietNs;
        all = new float[Math.toIntExact(elements)];
        last = new float[all.length];
        SplittableRandom random = new SplittableRandom(elements);
        for (int i = 0; i < all.length; i++) {
            all[i] = random.nextDouble() < kept ? PASSING + i % PERIOD : STAYING;
        }
        for (int i = 0; i < last.length; i += sliceElements) {
            last[i] = PASSING;
        }
    }

    /** The part of an update that reaches replicas. */
    private static float passing(float value) {
        return value < PASSING ? 0 : value;
    }

    /** The broadcasts of a cluster: the last worker starts each, and the slowest worker ends it. */
    static List<Broadcast> broadcasts(LabCluster.Outcome<Times> outcome) {
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
            prepare(worker, table);
            rendezvous.await();
            rendezvous.await();
            starts[trial] = System.nanoTime();
            if (isLast(worker)) {
                table.update(last);
                worker.clock();
            }
            table.sync();
            ends[trial] = System.nanoTime();
            rendezvous.await();
            rendezvous.await();
        }
        check(table);
        return new Times(starts, ends);
    }

    private static boolean isLast(Worker worker) {
        return worker.index() == worker.workers() - 1;
    }

    /** Waits until all pushes have arrived: pushes in flight would delay the broadcast. */
    private void prepare(Worker worker, Table table) throws InterruptedException {
        if (worker.index() == 0) {
            table.update(all);
        }
        if (!isLast(worker)) {
            worker.clock();
        }
        QuietLinks.await(worker, quietNs);
    }

    private void check(Table table) {
        FloatView view = table.view();
        float[] values = new float[all.length];
        view.copyTo(0, values);
        float[] expected = new float[all.length];
        for (int i = 0; i < expected.length; i++) {
            expected[i] = trials * (passing(all[i]) + last[i]);
        }
        int wrong = Arrays.mismatch(values, expected);
        if (wrong >= 0) {
            throw new IllegalStateException("parameter " + wrong + " is " + values[wrong] + ", expected "
                    + expected[wrong] + ": updates are lost or duplicated");
        }
    }
}
