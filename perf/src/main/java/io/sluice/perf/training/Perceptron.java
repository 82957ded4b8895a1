package io.sluice.perf.training;

import io.sluice.samples.cnn.ImageGradients;
import io.sluice.samples.data.Dataset;
import io.sluice.samples.data.Examples;
import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * A network of two layers with rectified units between them and a softmax, trained by stochastic gradient descent with
 * momentum. All parameters are in one array: weights into the hidden layer, row by row of its units, its biases, then
 * the same for the outputs.
 */
final class Perceptron implements ImageGradients {
    private final Dataset data;
    private final int inputs;
    private final int hidden;
    private final int classes;
    private final float[] parameters;
    private final float[] gradient;
    private final float[] velocity;
    private final float[] activations;
    private final float[] outputs;
    private final float[] back;

    /** Draws the weights (He et al. 2015: normal, variance 2 over the inputs of the unit). */
    Perceptron(Dataset data, int hidden, long seed) {
        this.data = data;
        this.inputs = data.features();
        this.hidden = hidden;
        this.classes = data.classes();
        parameters = new float[hidden * (inputs + 1) + classes * (hidden + 1)];
        gradient = new float[parameters.length];
        velocity = new float[parameters.length];
        activations = new float[hidden];
        outputs = new float[classes];
        back = new float[hidden];
        SplittableRandom random = new SplittableRandom(seed);
        fill(random, 0, hidden * inputs, inputs);
        fill(random, outputWeights(), classes * hidden, hidden);
    }

    private void fill(SplittableRandom random, int from, int count, int fanIn) {
        double deviation = Math.sqrt(2.0 / fanIn);
        for (int i = from; i < from + count; i++) {
            parameters[i] = (float) (deviation * random.nextGaussian());
        }
    }

    private int hiddenBiases() {
        return hidden * inputs;
    }

    private int outputWeights() {
        return hidden * (inputs + 1);
    }

    private int outputBiases() {
        return outputWeights() + classes * hidden;
    }

    /** Number of parameters, and of elements of an update. */
    int size() {
        return parameters.length;
    }

    /** Replaces all parameters. The momentum stays. */
    private void load(float[] values) {
        System.arraycopy(values, 0, parameters, 0, parameters.length);
    }

    /** A copy of the parameters, which steps change. */
    @Override
    public float[] first() {
        return parameters.clone();
    }

    @Override
    public void gradient(int[] rows, float[] at, float[] into) {
        load(at);
        gradient(rows);
        System.arraycopy(gradient, 0, into, 0, gradient.length);
    }

    @Override
    public Quality quality(float[] at) {
        load(at);
        Examples examples = data.test();
        double loss = 0;
        int right = 0;
        for (int row = 0; row < examples.size(); row++) {
            loss += forward(examples, row);
            int likeliest = 0;
            for (int k = 1; k < classes; k++) {
                likeliest = outputs[k] > outputs[likeliest] ? k : likeliest;
            }
            right += likeliest == (int) examples.label(row) ? 1 : 0;
        }
        return new Quality(loss / examples.size(), (double) right / examples.size());
    }

    /**
     * One step: the velocity becomes {@code momentum * velocity - rate * mean gradient}, and is added to the
     * parameters.
     *
     * @param update receives the change of the parameters
     * @return mean cross-entropy of the batch before the step
     */
    double step(int[] rows, float rate, float momentum, float[] update) {
        double loss = gradient(rows);
        for (int i = 0; i < parameters.length; i++) {
            velocity[i] = momentum * velocity[i] - rate * gradient[i];
            parameters[i] += velocity[i];
            update[i] = velocity[i];
        }
        return loss;
    }

    /** Computes the mean gradient of a batch; returns its mean cross-entropy. */
    private double gradient(int[] rows) {
        Arrays.fill(gradient, 0);
        double loss = 0;
        for (int row : rows) {
            loss += forward(data.train(), row);
            backward(data.train(), row);
        }
        for (int i = 0; i < gradient.length; i++) {
            gradient[i] /= rows.length;
        }
        return loss / rows.length;
    }

    /** Writes the probabilities of the classes to {@link #outputs}; returns the cross-entropy. */
    private double forward(Examples examples, int row) {
        for (int unit = 0; unit < hidden; unit++) {
            double sum = examples.dot(row, parameters, unit * inputs) + parameters[hiddenBiases() + unit];
            activations[unit] = (float) Math.max(0, sum);
        }
        float top = Float.NEGATIVE_INFINITY;
        for (int k = 0; k < classes; k++) {
            outputs[k] = dot(outputWeights() + k * hidden) + parameters[outputBiases() + k];
            top = Math.max(top, outputs[k]);
        }
        double total = 0;
        for (int k = 0; k < classes; k++) {
            outputs[k] = (float) StrictMath.exp(outputs[k] - top);
            total += outputs[k];
        }
        for (int k = 0; k < classes; k++) {
            outputs[k] /= (float) total;
        }
        return -StrictMath.log(Math.max(Float.MIN_NORMAL, outputs[(int) examples.label(row)]));
    }

    private float dot(int from) {
        float sum = 0;
        for (int unit = 0; unit < hidden; unit++) {
            sum += parameters[from + unit] * activations[unit];
        }
        return sum;
    }

    private void backward(Examples examples, int row) {
        Arrays.fill(back, 0);
        outputs[(int) examples.label(row)] -= 1;
        for (int k = 0; k < classes; k++) {
            int weights = outputWeights() + k * hidden;
            for (int unit = 0; unit < hidden; unit++) {
                back[unit] += outputs[k] * parameters[weights + unit];
                gradient[weights + unit] += outputs[k] * activations[unit];
            }
            gradient[outputBiases() + k] += outputs[k];
        }
        for (int unit = 0; unit < hidden; unit++) {
            if (activations[unit] > 0) {
                examples.addTo(row, back[unit], gradient, unit * inputs);
                gradient[hiddenBiases() + unit] += back[unit];
            }
        }
    }
}
