package io.sluice.perf.benchmark;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.stream.IntStream;
import org.agrona.LangUtil;

/**
 * The threads of one benchmark and of the benchmarks that alternate with it. Each processes its own part of the table.
 * All begin together, and a turn ends with the last. The first of them is the calling thread.
 */
final class WorkerSet implements AutoCloseable {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    /** The benchmark and those that alternate with it; of each, one for every thread. */
    private final Benchmark[][] benchmarks;

    private final Tally[] tallies;
    private final Tally total = new Tally();
    private final CyclicBarrier begin;
    private final List<ExecutorService> others = new ArrayList<>();

    WorkerSet(BenchmarkSpec spec) {
        List<Benchmark> own = spec.prepare();
        benchmarks = new Benchmark[1 + own.getFirst().others().size()][];
        Arrays.setAll(
                benchmarks,
                which -> own.stream()
                        .map(each -> which == 0 ? each : each.others().get(which - 1))
                        .toArray(Benchmark[]::new));
        tallies = new Tally[own.size()];
        Arrays.setAll(tallies, _ -> new Tally());
        begin = new CyclicBarrier(own.size());
        for (int member = 1; member < own.size(); member++) {
            others.add(Executors.newSingleThreadExecutor(Thread.ofPlatform()
                    .daemon()
                    .name(spec.name() + " " + member)
                    .factory()));
        }
        inAllThreads(member -> {
            THREADS.getCurrentThreadAllocatedBytes();
            spec.attach(member);
        });
    }

    /** The number of benchmarks that alternate. */
    int size() {
        return benchmarks.length;
    }

    /** Moves the tables of all threads to other addresses and pages; called before each turn. */
    void move() {
        for (Benchmark own : benchmarks[0]) {
            own.move();
        }
    }

    /**
     * Runs a number of passes in all threads.
     *
     * @param which 0 for the benchmark of the specification, then those that alternate with it
     */
    Turn run(int which, int passes) {
        total.clear();
        long beginMs = System.currentTimeMillis();
        long[] startNs = new long[1];
        inAllThreads(member -> {
            begin.await();
            if (member == 0) {
                startNs[0] = System.nanoTime();
            }
            repeat(benchmarks[which][member], tallies[member], passes);
        });
        long nanos = System.nanoTime() - startNs[0];
        for (Tally tally : tallies) {
            total.take(tally);
        }
        return total.turn(passes, nanos, beginMs);
    }

    private static void repeat(Benchmark benchmark, Tally tally, int passes) {
        long before = THREADS.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < passes; i++) {
            benchmark.pass(tally);
        }
        tally.allocated(before < 0 ? before : THREADS.getCurrentThreadAllocatedBytes() - before);
    }

    /** The part of a thread. */
    @FunctionalInterface
    private interface Part {
        void run(int member) throws Exception;
    }

    /** Waits for all threads, and throws the first exception or error of one. */
    private void inAllThreads(Part part) {
        List<FutureTask<Void>> parts = IntStream.range(0, tallies.length)
                .mapToObj(member -> new FutureTask<Void>(() -> {
                    part.run(member);
                    return null;
                }))
                .toList();
        for (int member = 1; member < parts.size(); member++) {
            others.get(member - 1).execute(parts.get(member));
        }
        parts.getFirst().run();
        Throwable failure = null;
        for (FutureTask<Void> each : parts) {
            try {
                each.get();
            } catch (ExecutionException e) {
                failure = failure == null ? e.getCause() : failure;
            } catch (InterruptedException e) {
                failure = e;
            }
        }
        if (failure != null) {
            LangUtil.rethrowUnchecked(failure);
        }
    }

    @Override
    public void close() {
        others.forEach(ExecutorService::shutdownNow);
        for (Benchmark benchmark : benchmarks[0]) {
            benchmark.close();
        }
    }
}
