package io.sluice.perf.benchmark;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The threads of one benchmark and of those that alternate with it. Each processes its own part of the table. All begin
 * together, and a turn ends with the last. A benchmark of one thread uses the calling thread and no barrier.
 */
final class WorkerSet implements AutoCloseable {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    /** The benchmark and those that alternate with it; of each, one for every thread. */
    private final Benchmark[][] benchmarks;

    private final Tally[] tallies;
    private final Tally total = new Tally();
    private final CyclicBarrier begin;
    private final CyclicBarrier end;
    private final Thread[] others;
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private volatile int which;
    private volatile int passes;

    WorkerSet(BenchmarkSpec spec) {
        List<Benchmark> own = spec.prepare();
        int threads = own.size();
        benchmarks = new Benchmark[1 + own.getFirst().others().size()][];
        Arrays.setAll(
                benchmarks,
                which -> own.stream()
                        .map(each -> which == 0 ? each : each.others().get(which - 1))
                        .toArray(Benchmark[]::new));
        tallies = new Tally[threads];
        Arrays.setAll(tallies, _ -> new Tally());
        begin = new CyclicBarrier(threads);
        end = new CyclicBarrier(threads);
        others = new Thread[threads - 1];
        for (int i = 0; i < others.length; i++) {
            int member = i + 1;
            others[i] = Thread.ofPlatform()
                    .daemon()
                    .name(spec.name() + " " + member)
                    .start(() -> serve(member));
        }
        attach(0);
        if (others.length > 0) {
            await(begin);
        }
    }

    /** The number of benchmarks that alternate. */
    int size() {
        return benchmarks.length;
    }

    /** Moves the tables of all threads. */
    void move() {
        for (Benchmark own : benchmarks[0]) {
            own.move();
        }
    }

    /**
     * Runs a number of passes in all threads.
     *
     * @param benchmark 0 for the benchmark of the specification, then those that alternate with it
     * @return the measurements
     * @throws RuntimeException or an error: the first failure of a thread, after all threads have ended
     */
    Turn run(int benchmark, int count) {
        which = benchmark;
        passes = count;
        total.clear();
        if (others.length > 0) {
            await(begin);
        }
        long beginMs = System.currentTimeMillis();
        long start = System.nanoTime();
        attempt(0, count);
        if (others.length > 0) {
            await(end);
        }
        long nanos = System.nanoTime() - start;
        requireSuccess();
        for (Tally tally : tallies) {
            total.take(tally);
        }
        return total.turn(count, nanos, beginMs);
    }

    private void attach(int member) {
        try {
            THREADS.getCurrentThreadAllocatedBytes();
            benchmarks[0][member].attach();
        } catch (Throwable e) {
            failure.compareAndSet(null, e);
        }
    }

    private void serve(int member) {
        attach(member);
        await(begin); // all threads are attached
        while (await(begin)) {
            attempt(member, passes);
            await(end);
        }
    }

    /** Keeps a failure for {@link #run}: every thread must reach the barrier, or the others wait forever. */
    private void attempt(int member, int count) {
        try {
            repeat(member, count);
        } catch (Throwable e) {
            failure.compareAndSet(null, e);
        }
    }

    private void requireSuccess() {
        switch (failure.getAndSet(null)) {
            case null -> {}
            case RuntimeException e -> throw e;
            case Error e -> throw e;
            case Throwable e -> throw new IllegalStateException(e);
        }
    }

    private void repeat(int member, int count) {
        long before = THREADS.getCurrentThreadAllocatedBytes();
        Benchmark benchmark = benchmarks[which][member];
        for (int i = 0; i < count; i++) {
            benchmark.pass(tallies[member]);
        }
        tallies[member].allocated(before < 0 ? before : THREADS.getCurrentThreadAllocatedBytes() - before);
    }

    /** Returns whether all threads arrived; false once this is closed. */
    private static boolean await(CyclicBarrier barrier) {
        try {
            barrier.await();
            return true;
        } catch (InterruptedException | BrokenBarrierException closed) {
            return false;
        }
    }

    @Override
    public void close() {
        for (Thread other : others) {
            other.interrupt();
        }
        for (Benchmark benchmark : benchmarks[0]) {
            benchmark.close();
        }
    }
}
