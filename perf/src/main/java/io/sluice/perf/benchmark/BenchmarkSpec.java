package io.sluice.perf.benchmark;

import java.io.Serializable;
import java.util.List;

/** The specification of a benchmark, from which any JVM can create it. */
public interface BenchmarkSpec extends Serializable {
    /** Its name in messages. */
    String name();

    /** Benchmarks of one group share a JVM, which is right for those whose loops have nothing in common. */
    default String group() {
        return name();
    }

    /** Elements that one pass processes, in all threads together. */
    long elements();

    /** Passes after which the work repeats itself: a turn is a whole number of these. */
    default int cycle() {
        return 1;
    }

    /** Bytes of tables, on the heap and off it, of all threads together. */
    long memory();

    /** Flags that its JVM needs besides those that every JVM gets; the same for all of a group. */
    default List<String> jvmOptions() {
        return List.of();
    }

    /** Makes a benchmark for each thread: its part of the table, filled. */
    List<Benchmark> prepare();
}
