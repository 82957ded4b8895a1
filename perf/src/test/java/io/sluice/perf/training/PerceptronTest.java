package io.sluice.perf.training;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.samples.data.Classification;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class PerceptronTest {
    private static final float[] INPUTS = {0.5f, 1, 0, 0.2f, 1, 0.3f, 0, 0.9f, 0.4f};
    private static final Classification THREE = new Classification("three", INPUTS, new byte[] {0, 1, 1}, 3, 2);

    @Test
    void aStepReducesTheLoss() {
        float[] update = new float[new Perceptron(3, 4, 2, 7).size()];
        int[] rows = {0, 1, 2};
        new Perceptron(3, 4, 2, 7).step(THREE, rows, 1, 0, update);
        float delta = 1e-2f;
        for (int i = 0; i < update.length; i++) {
            double slope = (lossWith(i, delta, rows) - lossWith(i, -delta, rows)) / (2 * delta);
            assertEquals(-slope, update[i], 2e-3, "parameter " + i);
        }
    }

    private static double lossWith(int parameter, float delta, int[] rows) {
        Perceptron model = new Perceptron(3, 4, 2, 7);
        model.nudge(parameter, delta);
        return model.step(THREE, rows, 1, 0, new float[model.size()]);
    }

    @Test
    void momentumRepeatsTheLastStep() {
        Perceptron model = new Perceptron(3, 4, 2, 7);
        float[] first = new float[model.size()];
        model.step(THREE, new int[] {0}, 1e-3f, 0, first);
        float[] second = new float[model.size()];
        model.step(THREE, new int[] {0}, 0, 0.5f, second);
        for (int i = 0; i < first.length; i++) {
            assertEquals(0.5f * first[i], second[i], 1e-9);
        }
    }

    @Test
    void learnsTheMadeUpTaskTheSameWayEveryTime() {
        float[] last = train();
        assertArrayEquals(last, train());
    }

    private static float[] train() {
        Classification examples = Classification.madeUp();
        Perceptron model = new Perceptron(examples.width(), 8, examples.classes(), 1);
        float[] update = new float[model.size()];
        double first = 0;
        double last = 0;
        for (int clock = 0; clock < 60; clock++) {
            int from = 64 * clock;
            last = model.step(examples, IntStream.range(from, from + 64).toArray(), 0.05f, 0.9f, update);
            first = clock == 0 ? last : first;
        }
        assertTrue(last < 0.8 * first, "loss went from " + first + " to " + last);
        return update;
    }
}
