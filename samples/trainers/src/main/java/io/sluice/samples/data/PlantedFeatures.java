package io.sluice.samples.data;

import java.util.SplittableRandom;

/**
 * Creates examples with dense features: normal clouds around a random centre for each class. The standard deviation of
 * feature k, from 1, is proportional to {@code k^-decay}, since few directions have most of the variance of the
 * activations of a deep layer.
 *
 * @param classes  classes, each with an example at least
 * @param features features of an example
 * @param examples training examples, no fewer than classes
 * @param decay    0 for features that are all alike
 */
public record PlantedFeatures(int classes, int features, int examples, double decay) {
    /** Standard deviation of the centres divided by the standard deviation of the clouds. */
    private static final double SEPARATION = 2;

    private static final int TEST = 1_024;

    /** Refuses fewer examples than classes. */
    public PlantedFeatures {
        if (examples < classes) {
            throw new IllegalArgumentException(
                    "there are " + examples + " examples of " + classes + " classes, expected one of each at least");
        }
    }

    /**
     * Creates the examples.
     *
     * @param seed equal seeds make equal examples
     */
    public Dataset generate(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        double[] scale = new double[features];
        double squares = 0;
        for (int k = 0; k < features; k++) {
            scale[k] = StrictMath.pow(k + 1, -decay);
            squares += scale[k] * scale[k];
        }
        double[][] centres = new double[classes][features];
        for (int k = 0; k < features; k++) {
            scale[k] /= Math.sqrt(squares);
            for (double[] centre : centres) {
                centre[k] = SEPARATION * scale[k] * random.nextGaussian();
            }
        }
        Examples train = examples(examples, centres, scale, random);
        return new Dataset("planted", features, train, examples(TEST, centres, scale, random));
    }

    private static Examples examples(int count, double[][] centres, double[] scale, SplittableRandom random) {
        Examples.Builder examples = new Examples.Builder();
        for (int i = 0; i < count; i++) {
            int label = i < centres.length ? i : random.nextInt(centres.length);
            for (int k = 0; k < scale.length; k++) {
                examples.add(k, (float) (centres[label][k] + scale[k] * random.nextGaussian()));
            }
            examples.endRow(label);
        }
        return examples.build();
    }
}
