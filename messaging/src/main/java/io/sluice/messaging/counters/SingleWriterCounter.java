package io.sluice.messaging.counters;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A number that one thread changes and any thread of this process reads. A change is one store with release semantics
 * to the heap. {@link Counters} copies it a few milliseconds later to the driver's file, where other processes read it.
 * Readers get a recent value, and a count never decreases.
 *
 * <p>Nothing is allocated.
 */
public final class SingleWriterCounter {
    private static final VarHandle VALUE;

    static {
        try {
            VALUE = MethodHandles.lookup().findVarHandle(SingleWriterCounter.class, "value", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private long value;

    SingleWriterCounter() {}

    /** Adds to the counter. Only the owning thread may call this. */
    public void add(long amount) {
        set(value + amount);
    }

    /** Increments the counter. Only the owning thread may call this. */
    public void increment() {
        set(value + 1);
    }

    /** Raises the counter to a larger value. Only the owning thread may call this. */
    public void raise(long candidate) {
        if (candidate > value) {
            set(candidate);
        }
    }

    /** Sets the value. Only the owning thread may call this. */
    public void set(long now) {
        VALUE.setRelease(this, now);
    }

    /** The value, even after the driver's counter was freed. */
    public long get() {
        return (long) VALUE.getAcquire(this);
    }
}
