package io.sluice.perf.benchmark;

import java.util.List;

/** A loop that is timed, with the tables that it processes. Used by one thread. */
@FunctionalInterface
public interface Benchmark extends AutoCloseable {
    /** Processes the whole table once. The harness times this call. Allocates nothing. */
    void pass(Tally tally);

    /**
     * Benchmarks on the same memory with which this one is compared: they alternate with it in each turn. By default
     * there are none.
     */
    default List<Benchmark> others() {
        return List.of();
    }

    /** Moves the tables to other addresses and other pages; called before each turn. By default they stay. */
    default void move() {}

    /** Releases memory and streams; called once, after the last pass. By default there is nothing to release. */
    @Override
    default void close() {}
}
