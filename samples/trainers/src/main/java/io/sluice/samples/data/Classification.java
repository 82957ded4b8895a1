package io.sluice.samples.data;

import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * Examples of a number of classes.
 *
 * @param name name of the data set
 * @param inputs {@code size * width} of them, example by example
 * @param labels labels of the examples, 0 to {@code classes - 1}
 * @param width inputs of one example
 * @param classes number of them
 */
public record Classification(String name, float[] inputs, byte[] labels, int width, int classes) {
    private static final int MADE_UP_SIZE = 8_192;
    private static final int MADE_UP_WIDTH = 784;
    private static final int MADE_UP_CLASSES = 10;

    /** How far the classes' centres lie apart, in standard deviations of a single input. */
    private static final double SEPARATION = 0.15;

    /** Number of examples. */
    public int size() {
        return labels.length;
    }

    /** Normal clouds around a random centre for each class: always the same. Three quarters of the inputs are 0. */
    public static Classification madeUp() {
        return madeUp(MADE_UP_SIZE);
    }

    /** More or fewer of the same examples. */
    static Classification madeUp(int size) {
        SplittableRandom random = new SplittableRandom(1);
        double[] centres = new double[MADE_UP_CLASSES * MADE_UP_WIDTH];
        for (int i = 0; i < centres.length; i++) {
            centres[i] = SEPARATION * random.nextGaussian();
        }
        float[] inputs = new float[size * MADE_UP_WIDTH];
        byte[] labels = new byte[size];
        for (int example = 0; example < labels.length; example++) {
            labels[example] = (byte) random.nextInt(MADE_UP_CLASSES);
            for (int i = 0; i < MADE_UP_WIDTH; i++) {
                double input = centres[labels[example] * MADE_UP_WIDTH + i] + random.nextGaussian();
                inputs[example * MADE_UP_WIDTH + i] = (float) Math.max(0, input - 0.6);
            }
        }
        return new Classification("made-up", inputs, labels, MADE_UP_WIDTH, MADE_UP_CLASSES);
    }

    /** Some of the examples. */
    Classification part(int from, int to) {
        return new Classification(
                name,
                Arrays.copyOfRange(inputs, from * width, to * width),
                Arrays.copyOfRange(labels, from, to),
                width,
                classes);
    }
}
