package io.sluice.perf.exchange;

import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.worker.Initialiser;
import io.sluice.consistency.worker.Table;
import io.sluice.consistency.worker.Worker;
import io.sluice.perf.cluster.Rendezvous;
import io.sluice.perf.cluster.WorkerTask;
import io.sluice.perf.nodes.PollingThread;
import org.agrona.concurrent.SleepingIdleStrategy;

/**
 * A worker that pushes and computes nothing. Its first slice is a separate table, so that its arrival can be observed;
 * all other parameters are a second table. All waiting frames have room in the outbox of their link, so a worker
 * receives as soon as its update is filtered and encoded.
 */
final class NetworkExchangeTask implements WorkerTask<NetworkExchangeTask.Times> {
    private static final int SPARE_FRAMES = 8;
    private static final int MOST_FRAMES = 1 << 14;

    private final int params;
    private final int clocks;
    private final int slice;
    private final int servers;
    private final ExchangeUpdates first;
    private final ExchangeUpdates rest;

    /**
     * The times of each clock ({@link System#nanoTime}): before the update; when the links had taken all pushes, to a
     * millisecond; when the first slice was applied; when all slices were.
     */
    record Times(long[] starts, long[] pushed, long[] firsts, long[] ends) {}

    /** Makes the updates, which all workers share. */
    NetworkExchangeTask(int params, double kept, int clocks, ClusterSettings terms) {
        this.params = params;
        this.clocks = clocks;
        slice = Math.min(terms.sliceElements(), params / 2);
        servers = terms.servers();
        first = new ExchangeUpdates(slice, kept);
        rest = new ExchangeUpdates(params - slice, kept);
    }

    /** Number of frames for which the outbox to one server needs room. */
    int outboxFrames() {
        return Math.min(MOST_FRAMES, params / slice / servers + SPARE_FRAMES);
    }

    @Override
    public Times train(Worker worker, Rendezvous rendezvous) throws InterruptedException {
        Times times = new Times(new long[clocks], new long[clocks], new long[clocks], new long[clocks]);
        Table head = worker.table("first", 1, slice);
        Table tail = worker.table("rest", 1, params - slice);
        worker.start(Initialiser.ZEROS);
        try (PushWatch watch = new PushWatch(worker)) {
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
                if (i + 2 >= clocks) { // after an odd clock replicas are not zero
                    first.check(head, i + 1, worker.workers());
                    rest.check(tail, i + 1, worker.workers());
                }
            }
        }
        return times;
    }

    /** Records when a worker's links last accepted a frame, to about a millisecond. */
    private static final class PushWatch implements AutoCloseable {
        private static final long LOOK_NS = 1_000_000;

        private final PollingThread thread;
        private long bytes;
        private volatile long lastNs = System.nanoTime();

        /** Begins to watch a worker that has been started. Its counters end with it: close the watch before. */
        PushWatch(Worker worker) {
            bytes = worker.bytesPushed();
            thread = new PollingThread(
                    "push watch", new SleepingIdleStrategy(LOOK_NS), () -> look(worker.bytesPushed()));
        }

        private int look(long now) {
            if (now != bytes) {
                bytes = now;
                lastNs = System.nanoTime();
            }
            return 0;
        }

        /** The time of the last accepted frame, by {@link System#nanoTime}. */
        long lastNs() {
            return lastNs;
        }

        @Override
        public void close() {
            thread.close();
        }
    }
}
