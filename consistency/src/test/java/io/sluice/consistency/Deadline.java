package io.sluice.consistency;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for conditions, never for longer than a test may take. */
public final class Deadline {
    /**
     * Longer than the longest silences that a loaded host allows, one after the other: each is up to four times the
     * liveness time of a test that waits for a death, which is up to 5 s.
     */
    public static final long PATIENCE_MS = 120_000;

    private static final long PARK_NS = TimeUnit.MICROSECONDS.toNanos(200);

    private Deadline() {}

    /** Waits until the condition holds; fails if it does not in time, or if the thread is interrupted. */
    public static void await(String what, BooleanSupplier condition) {
        await(what, condition, () -> {});
    }

    /** Waits for a latch. */
    public static void await(CountDownLatch latch) throws InterruptedException {
        if (!latch.await(PATIENCE_MS, TimeUnit.MILLISECONDS)) {
            throw new AssertionError("waited " + PATIENCE_MS + " ms in vain for a latch");
        }
    }

    /** Like {@link #await(String, BooleanSupplier)}, with an action between two checks. */
    public static void await(String what, BooleanSupplier condition, Runnable step) {
        long startNs = System.nanoTime();
        while (!condition.getAsBoolean()) {
            step.run();
            if (System.nanoTime() - startNs > TimeUnit.MILLISECONDS.toNanos(PATIENCE_MS)) {
                throw new AssertionError("waited " + PATIENCE_MS + " ms in vain: " + what);
            }
            if (Thread.currentThread().isInterrupted()) {
                throw new AssertionError("interrupted while waiting: " + what);
            }
            LockSupport.parkNanos(PARK_NS);
        }
    }

    /** Waits until assertions hold that may still fail at first. */
    public static void eventually(Runnable assertions) {
        AtomicReference<AssertionError> failed = new AtomicReference<>();
        try {
            await("the assertions hold", () -> {
                try {
                    assertions.run();
                    return true;
                } catch (AssertionError e) {
                    failed.set(e);
                    return false;
                }
            });
        } catch (AssertionError e) {
            if (failed.get() != null) {
                e.addSuppressed(failed.get());
            }
            throw e;
        }
    }
}
