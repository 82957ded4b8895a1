package io.sluice.perf.benchmark;

import java.io.IOException;
import java.util.List;

/** Runs the benchmarks of a group, one at a time. */
interface Runner extends AutoCloseable {
    /**
     * Gives a benchmark a turn. Before its first turn it is warmed up. A benchmark that alternates with others has
     * several rounds in a turn.
     *
     * @param place place of the benchmark in the group
     */
    List<Turn> turn(int place) throws IOException, InterruptedException;

    @Override
    void close();
}
