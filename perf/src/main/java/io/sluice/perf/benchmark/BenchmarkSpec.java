package io.sluice.perf.benchmark;

import java.io.Serializable;
import java.util.List;

/** The specification of a benchmark, from which any JVM can create it. */
public interface BenchmarkSpec extends Serializable {
    /** Name of the benchmark in messages. */
    String name();

    /**
     * The group of the benchmark. Benchmarks of one group share a JVM, which is right if their loops have nothing in
     * common.
     */
    default String group() {
        return name();
    }

    /** Number of elements that one pass processes, in all threads together. */
    long elements();

    /** Number of passes after which the work repeats itself: a turn is a multiple of this number. */
    default int cycle() {
        return 1;
    }

    /** Size of the tables of all threads together, on the heap and off it, in bytes. */
    long memory();

    /** Flags that its JVM needs in addition to those of every JVM; equal for all benchmarks of a group. */
    default List<String> jvmOptions() {
        return List.of();
    }

    /** Creates a benchmark for each thread: its part of the table, filled. */
    List<Benchmark> prepare();

    /**
     * Performs one-time work of a measuring thread before the first pass of any benchmark, in that thread. Does nothing
     * by default.
     */
    default void attach(int thread) {}
}
