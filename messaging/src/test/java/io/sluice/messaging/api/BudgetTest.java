package io.sluice.messaging.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class BudgetTest {
    @Test
    void valuesOutOfRangeAreRefusedByName() {
        assertEquals(
                "budget rate is 999, expected 1000 to 100000000000 bits per second",
                assertThrows(IllegalArgumentException.class, () -> new Budget(999, 1))
                        .getMessage());
        assertThrows(IllegalArgumentException.class, () -> new Budget(100_000_000_001L, 1));
        assertEquals(
                "budget burst is 0, expected 1 to 268435456 bytes",
                assertThrows(IllegalArgumentException.class, () -> new Budget(1_000, 0))
                        .getMessage());
    }

    @Test
    void budgetsAreReadByTheirRate() {
        assertEquals(Budget.NONE, Budget.parse("link budget", "none", 5));
        assertEquals(new Budget(200_000_000, 7), Budget.parse("link budget", "200mbit", 7));
        IllegalArgumentException refusal =
                assertThrows(IllegalArgumentException.class, () -> Budget.parse("link budget", "0bit", 7));
        assertTrue(refusal.getMessage().contains("link budget"), refusal.getMessage());
        assertThrows(IllegalArgumentException.class, () -> Budget.parse("link budget", "fast", 7));
    }
}
