package io.sluice.perf.training;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.samples.data.Dataset;
import io.sluice.samples.data.Examples;
import io.sluice.samples.data.PlantedImages;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class PerceptronTest {
    private static final float[] INPUTS = {0.5f, 1, 0, 0.2f, 1, 0.3f, 0, 0.9f, 0.4f};
    private static final int[] ROWS = {0, 1, 2};
    private static final Dataset THREE = new Dataset("three", 3, three(), three());

    private static Examples three() {
        Examples.Builder examples = new Examples.Builder();
        for (int i = 0; i < INPUTS.length; i++) {
            examples.add(i % 3, INPUTS[i]);
            if (i % 3 == 2) {
                examples.endRow(Math.min(1, i / 3));
            }
        }
        return examples.build();
    }

    @Test
    void aStepReducesTheLoss() {
        Perceptron model = new Perceptron(THREE, 4, 7);
        float[] first = model.first();
        float[] update = new float[first.length];
        model.step(ROWS, 1, 0, update);
        float delta = 1e-2f;
        for (int i = 0; i < update.length; i++) {
            double slope = (lossWith(first, i, delta) - lossWith(first, i, -delta)) / (2 * delta);
            assertEquals(-slope, update[i], 2e-3, "parameter " + i);
        }
    }

    private static double lossWith(float[] first, int parameter, float delta) {
        float[] nudged = first.clone();
        nudged[parameter] += delta;
        return new Perceptron(THREE, 4, 7).quality(nudged).loss();
    }

    @Test
    void momentumRepeatsTheLastStep() {
        Perceptron model = new Perceptron(THREE, 4, 7);
        float[] first = new float[model.size()];
        model.step(new int[] {0}, 1e-3f, 0, first);
        float[] second = new float[model.size()];
        model.step(new int[] {0}, 0, 0.5f, second);
        for (int i = 0; i < first.length; i++) {
            assertEquals(0.5f * first[i], second[i], 1e-9);
        }
    }

    @Test
    void learnsTheMadeUpTaskTheSameWayEveryTime() {
        float[] last = train();
        assertArrayEquals(last, train());
    }

    /** Another model that loads the parameters is as good. */
    @Test
    void theQualityIsThatOfTheLoadedParameters() {
        Perceptron model = new Perceptron(THREE, 4, 7);
        double before = model.quality(model.first()).loss();
        for (int step = 0; step < 200; step++) {
            model.step(ROWS, 1, 0, new float[model.size()]);
        }
        assertEquals(1, model.quality(model.first()).accuracy(), 0);
        Perceptron other = new Perceptron(THREE, 4, 7);
        assertEquals(before, other.quality(other.first()).loss(), 0);
        float[] trained = model.first();
        assertEquals(model.quality(trained), other.quality(trained));
    }

    private static float[] train() {
        Dataset data = PlantedImages.generate();
        Perceptron model = new Perceptron(data, 8, 1);
        float[] update = new float[model.size()];
        double first = 0;
        double last = 0;
        for (int clock = 0; clock < 60; clock++) {
            int from = 64 * clock;
            int[] rows = IntStream.range(from, from + 64).toArray();
            last = model.step(rows, 0.05f, 0.9f, update);
            first = clock == 0 ? last : first;
        }
        assertTrue(last < 0.8 * first, "loss went from " + first + " to " + last);
        return update;
    }
}
