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
     * Without counters so far.
     *
     * @param group of all of them.
     * @param type of all of them.
     * @param size how many details there are.
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
     * @param index of the detail.
     * @param detail its name.
     */
    public void open(int index, String detail) {
        counters[index] = group.counter(type, detail);
    }

    /** Raises the counter of a detail that {@link #has} one. */
    public void add(int index, long amount) {
        counters[index].add(amount);
    }
}
