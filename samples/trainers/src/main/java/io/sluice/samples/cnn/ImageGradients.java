package io.sluice.samples.cnn;

/**
 * A network that computes gradients at parameters of the caller, for programs that exchange parameters in ways of their
 * own. Gives the same bits for the same parameters and images. One thread at a time, unless an implementation promises
 * more.
 */
public interface ImageGradients {
    /** The parameters with which a training begins, one array for all layers. */
    float[] first();

    /**
     * Computes the gradient of the mean cross-entropy of training images.
     *
     * @param rows       the images
     * @param parameters in the order of {@link #first}; not changed
     * @param gradient   receives the gradient, in the same order
     */
    void gradient(int[] rows, float[] parameters, float[] gradient);

    /**
     * Evaluates the model on the held-out images.
     *
     * @param parameters in the order of {@link #first}; not changed
     */
    Quality quality(float[] parameters);

    /**
     * How well the model predicts the held-out images.
     *
     * @param loss     mean cross-entropy
     * @param accuracy share of the held-out images for which the model considers the true class the likeliest
     */
    record Quality(double loss, double accuracy) {}
}
