package io.sluice.messaging;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A count that one thread raises and any thread reads. Raising it needs no locked instruction; a reader sees a value
 * that was true a moment ago and never one that goes back.
 */
final class Tally {
    private static final VarHandle VALUE;

    static {
        try {
            VALUE = MethodHandles.lookup().findVarHandle(Tally.class, "value", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private long value;

    void add(long amount) {
        VALUE.setRelease(this, value + amount);
    }

    long get() {
        return (long) VALUE.getAcquire(this);
    }
}
