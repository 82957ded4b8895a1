package io.sluice.messaging.counters;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.AtomicCounter;
import org.agrona.concurrent.status.CountersReader;

/**
 * A number that one thread changes and any thread, of any process, reads. Changing it is two plain stores: here, where
 * it outlives its counter, and in the counter. A reader sees a value that was true a moment ago, and of a count never
 * one that goes back.
 *
 * <p>The counter's memory is mapped for as long as a tally refers to it, so that a thread that still counts while the
 * driver goes away does no harm. Nothing is allocated.
 */
public final class Tally {
    private static final VarHandle VALUE;

    static {
        try {
            VALUE = MethodHandles.lookup().findVarHandle(Tally.class, "value", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final AtomicCounter counter;
    private long value;

    Tally(AtomicCounter counter) {
        this.counter = counter;
    }

    /** A tally that only this process sees. */
    static Tally unpublished() {
        return new Tally(new AtomicCounter(new UnsafeBuffer(new byte[CountersReader.COUNTER_LENGTH]), 0));
    }

    /** Raises it. For the owning thread alone. */
    public void add(long amount) {
        set(value + amount);
    }

    /** Raises it by one. For the owning thread alone. */
    public void increment() {
        set(value + 1);
    }

    /** Raises it to a value that is larger. For the owning thread alone. */
    public void raise(long candidate) {
        if (candidate > value) {
            set(candidate);
        }
    }

    /** Replaces it. For the owning thread alone. */
    public void set(long now) {
        VALUE.setRelease(this, now);
        counter.setRelease(now);
    }

    /** Its value; also after its counter was freed. */
    public long get() {
        return (long) VALUE.getAcquire(this);
    }
}
