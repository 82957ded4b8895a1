package io.sluice.perf.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

final class QuartilesTest {
    @Test
    void divideAnOrderedSampleInFour() {
        assertEquals(new Quartiles(2, 3, 4), Quartiles.of(5, 1, 4, 2, 3));
    }

    @Test
    void lieBetweenValuesWhereTheyMust() {
        assertEquals(new Quartiles(1.75, 2.5, 3.25), Quartiles.of(4, 3, 2, 1));
    }

    @Test
    void ofOneValueAreThatValue() {
        assertEquals(new Quartiles(7, 7, 7), Quartiles.of(7));
    }

    @Test
    void leaveTheSampleAsItWas() {
        double[] sample = {3, 1, 2};
        Quartiles.of(sample);
        assertEquals(3, sample[0]);
    }

    @Test
    void ofNothingAreRefused() {
        assertThrows(IllegalArgumentException.class, Quartiles::of);
    }
}
