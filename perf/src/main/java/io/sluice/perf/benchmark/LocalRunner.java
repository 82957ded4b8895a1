package io.sluice.perf.benchmark;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * Runs benchmarks in this JVM.
 *
 * <p>The warm-up also finds how many passes make a turn that a clock can measure. A turn begins with a pass that is not
 * timed: other benchmarks have had the caches since the last one.
 */
final class LocalRunner implements Runner {
    /** A pass that takes less than this share of the fastest one so far shows that the compiler is still working. */
    private static final double IMPROVEMENT = 0.9;

    /** A warm-up takes at most this many times the time of the pace. */
    private static final int LONGEST = 10;

    private final List<? extends BenchmarkSpec> specs;
    private final Pace pace;
    private final WorkerSet[] workers;
    private final int[] passes;

    LocalRunner(List<? extends BenchmarkSpec> specs, Pace pace) {
        this.specs = specs;
        this.pace = pace;
        workers = new WorkerSet[specs.size()];
        passes = new int[specs.size()];
    }

    @Override
    public Turn turn(int place) {
        if (workers[place] == null) {
            workers[place] = new WorkerSet(specs.get(place));
            passes[place] = warmUp(workers[place], specs.get(place).cycle());
        }
        workers[place].run(1);
        return workers[place].run(passes[place]);
    }

    /**
     * Runs until for a while no pass has been faster than all before it: with small tables, rarely used loops take many
     * passes to be compiled.
     *
     * @return passes of a turn
     */
    private int warmUp(WorkerSet set, int cycle) {
        long begin = System.nanoTime();
        long improved = begin;
        long least = Long.MAX_VALUE;
        Turn last;
        int runs = 0;
        do {
            last = set.run(1);
            runs++;
            improved = last.nanos() < IMPROVEMENT * least ? System.nanoTime() : improved;
            least = Math.min(least, last.nanos());
        } while (System.nanoTime() - improved < pace.warmUpNanos() && improved - begin < LONGEST * pace.warmUpNanos()
                || runs < pace.warmUpPasses()
                || runs < cycle);
        int wanted = Math.clamp(pace.turnNanos() / Math.max(1, last.nanos()), 1, pace.maxPasses());
        return (wanted + cycle - 1) / cycle * cycle;
    }

    @Override
    public void close() {
        Arrays.stream(workers).filter(Objects::nonNull).forEach(WorkerSet::close);
    }
}
