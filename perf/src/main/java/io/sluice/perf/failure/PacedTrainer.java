package io.sluice.perf.failure;

import io.sluice.consistency.worker.Initialiser;
import io.sluice.consistency.worker.Table;
import io.sluice.consistency.worker.Worker;
import io.sluice.perf.cluster.Rendezvous;
import io.sluice.perf.cluster.Replica;
import io.sluice.perf.cluster.WorkerTask;
import java.util.Arrays;
import java.util.concurrent.locks.LockSupport;
import org.agrona.collections.LongArrayList;

/** A worker that computes nothing, and records when it has applied each version. */
final class PacedTrainer implements WorkerTask<Void> {
    private final LastClock lastClock;
    private final int params;
    private final long everyNs;

    /** Times at which versions became complete at this worker; owned by the trainer's thread until it has ended. */
    private final LongArrayList arrivals = new LongArrayList();

    private volatile long version = -1;
    private int digest;

    PacedTrainer(LastClock lastClock, int params, long everyNs) {
        this.lastClock = lastClock;
        this.params = params;
        this.everyNs = everyNs;
    }

    /** Trains until the last clock, and until all pushed updates have been applied. */
    @Override
    public Void train(Worker worker, Rendezvous rendezvous) {
        Table table = worker.table("model", 1, params);
        worker.start(Initialiser.ZEROS);
        float[] update = new float[params];
        Arrays.fill(update, 1 + worker.index());
        long dueNs = System.nanoTime();
        while (lastClock.mayTrain(worker.completed() + 1)) {
            sync(table);
            table.update(update);
            worker.clock();
            dueNs = Math.max(dueNs + everyNs, System.nanoTime());
            while (dueNs - System.nanoTime() > 0) {
                LockSupport.parkNanos(dueNs - System.nanoTime());
            }
        }
        worker.drain();
        digest = Replica.hash(table);
        return null;
    }

    private void sync(Table table) {
        table.sync();
        if (table.version() > version) {
            version = table.version();
            arrivals.addLong(System.nanoTime());
        }
    }

    /** The last version applied; -1 before the first. Thread-safe. */
    long version() {
        return version;
    }

    /** The hash of all parameters, after the worker has ended. */
    int digest() {
        return digest;
    }

    /** The longest time until a version that arrived in a span of time, after the worker has ended; nanoseconds. */
    long longestGapNs(long fromNs, long toNs) {
        long longest = 0;
        for (int i = 1; i < arrivals.size(); i++) {
            long atNs = arrivals.getLong(i);
            if (atNs - fromNs >= 0 && toNs - atNs >= 0) {
                longest = Math.max(longest, atNs - arrivals.getLong(i - 1));
            }
        }
        return longest;
    }

    /** Determines the last clock of workers that train at different paces: a clock that no worker has passed. */
    static final class LastClock {
        private long most;
        private long last = Long.MAX_VALUE;

        synchronized boolean mayTrain(long clock) {
            if (clock > last) {
                return false;
            }
            most = Math.max(most, clock);
            return true;
        }

        /** Sets the end: no worker begins a clock that no other worker has begun. */
        synchronized void end() {
            last = Math.min(last, most);
        }
    }
}
