package io.sluice.messaging.counters;

/**
 * The tallies of one type by detail, where most details never occur: each gets its counter when it first does. That
 * first time allocates; after it nothing does. For one thread.
 */
public final class TallyFamily {
    private final CounterGroup group;
    private final CounterType type;
    private final Tally[] tallies;

    /**
     * Without counters so far.
     *
     * @param group whose they are.
     * @param type of all of them.
     * @param size how many details there are.
     */
    public TallyFamily(CounterGroup group, CounterType type, int size) {
        this.group = group;
        this.type = type;
        this.tallies = new Tally[size];
    }

    /** Whether a detail has occurred, so that {@link #add} will do. */
    public boolean has(int index) {
        return tallies[index] != null;
    }

    /**
     * Makes the tally of a detail that has not occurred before.
     *
     * @param index of the detail.
     * @param detail its name.
     */
    public void open(int index, String detail) {
        tallies[index] = group.tally(type, detail);
    }

    /** Raises the tally of a detail that {@link #has} one. */
    public void add(int index, long amount) {
        tallies[index].add(amount);
    }
}
