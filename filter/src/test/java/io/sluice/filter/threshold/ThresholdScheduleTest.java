package io.sluice.filter.threshold;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ThresholdScheduleTest {
    @Test
    void fallsWithTheRootOfTheClock() {
        ThresholdSchedule schedule = new InverseSquareRoot(0.01);

        assertEquals(0.0f, schedule.threshold(0));
        assertEquals(0.01f, schedule.threshold(1));
        assertEquals(0.005f, schedule.threshold(4));
        assertEquals((float) (0.01 / Math.sqrt(7)), schedule.threshold(7));
        assertTrue(schedule.threshold(Long.MAX_VALUE) > 0);
        assertEquals("0.01/sqrt(t)", schedule.name());
    }

    @Test
    void constantButForTheStart() {
        ThresholdSchedule schedule = new ConstantThreshold(0.25);

        assertEquals(0.0f, schedule.threshold(0));
        assertEquals(0.25f, schedule.threshold(1));
        assertEquals(0.25f, schedule.threshold(1000));
        assertEquals(0.0f, new ConstantThreshold(0).threshold(5));
    }

    @ParameterizedTest
    @ValueSource(doubles = {-1e-9, Double.NaN, Double.POSITIVE_INFINITY, 1e39})
    void refusesWhatIsNoThreshold(double delta) {
        String message = assertThrows(IllegalArgumentException.class, () -> new InverseSquareRoot(delta))
                .getMessage();

        assertTrue(message.contains(String.valueOf(delta)), message);
        assertThrows(IllegalArgumentException.class, () -> new ConstantThreshold(delta));
    }
}
