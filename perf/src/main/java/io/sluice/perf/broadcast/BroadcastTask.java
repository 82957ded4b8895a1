package io.sluice.perf.broadcast;

import io.sluice.consistency.worker.FloatView;
import io.sluice.consistency.worker.Initialiser;
import io.sluice.consistency.worker.Table;
import io.sluice.consistency.worker.Worker;
import io.sluice.perf.cluster.Rendezvous;
import io.sluice.perf.cluster.WorkerTask;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A worker that has servers broadcast on command. Worker 0 pushes an update of all parameters, the others nothing but
 * that they have nothing to push; only the last one says nothing at first. Under BSP servers then have all they need
 * for the broadcast, and wait. When all that is in the servers' hands, the last worker pushes one element of each
 * slice: with it the clock begins, and servers can send slice by slice, as they do in training. It stops when the last
 * worker has all parameters.
 */
final class BroadcastTask implements WorkerTask<BroadcastTask.Times> {
    private static final long QUIET_NS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final long LOOK_MS = 5;
    private static final double NS = 1e9;

    /** Values repeat after so many elements. */
    private static final int PERIOD = 7;

    /** Small multiples of this add up without rounding. */
    private static final float UNIT = 1f / (1 << 12);

    private final BroadcastPlan plan;
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
     * @param plan          what to broadcast
     * @param sliceElements floats of a slice
     */
    BroadcastTask(BroadcastPlan plan, int sliceElements) {
        this.plan = plan;
        all = new float[Math.toIntExact(plan.elements())];
        last = new float[all.length];
        for (int i = 0; i < all.length; i++) {
            all[i] = (1 + i % PERIOD) * UNIT;
        }
        for (int i = 0; i < last.length; i += sliceElements) {
            last[i] = UNIT;
        }
    }

    /** How long a trial took: the last worker has started it, and the slowest has ended it. */
    static double seconds(List<Times> workers, int trial) {
        long end = workers.stream()
                .map(times -> times.ends()[trial])
                .reduce((one, other) -> other - one > 0 ? other : one)
                .orElseThrow();
        return (end - workers.getLast().starts()[trial]) / NS;
    }

    @Override
    public Times train(Worker worker, Rendezvous rendezvous) throws InterruptedException {
        long[] starts = new long[plan.trials()];
        long[] ends = new long[plan.trials()];
        Table table = worker.table("parameters", 1, all.length);
        worker.start(Initialiser.ZEROS);
        for (int trial = 0; trial < plan.trials(); trial++) {
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

    /**
     * What is still on its way behind this would only make the broadcast longer: its start is when the last worker
     * speaks.
     */
    private void prepare(Worker worker, Table table) throws InterruptedException {
        if (worker.index() == 0) {
            table.update(all);
        }
        if (!isLast(worker)) {
            worker.clock();
        }
        long bytes = worker.bytesPushed();
        long sinceNs = System.nanoTime();
        while (System.nanoTime() - sinceNs < QUIET_NS) {
            Thread.sleep(LOOK_MS);
            if (worker.bytesPushed() != bytes) {
                bytes = worker.bytesPushed();
                sinceNs = System.nanoTime();
            }
        }
    }

    private void check(Table table) {
        FloatView view = table.view();
        float[] values = new float[all.length];
        view.copyTo(0, values);
        float[] expected = new float[all.length];
        for (int i = 0; i < expected.length; i++) {
            expected[i] = plan.trials() * (all[i] + last[i]);
        }
        int wrong = Arrays.mismatch(values, expected);
        if (wrong >= 0) {
            throw new IllegalStateException("parameter " + wrong + " is " + values[wrong] + ", expected "
                    + expected[wrong] + ": updates were lost or doubled");
        }
    }
}
