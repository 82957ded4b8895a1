package io.sluice.perf.exchange;

import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.worker.Initialiser;
import io.sluice.consistency.worker.Table;
import io.sluice.consistency.worker.Worker;
import io.sluice.perf.cluster.Rendezvous;
import io.sluice.perf.cluster.WorkerTask;
import java.util.Arrays;

/**
 * A worker that pushes and computes nothing. Its first slice is a table of its own, so that its arrival can be seen;
 * all other parameters are a second one. All that waits for a link has room in its outbox, as for a trainer that does
 * not wait for links, so that a worker receives as soon as its update is filtered and encoded.
 */
final class NetworkExchangeTask implements WorkerTask<NetworkExchangeTask.Times> {
    private static final int SPARE_FRAMES = 8;
    private static final int MOST_FRAMES = 1 << 14;

    private final ExchangeSettings settings;
    private final int slice;
    private final int servers;
    private final ExchangeUpdates first;
    private final ExchangeUpdates rest;

    /**
     * By {@link System#nanoTime}, of each clock.
     *
     * @param starts before the update
     * @param pushed when the links had taken all pushes, to a millisecond
     * @param firsts when the first slice was applied
     * @param ends   when all were
     */
    record Times(long[] starts, long[] pushed, long[] firsts, long[] ends) {}

    /** Makes the updates, which all workers share. */
    NetworkExchangeTask(ExchangeSettings settings, ClusterSettings terms) {
        this.settings = settings;
        slice = Math.min(terms.sliceElements(), settings.floats() / 2);
        servers = terms.servers();
        first = new ExchangeUpdates(slice, settings.kept());
        rest = new ExchangeUpdates(settings.floats() - slice, settings.kept());
    }

    /** Frames that have to have room on the way to one server. */
    int outboxFrames() {
        return Math.min(MOST_FRAMES, settings.floats() / slice / servers + SPARE_FRAMES);
    }

    @Override
    public Times train(Worker worker, Rendezvous rendezvous) throws InterruptedException {
        int clocks = settings.totalClocks();
        Times times = new Times(new long[clocks], new long[clocks], new long[clocks], new long[clocks]);
        Table head = worker.table("first", 1, slice);
        Table tail = worker.table("rest", 1, settings.floats() - slice);
        worker.start(Initialiser.ZEROS);
        PushWatch watch = new PushWatch(worker);
        try {
            for (int i = 0; i < clocks; i++) {
                rendezvous.await();
                rendezvous.await();
                times.starts[i] = System.nanoTime();
                head.update(first.ofClock(i + 1));
                tail.update(rest.ofClock(i + 1));
                worker.clock();
                head.sync();
                times.firsts[i] = System.nanoTime();
                tail.sync();
                times.ends[i] = System.nanoTime();
                rendezvous.await();
                times.pushed[i] = watch.lastNs();
                rendezvous.await();
                if (i + 2 >= clocks) { // one of two is odd, and behind that one replicas are not zero
                    check(head, first, i + 1, worker.workers());
                    check(tail, rest, i + 1, worker.workers());
                }
            }
        } finally {
            watch.end();
        }
        return times;
    }

    /** Signs change with each clock: behind an even number all is zero again. */
    private static void check(Table table, ExchangeUpdates updates, int clock, int workers) {
        float[] values = new float[(int) table.spec().elements()];
        table.view().copyTo(0, values);
        float[] expected = new float[values.length];
        if (clock % 2 == 1) {
            for (int i = 0; i < expected.length; i++) {
                expected[i] = updates.expected(i, workers);
            }
        }
        int wrong = Arrays.mismatch(values, expected);
        if (wrong >= 0) {
            throw new IllegalStateException("parameter " + wrong + " of table "
                    + table.spec().name() + " is " + values[wrong] + ", expected " + expected[wrong]
                    + ": updates were lost or doubled");
        }
    }
}
