package io.sluice.messaging.counters;

/**
 * The counters of one type by detail, where most details never occur: each gets its counter when it first does. That
 * first time allocates; after it nothing does. For one thread.
 */
public final class CounterFamily {
    private final CounterGroup group;
    private final CounterType type;
    private final SingleWriterCounter[] counters;

    /**
     * Without counters so far.
     *
     * @param group whose they are.
     * @param type of all of them.
     * @param size how many details there are.
     */
    public CounterFamily(CounterGroup group, CounterType type, int size) {
        this.group = group;
        this.type = type;
        this.counters = new SingleWriterCounter[size];
    }

    /** Whether a detail has occurred, so that {@link #add} will do. */
    public boolean has(int index) {
        return counters[index] != null;
    }

    /**
     * Makes the counter of a detail that has not occurred before.
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
