package io.sluice.perf.benchmark;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;

/**
 * Runs benchmarks in this JVM.
 *
 * <p>The warm-up also finds how many passes make a turn that a clock can measure. A turn begins with a pass that is not
 * timed: other benchmarks have used the caches since the last turn. If there are others to compare with, they alternate
 * for some rounds, every other one in reverse order.
 */
final class LocalRunner implements Runner {
    /**
     * Share of the time of the fastest pass so far: a pass that takes less shows that the compiler is still working.
     */
    private static final double IMPROVEMENT = 0.9;

    /** Maximum duration of a warm-up, as a multiple of the time of the pace. */
    private static final int LONGEST = 10;

    /** Number of rounds of a turn in which benchmarks alternate. */
    private static final int ROUNDS = 4;

    private final List<? extends BenchmarkSpec> specs;
    private final Pace pace;
    private final WorkerSet[] workers;
    private final int[][] passes;

    LocalRunner(List<? extends BenchmarkSpec> specs, Pace pace) {
        this.specs = specs;
        this.pace = pace;
        workers = new WorkerSet[specs.size()];
        passes = new int[specs.size()][];
    }

    @Override
    public List<Turn> turn(int place) {
        if (workers[place] == null) {
            WorkerSet set = new WorkerSet(specs.get(place));
            workers[place] = set;
            passes[place] = IntStream.range(0, set.size())
                    .map(which -> warmUp(set, which, specs.get(place).cycle()))
                    .toArray();
        }
        WorkerSet set = workers[place];
        set.move();
        set.run(0, 1);
        return IntStream.range(0, rounds(set))
                .mapToObj(round -> round(set, passes[place], round % 2 == 1))
                .toList();
    }

    private static int rounds(WorkerSet set) {
        return set.size() == 1 ? 1 : ROUNDS;
    }

    private static Turn round(WorkerSet set, int[] passes, boolean backwards) {
        Turn[] turns = new Turn[set.size()];
        for (int i = 0; i < turns.length; i++) {
            int which = backwards ? turns.length - 1 - i : i;
            turns[which] = set.run(which, passes[which]);
        }
        return turns[0].beside(List.of(turns).subList(1, turns.length));
    }

    /**
     * Runs until no pass has been faster than all earlier passes for a while: with small tables, rarely used loops take
     * many passes to be compiled.
     *
     * @return passes of a round
     */
    private int warmUp(WorkerSet set, int which, int cycle) {
        long begin = System.nanoTime();
        long improved = begin;
        long least = Long.MAX_VALUE;
        Turn last;
        int runs = 0;
        do {
            last = set.run(which, 1);
            runs++;
            improved = last.nanos() < IMPROVEMENT * least ? System.nanoTime() : improved;
            least = Math.min(least, last.nanos());
        } while (System.nanoTime() - improved < pace.warmUpNanos() && improved - begin < LONGEST * pace.warmUpNanos()
                || runs < pace.warmUpPasses()
                || runs < cycle);
        int wanted = Math.clamp(pace.turnNanos() / rounds(set) / Math.max(1, last.nanos()), 1, pace.maxPasses());
        return (wanted + cycle - 1) / cycle * cycle;
    }

    @Override
    public void close() {
        Arrays.stream(workers).filter(Objects::nonNull).forEach(WorkerSet::close);
    }
}
