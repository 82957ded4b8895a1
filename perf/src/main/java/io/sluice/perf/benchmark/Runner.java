package io.sluice.perf.benchmark;

import java.io.IOException;

/** Runs the benchmarks of a group, one at a time. */
interface Runner extends AutoCloseable {
    /**
     * Gives a benchmark a turn. Its first turn warms it up before.
     *
     * @param place place of the benchmark in the group
     * @throws IOException          if its JVM cannot be started
     * @throws InterruptedException if interrupted
     */
    Turn turn(int place) throws IOException, InterruptedException;

    @Override
    void close();
}
