package io.sluice.cli.run;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Waits for a condition, with a deadline. */
final class Until {
    private static final long STEP_NS = TimeUnit.MILLISECONDS.toNanos(20);

    private Until() {}

    /** Whether the condition holds within the time. */
    static boolean holds(Duration within, BooleanSupplier condition) {
        long startNs = System.nanoTime();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - startNs > within.toNanos()) {
                return false;
            }
            LockSupport.parkNanos(STEP_NS);
        }
        return true;
    }

    /** Fails unless the condition holds within the time; returns the milliseconds it took. */
    static long isSo(Duration within, BooleanSupplier condition, Supplier<String> otherwise) {
        long startNs = System.nanoTime();
        if (!holds(within, condition)) {
            throw new AssertionError("not within " + within.toSeconds() + " s: " + otherwise.get());
        }
        return millisSince(startNs);
    }

    static long millisSince(long startNs) {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNs);
    }
}
