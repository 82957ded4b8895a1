package io.sluice.samples.data;

import java.util.SplittableRandom;

/**
 * Creates images in the shape of Fashion-MNIST: normal clouds around a random centre for each class. Three quarters of
 * the pixels are 0.
 */
public final class PlantedImages {
    private static final int TRAIN = 8_192;
    private static final int TEST = 2_048;
    private static final int PIXELS = 784;
    private static final int CLASSES = 10;

    /** Distance between the centres of the classes, in standard deviations of a single pixel. */
    private static final double SEPARATION = 0.15;

    private static final double BLACK = 0.6;

    private PlantedImages() {}

    /** Creates the images, which are always the same. */
    public static Dataset generate() {
        SplittableRandom random = new SplittableRandom(1);
        double[] centres = new double[CLASSES * PIXELS];
        for (int i = 0; i < centres.length; i++) {
            centres[i] = SEPARATION * random.nextGaussian();
        }
        return new Dataset("planted", PIXELS, images(TRAIN, centres, random), images(TEST, centres, random));
    }

    private static Examples images(int count, double[] centres, SplittableRandom random) {
        Examples.Builder images = new Examples.Builder();
        for (int image = 0; image < count; image++) {
            int label = random.nextInt(CLASSES);
            for (int pixel = 0; pixel < PIXELS; pixel++) {
                double light = centres[label * PIXELS + pixel] + random.nextGaussian();
                if (light > BLACK) {
                    images.add(pixel, (float) (light - BLACK));
                }
            }
            images.endRow(label);
        }
        return images.build();
    }
}
