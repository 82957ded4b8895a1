package io.sluice.samples.cnn;

import io.sluice.samples.TrainingSettings;
import io.sluice.samples.descent.DescentSettings;

/**
 * The settings of a convolutional network's training.
 *
 * @param network the network
 * @param descent iterations, batch and seed, and the step, which is the same in all iterations
 * @param backward how workers compute gradients
 */
public record CnnSettings(Network network, DescentSettings descent, Backward backward) implements TrainingSettings {
    /** Networks for images of 28 x 28 pixels and ten classes. */
    public enum Network {
        /** LeNet-5 with rectified units: 61,706 parameters. */
        LENET,
        /** Two layers of 3 x 3 convolutions and a wide dense layer: 1,199,882 parameters. */
        WIDE
    }

    /** How gradients are computed. The results of both ways are bit-identical. */
    public enum Backward {
        /** Computes all gradients in one pass, and then pushes them. */
        WHOLE,
        /**
         * Computes gradients from the last layer to the first, and pushes those of a layer while the next are computed.
         */
        LAYERS
    }

    @Override
    public int clocks() {
        return descent.clocks();
    }

    @Override
    public long seed() {
        return descent.seed();
    }
}
