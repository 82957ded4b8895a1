package io.sluice.samples.descent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

class DescentSettingsTest {

    @Test
    void stepsShrinkWithTheRootOfTheClockAndSpreadOverAllExamples() {
        DescentSettings settings = new DescentSettings(200, 128, 400, 1);
        assertEquals(400.0 / 512, settings.step(1, 4));
        assertEquals(200.0 / 512, settings.step(4, 4));
        assertEquals(40.0 / 256, settings.step(100, 2), 1e-15);
    }

    @Test
    void refusesValuesOutOfRangeByName() {
        refused("clocks is 0, expected 1 or more", 0, 1, 1);
        refused("clocks is -5, expected 1 or more", -5, 1, 1);
        refused("batch is 0, expected 1 or more", 1, 0, 1);
        refused("learning rate is 0.0, expected a positive number", 1, 1, 0);
        refused("learning rate is -1.0, expected a positive number", 1, 1, -1);
        refused("learning rate is NaN, expected a positive number", 1, 1, Double.NaN);
        refused("learning rate is Infinity, expected a positive number", 1, 1, Double.POSITIVE_INFINITY);
    }

    private static void refused(String message, int clocks, int batch, double rate) {
        assertEquals(
                message,
                assertThrows(IllegalArgumentException.class, () -> new DescentSettings(clocks, batch, rate, 1))
                        .getMessage());
    }
}
