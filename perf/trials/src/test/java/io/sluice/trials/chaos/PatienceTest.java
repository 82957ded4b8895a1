package io.sluice.trials.chaos;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class PatienceTest {
    private static final long STEP_MS = 20;

    private long limitMs = 8_000;
    private final AtomicLong nowNs = new AtomicLong(Long.MAX_VALUE - 5);
    private final Patience patience = new Patience(() -> limitMs, nowNs::get);

    private boolean isOverAfter(long ms) {
        nowNs.addAndGet(TimeUnit.MILLISECONDS.toNanos(ms));
        return patience.isOver();
    }

    @Test
    void endsAfterTheLimit() {
        for (long ms = STEP_MS; ms <= 8_000; ms += STEP_MS) {
            assertFalse(isOverAfter(STEP_MS), "after " + ms + " ms");
        }
        assertTrue(isOverAfter(STEP_MS));
        assertTrue(isOverAfter(0));
    }

    @Test
    void theLimitMayRise() {
        assertFalse(isOverAfter(400));
        limitMs = 300;
        assertTrue(isOverAfter(0));
        limitMs = 1_000;
        assertFalse(isOverAfter(400));
    }

    @Test
    void stallsOfTheMachineDoNotCount() {
        assertFalse(isOverAfter(60_000));
        for (long ms = STEP_MS; ms <= 7_400; ms += STEP_MS) {
            assertFalse(isOverAfter(STEP_MS));
        }
        assertTrue(isOverAfter(60_000));
    }
}
