package io.sluice.samples.data;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import org.junit.jupiter.api.Test;

class PlantedFeaturesTest {
    private static final PlantedFeatures STEEP = new PlantedFeatures(10, 64, 4_000, 0.5);

    @Test
    void areTheSameWithTheSameSeed() {
        assertEquals(STEEP.generate(7).fingerprint(), STEEP.generate(7).fingerprint());
        assertNotEquals(STEEP.generate(7).fingerprint(), STEEP.generate(8).fingerprint());
    }

    @Test
    void areDenseAndOfAllClasses() {
        Dataset data = STEEP.generate(1);
        assertEquals(10, data.classes());
        assertEquals(64, data.features());
        assertEquals(4_000, data.train().size());
        assertEquals(64 * 4_000, data.train().entries());
    }

    /** Within a class, the standard deviation of feature k is proportional to k^-0.5, and that of all features is 1. */
    @Test
    void haveTheStatedDecay() {
        Examples train = STEEP.generate(3).train();
        double[] deviation = new double[64];
        double squares = 0;
        for (int k = 0; k < 64; k++) {
            double sum = 0;
            double square = 0;
            int count = 0;
            for (int row = 0; row < train.size(); row++) {
                double value = train.value(train.start(row) + k);
                boolean counts = train.label(row) == 0;
                sum += counts ? value : 0;
                square += counts ? value * value : 0;
                count += counts ? 1 : 0;
            }
            deviation[k] = Math.sqrt(square / count - sum / count * sum / count);
            squares += deviation[k] * deviation[k];
        }
        assertEquals(1, Math.sqrt(squares), 0.1);
        assertEquals(4, deviation[0] / deviation[15], 0.6);
        assertEquals(2, deviation[15] / deviation[63], 0.3);
    }
}
