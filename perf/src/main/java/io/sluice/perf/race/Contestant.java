package io.sluice.perf.race;

/** One way of doing the job, with the tables it works on. Used by one thread. */
@FunctionalInterface
public interface Contestant extends AutoCloseable {
    /**
     * Does the job once for the whole table: this is what is timed. Allocates nothing.
     *
     * @param tally is told what was made
     */
    void pass(Tally tally);

    /**
     * Does what the thread of the passes does only once, such as its first call of a native function. That thread calls
     * it before the first pass of any contestant, which it might hold up behind a compilation. By default does nothing.
     */
    default void attach() {}

    /** Gives back what it holds of the machine; called once, after the last pass. By default there is nothing. */
    @Override
    default void close() {}
}
