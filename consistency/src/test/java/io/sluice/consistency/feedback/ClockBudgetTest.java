package io.sluice.consistency.feedback;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.Property;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ClockBudgetTest {
    @Test
    void isTheShareOfTheBytesPerClock() {
        ClockBudget budget = new ClockBudget(0.8, 0);
        assertEquals(ClockBudget.UNKNOWN, budget.bytesPerClock(125_000_000));
        budget.onClock(TimeUnit.MILLISECONDS.toNanos(50));
        assertEquals(5_000_000, budget.bytesPerClock(125_000_000));
        assertEquals(ClockBudget.UNKNOWN, budget.bytesPerClock(0));
    }

    @Test
    void neverGoesBelowTheFloor() {
        ClockBudget budget = new ClockBudget(0.5, 10_000);
        budget.onClock(1_000);
        assertEquals(10_000, budget.bytesPerClock(1_000));
    }

    @Test
    void followsTheClocksButIgnoresASingleLongOne() {
        Property.holds(100, random -> {
            long usual = random.nextLong(1_000_000, 1_000_000_000);
            ClockBudget budget = new ClockBudget(1, 0);
            for (int i = 0; i < 60; i++) {
                budget.onClock(usual);
            }
            long before = budget.bytesPerClock(125_000_000);
            budget.onClock(2 * usual);
            assertTrue(budget.bytesPerClock(125_000_000) <= 1.13 * before);
            for (int i = 0; i < 60; i++) {
                budget.onClock(3 * usual);
            }
            assertEquals(3, (double) budget.bytesPerClock(125_000_000) / before, 0.01);
        });
    }

    @Test
    void refusesValuesOutOfRange() {
        assertThrows(IllegalArgumentException.class, () -> new ClockBudget(0, 0));
        assertThrows(IllegalArgumentException.class, () -> new ClockBudget(1.01, 0));
        assertThrows(IllegalArgumentException.class, () -> new ClockBudget(0.5, -1));
    }
}
