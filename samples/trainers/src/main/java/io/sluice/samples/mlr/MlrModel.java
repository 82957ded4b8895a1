package io.sluice.samples.mlr;

import io.sluice.samples.data.Dataset;
import io.sluice.samples.data.Examples;
import java.util.stream.IntStream;

/**
 * The arithmetic of softmax regression: a row of weights for each class. Weights and updates are f32, sums are f64 in a
 * fixed order, so that every process that reads the same bits computes the same bits. It processes class by class, with
 * all examples of a batch for each class, so that the weights of a class stay in the processor's cache. For one thread.
 */
public final class MlrModel {
    private static final int BATCH = 64;

    private final Dataset data;
    private final int features;
    private final int classes;
    private final double[][] shares;
    private final float[][] residuals;

    /**
     * Creates the model of a data set.
     *
     * @param batch largest number of examples that it takes at a time
     */
    public MlrModel(Dataset data, int batch) {
        this.data = data;
        features = data.features();
        classes = data.classes();
        shares = new double[batch][classes];
        residuals = new float[batch][classes];
    }

    /** Number of weights. */
    public int size() {
        return Math.multiplyExact(classes, features);
    }

    /**
     * Adds the step of a batch to an update: minus the gradient of the summed log-loss, times a factor. It is the sum,
     * example by example, of the outer product of the example's {@link #residual} and its features.
     *
     * @param rows   numbers of the training examples of the batch
     * @param factor factor of minus the gradient
     * @param w      weights, class by class
     * @param update receives the step, which is added to it
     * @return the summed log-loss of the batch at these weights
     */
    public double step(int[] rows, double factor, float[] w, float[] update) {
        double loss = residuals(rows, factor, w);
        for (int c = 0; c < classes; c++) {
            for (int i = 0; i < rows.length; i++) {
                data.train().addTo(rows[i], residuals[i][c], update, c * features);
            }
        }
        return loss;
    }

    /**
     * Computes the {@link #residual} of each example of a batch.
     *
     * @param rows   numbers of the training examples of the batch
     * @param factor factor of minus the gradient
     * @param w      weights, class by class
     * @return the summed log-loss of the batch at these weights
     */
    double residuals(int[] rows, double factor, float[] w) {
        double loss = shares(data.train(), rows, w);
        for (int i = 0; i < rows.length; i++) {
            int label = (int) data.train().label(rows[i]);
            for (int c = 0; c < classes; c++) {
                residuals[i][c] = (float) (factor * ((c == label ? 1 : 0) - shares[i][c]));
            }
        }
        return loss;
    }

    /** Minus the gradient of the log-loss of an example by its scores, times the factor: a number for each class. */
    float[] residual(int ofBatch) {
        return residuals[ofBatch];
    }

    /** Computes the probabilities of the classes for each example; returns the summed log-loss. */
    private double shares(Examples examples, int[] rows, float[] w) {
        for (int c = 0; c < classes; c++) {
            for (int i = 0; i < rows.length; i++) {
                shares[i][c] = examples.dot(rows[i], w, c * features);
            }
        }
        double loss = 0;
        for (int i = 0; i < rows.length; i++) {
            loss += normalise(shares[i], (int) examples.label(rows[i]));
        }
        return loss;
    }

    /** Turns scores into probabilities; returns the log-loss. */
    private static double normalise(double[] shares, int label) {
        double most = Double.NEGATIVE_INFINITY;
        for (double score : shares) {
            most = Math.max(most, score);
        }
        double ofLabel = shares[label] - most;
        double sum = 0;
        for (int c = 0; c < shares.length; c++) {
            shares[c] = StrictMath.exp(shares[c] - most);
            sum += shares[c];
        }
        for (int c = 0; c < shares.length; c++) {
            shares[c] /= sum;
        }
        return StrictMath.log(sum) - ofLabel;
    }

    /**
     * The mean log-loss of examples.
     *
     * @param data     data set of the examples
     * @param examples the training examples, or the held-out ones
     * @param w        weights, class by class
     */
    public static double loss(Dataset data, Examples examples, float[] w) {
        MlrModel model = new MlrModel(data, BATCH);
        double loss = 0;
        for (int from = 0; from < examples.size(); from += BATCH) {
            loss += model.shares(examples, batch(examples, from), w);
        }
        return loss / examples.size();
    }

    /** Share of the held-out examples whose label is the class with the highest probability. */
    static double accuracy(Dataset data, float[] w) {
        MlrModel model = new MlrModel(data, BATCH);
        int right = 0;
        for (int from = 0; from < data.test().size(); from += BATCH) {
            int[] rows = batch(data.test(), from);
            model.shares(data.test(), rows, w);
            for (int i = 0; i < rows.length; i++) {
                right += likeliest(model.shares[i]) == (int) data.test().label(rows[i]) ? 1 : 0;
            }
        }
        return (double) right / data.test().size();
    }

    private static int[] batch(Examples examples, int from) {
        return IntStream.range(from, Math.min(from + BATCH, examples.size())).toArray();
    }

    private static int likeliest(double[] shares) {
        int best = 0;
        for (int c = 1; c < shares.length; c++) {
            best = shares[c] > shares[best] ? c : best;
        }
        return best;
    }
}
