package io.sluice.consistency.worker;

import io.sluice.consistency.spi.ConsistencyRule;
import io.sluice.consistency.standard.UpdateRules;
import io.sluice.consistency.terms.ClusterException;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.ClusterSettingsBuilder;
import io.sluice.consistency.terms.Failure;
import io.sluice.consistency.terms.Protocol;
import io.sluice.consistency.terms.TableTerms;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.agrona.concurrent.IdleStrategy;

/**
 * Several trainer threads of one process that share the tables of a worker: one replica, and one update.
 *
 * <pre>{@code
 * RowClient client = new RowClient(worker, 4);
 * RowTable factors = client.table("movies", rows, rank, true);
 * worker.start(Initialiser.ZEROS);
 * client.run(thread -> {                           // called once on each of 4 threads
 *     while (!done) {
 *         factors.getRow(thread, row, target);     // waits as the consistency rule demands
 *         factors.incRow(row, deltas);
 *         thread.clock();
 *     }
 * });
 * worker.drain();
 * }</pre>
 *
 * <p>A thread for which others wait is reported as a node is, and ends the job once they have waited for as long as
 * nodes wait for parameters ({@code WorkerContext.progressNs}).
 *
 * <p>{@link #run} makes the thread that owns the worker the agent of the others: it applies broadcasts, pushes, and
 * ends iterations of the worker. Nothing else may use the worker meanwhile. All its tables must be the client's.
 */
public final class RowClient {
    /** The work of a trainer thread. */
    @FunctionalInterface
    public interface Trainer {
        /**
         * Trains until this thread is done.
         *
         * @param thread its handle, for calls of tables
         * @throws Exception that ends the run
         */
        void train(TrainerThread thread) throws Exception;
    }

    /** How long threads may continue to compute after a failure. They are daemons. */
    private static final long END_NS = TimeUnit.SECONDS.toNanos(5);

    private static final long LOOK_MS = 100;

    private final Worker worker;
    private final ConsistencyRule rule;
    private final boolean isManaged;
    private final List<RowTable> tables = new ArrayList<>();
    private final TrainerThread[] threads;
    private final AtomicReference<Throwable> failure = new AtomicReference<>();

    /** The worker's clock, published to the trainer threads. */
    private volatile long pushed;

    /** The version that the rule requires in the clock of the worker, for rules that decide in each clock. */
    private volatile long required;

    /**
     * Creates a client.
     *
     * @param worker  worker that is connected and not started
     * @param threads number of trainer threads, 1 or more
     * @throws IllegalArgumentException if {@code threads} is below 1, if the protocol has replies instead of
     *     broadcasts, or if the job is elastic
     */
    public RowClient(Worker worker, int threads) {
        if (threads < 1) {
            throw new IllegalArgumentException("the number of threads is " + threads + ", expected 1 or more");
        }
        ClusterSettings terms = worker.settings();
        if (terms.protocol() == Protocol.PUSH_PULL) {
            throw new IllegalArgumentException(
                    "protocol " + terms.protocol().configName() + " sends replies to one thread, expected a protocol"
                            + " with broadcasts, which several threads can wait for");
        }
        if (terms.isElastic()) {
            throw new IllegalArgumentException(
                    "the terms let workers join and leave, expected a fixed number of workers");
        }
        this.worker = worker;
        this.rule = worker.rule();
        this.isManaged = terms.isManaged();
        this.threads = new TrainerThread[threads];
    }

    /**
     * Declares a table. All workers must declare the same tables in the same order, with a client or without.
     *
     * @param name         name of the table
     * @param rows         number of rows
     * @param columns      floats in a row
     * @param readMyWrites whether reads include the increments of this process that have not been pushed; it costs a
     *                     lock for each read
     * @return the table, all zero; read it in {@link #run}
     * @throws IllegalArgumentException if the shape or name is invalid, or the terms do not allow {@code readMyWrites}:
     *     under {@code managed}, and with update rules other than {@code sum}, an increment does not return unchanged;
     *     filters other than {@code none} and the rule {@code drift} keep increments in residuals, which reads do not
     *     include; also if the update rule revises and the consistency rule is not ordered
     * @throws IllegalStateException after the start
     */
    public RowTable table(String name, int rows, int columns, boolean readMyWrites) {
        TableTerms terms = worker.settings().table(name);
        if (readMyWrites && (isManaged || !UpdateRules.SUM.equals(terms.rule()))) {
            throw new IllegalArgumentException("table " + name + " has readMyWrites with the protocol "
                    + worker.settings().protocol().configName() + " and the rule " + terms.rule()
                    + ", expected update and sum");
        }
        boolean keeps = rule.withholds() || !ClusterSettingsBuilder.DEFAULT_FILTER.equals(terms.filter());
        int ownRounds = worker.links().context().ownRoundsToRead(worker.settings(), name);
        if (readMyWrites && (keeps || rule.ownRoundsAhead() > 0 && 0 == ownRounds)) {
            throw new IllegalArgumentException("table " + name + " has readMyWrites with the consistency " + rule.name()
                    + " and the filter " + terms.filter() + ", expected a rule that withholds nothing, the filter "
                    + ClusterSettingsBuilder.DEFAULT_FILTER + " and WorkerContext.readMyWrites");
        }
        if (UpdateRules.named(terms.rule()).revises() && !rule.ordered()) {
            throw new IllegalArgumentException(
                    "table " + name + " has the rule " + terms.rule() + " with the consistency " + rule.name()
                            + ", expected an ordered one: threads may have read different versions");
        }
        RowTable table = new RowTable(worker.table(name, rows, columns), readMyWrites);
        tables.add(table);
        return table;
    }

    /**
     * Runs the trainer on all threads, and returns when all have ended. The worker must have been started. A thread
     * that ends no longer holds the others back.
     *
     * @param trainer called once on each thread
     * @throws RuntimeException of a thread, or of the cluster; the threads that wait end with a
     *     {@link CancellationException}
     * @throws Error of a thread
     * @throws CompletionException whose cause is the checked exception of a thread
     * @throws IllegalStateException if the worker has not been started
     */
    public void run(Trainer trainer) {
        long clock = worker.completed();
        worker.requireRunnable(tables.size());
        pushed = clock;
        required = worker.required().get();
        int most = tables.stream().mapToInt(RowTable::slicesOfRow).max().orElse(0);
        tables.forEach(RowTable::publish);
        Thread[] running = new Thread[threads.length];
        for (int i = 0; i < threads.length; i++) {
            TrainerThread thread =
                    new TrainerThread(this, i, clock, most, worker.links().idle());
            threads[i] = thread;
            running[i] = Thread.ofPlatform().daemon().name("sluice-rows-" + i).unstarted(() -> train(trainer, thread));
        }
        try {
            for (Thread thread : running) {
                thread.start();
            }
            serve();
        } catch (RuntimeException | Error e) {
            if (failure.compareAndSet(null, e)) {
                worker.links().membership().failed(e); // an increment that RowTable.collect refuses has no other report
            }
        } finally {
            end(running);
        }
        rethrow();
    }

    private void train(Trainer trainer, TrainerThread thread) {
        try {
            trainer.train(thread);
        } catch (Throwable e) {
            failure.compareAndSet(null, e);
        } finally {
            thread.end();
        }
    }

    /** Works for the threads until all have ended, or something has failed. */
    private void serve() {
        IdleStrategy idle = worker.links().idle();
        ThreadWatch watch = new ThreadWatch(worker.links(), threads);
        boolean live = true;
        while (live && failure.get() == null) {
            // read before endClocks(), so that the last clock of a thread that ends meanwhile is still processed
            live = isAnyLive();
            int work = endClocks();
            work += worker.poll();
            required = worker.required().get();
            tables.forEach(RowTable::publish);
            if (work == 0 && isEachWaiting()) {
                sync();
            } else {
                watch.look();
                idle.idle(work + sendEarly());
                ClusterException.checkInterrupt("working for trainer threads");
            }
        }
        tables.forEach(RowTable::collect);
        tables.forEach(RowTable::release);
    }

    private void sync() {
        for (int i = 0; i < tables.size(); i++) {
            tables.get(i).table().sync();
            tables.get(i).publish();
        }
    }

    /** Ends the iterations of the worker that all threads have ended; returns their number. */
    private int endClocks() {
        long slowest = slowestClock();
        int ended = 0;
        while (worker.completed() < slowest) {
            tables.forEach(RowTable::collect);
            long clock = worker.clock();
            tables.forEach(RowTable::release);
            pushed = clock;
            ended++;
        }
        return ended;
    }

    /** Hands over what threads have added, and sends as much of it as the budget allows. */
    private int sendEarly() {
        if (isManaged && worker.required().isMet()) {
            tables.forEach(RowTable::collect);
        }
        return worker.work();
    }

    /** The lowest clock of the threads that run; once none runs, the highest clock of all threads. */
    private long slowestClock() {
        long slowest = Long.MAX_VALUE;
        long fastest = 0;
        for (TrainerThread thread : threads) {
            // read before the clock: the clock of a thread that has ended is final
            boolean hasEnded = thread.hasEnded();
            long clock = thread.completed();
            slowest = hasEnded ? slowest : Math.min(slowest, clock);
            fastest = Math.max(fastest, clock);
        }
        return slowest == Long.MAX_VALUE ? fastest : slowest;
    }

    private boolean isAnyLive() {
        for (TrainerThread thread : threads) {
            if (!thread.hasEnded()) {
                return true;
            }
        }
        return false;
    }

    /** Whether no thread can continue before a frame arrives. */
    private boolean isEachWaiting() {
        for (TrainerThread thread : threads) {
            if (!thread.hasEnded() && !thread.waits()) {
                return false;
            }
        }
        return slowestClock() == worker.completed() && isAnyLive();
    }

    private void end(Thread[] running) {
        boolean interrupted = false;
        long latest = System.nanoTime() + END_NS; // a thread that computes ends at its next call
        for (Thread thread : running) {
            if (failure.get() != null) {
                thread.interrupt();
            }
            while (thread.isAlive() && (failure.get() == null || System.nanoTime() < latest)) {
                try {
                    thread.join(LOOK_MS);
                } catch (InterruptedException e) {
                    failure.compareAndSet(
                            null, new ClusterException(Failure.CLOSED, "interrupted while trainer threads end"));
                    interrupted = true;
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void rethrow() {
        switch (failure.get()) {
            case null -> {}
            case RuntimeException e -> throw e;
            case Error e -> throw e;
            case Throwable e -> throw new CompletionException(e);
        }
    }

    long requiredVersion(long clock) {
        return Math.max(required, rule.requiredVersion(clock));
    }

    /** Whether all threads must have ended an iteration before any may begin the next. */
    boolean isBarrier(long clock) {
        return rule.requiredVersion(clock) == clock;
    }

    /** The clock up to which the process has pushed. */
    long pushed() {
        return pushed;
    }

    /** Throws if the client has failed. */
    void requireSound() {
        Throwable cause = failure.get();
        if (cause != null) {
            CancellationException cancelled =
                    new CancellationException("a trainer thread ends because the process has failed: " + cause);
            cancelled.initCause(cause);
            throw cancelled;
        }
    }

    /** One of the trainer threads of a {@link RowClient}, for this thread alone. */
    public static final class TrainerThread {
        private final RowClient client;
        private final int index;
        private final IdleStrategy idle;

        /** The numbers of the slices of a row while it is read. */
        private final int[] numbers;

        private volatile long clock;
        private volatile boolean waits;
        private volatile boolean hasEnded;

        TrainerThread(RowClient client, int index, long clock, int slicesOfRow, IdleStrategy idle) {
            this.client = client;
            this.index = index;
            this.clock = clock;
            this.numbers = new int[slicesOfRow];
            this.idle = idle;
        }

        /**
         * Number of the thread in its client, by which it may choose its part of the data.
         *
         * @return from 0 to the number of threads
         */
        public int index() {
            return index;
        }

        /**
         * Number of iterations that this thread has completed.
         *
         * @return the clock of the thread; at the start the clock of the worker
         */
        public long completed() {
            return clock;
        }

        /**
         * Ends an iteration of this thread. The iteration of the worker ends with that of its slowest thread. Under
         * {@code bsp} this waits until all threads have called it.
         *
         * @throws java.util.concurrent.CancellationException if the cluster or another thread fails meanwhile
         * @throws ClusterException if the thread is interrupted while it waits
         */
        public void clock() {
            client.requireSound();
            long ended = clock + 1;
            clock = ended;
            if (client.isBarrier(ended) && client.pushed() < ended) {
                begin();
                while (client.pushed() < ended) {
                    idle();
                }
                waits = false;
            }
        }

        /** Waits until a table is as fresh as the consistency rule demands. */
        void awaitVersion(RowTable table) {
            client.requireSound();
            long required = client.requiredVersion(clock);
            if (table.version() < required) {
                begin();
                while (table.version() < required) {
                    idle();
                }
                waits = false;
            }
        }

        private void begin() {
            idle.reset();
            waits = true;
        }

        /** Waits a little, unless the client has failed. */
        void idle() {
            client.requireSound();
            ClusterException.checkInterrupt("waiting for the other threads of the process");
            idle.idle();
        }

        int[] numbers() {
            return numbers;
        }

        boolean waits() {
            return waits;
        }

        void end() {
            hasEnded = true;
        }

        boolean hasEnded() {
            return hasEnded;
        }
    }
}
