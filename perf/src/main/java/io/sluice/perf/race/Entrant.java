package io.sluice.perf.race;

import java.io.Serializable;
import java.util.List;

/** The entry of a contestant: says how to make it, in whatever JVM it is to run. */
public interface Entrant extends Serializable {
    /** What to call it in messages. */
    String name();

    /** Those of one group share a JVM, which is right for contestants whose loops have nothing in common. */
    default String group() {
        return name();
    }

    /** Elements one pass goes over, in all threads together. */
    long elements();

    /** Passes after which the work repeats itself: a turn is a whole number of these. */
    default int cycle() {
        return 1;
    }

    /** Threads that share the table; each runs a contestant of its own. */
    int threads();

    /** Bytes of tables, on the heap and off it, of all threads together. */
    long memory();

    /** Flags its JVM needs besides those every JVM gets; the same for all of a group. */
    default List<String> jvmOptions() {
        return List.of();
    }

    /**
     * Makes the contestant of one thread: its part of the table, filled.
     *
     * @param thread from 0
     * @return the contestant
     */
    Contestant prepare(int thread);
}
