package io.sluice.messaging.counters;

/**
 * The counters of one type by detail, created at the first occurrence of a detail, since most never occur. Only the
 * first occurrence allocates. For one thread.
 */
public final class CounterFamily {
    private final CounterGroup group;
    private final CounterType type;
    private final SingleWriterCounter[] counters;

    /**
     * Makes a family without counters.
     *
     * @param group group of all its counters.
     * @param type type of all its counters.
     * @param size number of details.
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

    /** Raises the counter of a detail that {@link #has} one. */
    public void add(int index, long amount) {
        counters[index].add(amount);
    }
}
