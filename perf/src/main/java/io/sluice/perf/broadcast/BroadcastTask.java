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
 * A worker of a cluster whose servers broadcast on command. Worker 0 pushes an update of all parameters, the others
 * commit a clock without a push, and the last one does nothing at first. Under BSP servers then wait for the last
 * worker alone. When all pushes have arrived, the last worker pushes one element of each slice: the measured time
 * begins with this push, and servers can send slice by slice, as they do in training. It ends when the last worker has
 * all parameters.
 */
final class BroadcastTask implements WorkerTask<BroadcastTask.Times> {
    /** Filter for updates of which a share is not to pass: less than 1, and more than the others ever add up to. */
    static final String FILTER = "dvf:1";

    /** What passes: 2 and more, in integers, which add up without rounding. They repeat after so many elements. */
    private static final int PERIOD = 7;

    private static final float PASSING = 2;
    private static final float STAYING = 1e-5f;

    private final int trials;
    private final long quietNs;
    private final float[] all;
    private final float[] last;

    /**
     * By {@link System#nanoTime}, of each trial.
     *
     * @param starts when it let servers begin, if it was for this worker to do so
     * @param ends   when it had all parameters
     */
    record Times(long[] starts, long[] ends) {}

    /**
     * Prepares updates, which all workers share.
     *
     * @param elements      f32 that are broadcast
     * @param kept          share of them that a filter lets pass
     * @param trials        how often
     * @param sliceElements floats of a slice
     * @param quietNs       when the links have taken nothing for so long, all is in the servers' hands
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

    /** What of an update reaches replicas. */
    private static float passing(float value) {
        return value < PASSING ? 0 : value;
    }

    /** The broadcasts of a cluster: the last worker has started each of them, and the slowest has ended it. */
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

    /** Pushes that were still on their way would make the broadcast longer, so it waits until they have arrived. */
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
                    + expected[wrong] + ": updates were lost or doubled");
        }
    }
}
