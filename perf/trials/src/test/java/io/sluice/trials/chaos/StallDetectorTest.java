package io.sluice.trials.chaos;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class StallDetectorTest {
    private static final long STEP_MS = 20;
    private static final long LIMIT_MS = 2_000;

    private final AtomicLong nowNs = new AtomicLong(Long.MAX_VALUE - 5);
    private final StallDetector stallDetector = new StallDetector(LIMIT_MS, nowNs::get);

    private boolean isTooLongAfter(long ms, long words, int living) {
        boolean tooLong = false;
        for (long passed = 0; passed < ms; passed += STEP_MS) {
            nowNs.addAndGet(TimeUnit.MILLISECONDS.toNanos(STEP_MS));
            tooLong = stallDetector.isStalled(words, living);
        }
        return tooLong;
    }

    @Test
    void noReportAndNoEndIsAStall() {
        assertFalse(isTooLongAfter(LIMIT_MS, 7, 4));
        assertTrue(isTooLongAfter(2 * STEP_MS, 7, 4));
    }

    @Test
    void aReportOrAnEndIsProgress() {
        assertFalse(isTooLongAfter(LIMIT_MS, 7, 4));
        assertFalse(isTooLongAfter(LIMIT_MS, 8, 4));
        assertFalse(isTooLongAfter(LIMIT_MS, 8, 3));
        assertTrue(isTooLongAfter(2 * STEP_MS, 8, 3));
    }
}
