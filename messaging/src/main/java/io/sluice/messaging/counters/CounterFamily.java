package io.sluice.messaging.counters;

/**
 * The counters of one type, one for each detail. A counter is created when its detail first occurs, since most details
 * never do; only that allocates. For use by one thread.
 */
public final class CounterFamily {
    private final CounterGroup group;
    private final CounterType type;
    private final SingleWriterCounter[] counters;

    /**
     * Creates a family that is still empty.
     *
     * @param group group of all its counters.
     * @param type type of all its counters.
     * @param size number of possible details.
     */
    public CounterFamily(CounterGroup group, CounterType type, int size) {
        this.group = group;
        this.type = type;
        this.counters = new SingleWriterCounter[size];
    }

    /** Whether a detail has a counter, as {@link #add} requires. */
    public boolean has(int index) {
        return counters[index] != null;
    }

    /**
     * Creates the counter of a detail.
     *
     * @param index index of the detail.
     * @param detail name of the detail.
     */
    public void open(int index, String detail) {
        counters[index] = group.counter(type, detail);
    }

    /** Adds to the counter of a detail, which must {@linkplain #has have} one. */
    public void add(int index, long amount) {
        counters[index].add(amount);
    }
}
