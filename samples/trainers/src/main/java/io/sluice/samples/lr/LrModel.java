package io.sluice.samples.lr;

import io.sluice.samples.data.Examples;

/**
 * The arithmetic of logistic regression without a bias. Parameters and updates are f32, sums of a row are f64, so that
 * every process that reads the same bits computes the same bits.
 */
final class LrModel {
    /** Reads one parameter; a replica's view and a plain array both fit. */
    @FunctionalInterface
    interface Parameters {
        float get(long index);
    }

    private LrModel() {}

    /**
     * Adds a mini-batch's step to an update: minus step times the gradient of the log-loss, summed over the batch.
     *
     * @param examples all examples
     * @param rows rows of the batch
     * @param step learning rate over the number of examples that all workers take together
     * @param w the parameters
     * @param update receives the step
     * @return the batch's log-loss, summed over its rows
     */
    static double step(Examples examples, int[] rows, double step, Parameters w, float[] update) {
        double loss = 0;
        for (int row : rows) {
            double margin = margin(examples, row, w);
            loss += logLoss(margin, examples.label(row));
            float push = (float) (-step * (sigmoid(margin) - examples.label(row)));
            for (int entry = examples.start(row); entry < examples.end(row); entry++) {
                update[examples.index(entry)] += push * examples.value(entry);
            }
        }
        return loss;
    }

    /** Mean log-loss over all rows. */
    static double meanLoss(Examples examples, Parameters w) {
        double loss = 0;
        for (int row = 0; row < examples.size(); row++) {
            loss += logLoss(margin(examples, row, w), examples.label(row));
        }
        return loss / examples.size();
    }

    /** Share of rows whose label is the more likely one. */
    static double accuracy(Examples examples, Parameters w) {
        int right = 0;
        for (int row = 0; row < examples.size(); row++) {
            boolean positive = margin(examples, row, w) > 0;
            right += positive == (examples.label(row) > 0.5f) ? 1 : 0;
        }
        return (double) right / examples.size();
    }

    private static double margin(Examples examples, int row, Parameters w) {
        double sum = 0;
        for (int entry = examples.start(row); entry < examples.end(row); entry++) {
            sum += (double) examples.value(entry) * w.get(examples.index(entry));
        }
        return sum;
    }

    private static double sigmoid(double margin) {
        return 1 / (1 + StrictMath.exp(-margin));
    }

    /** log(1 + exp(-m)) for label 1, log(1 + exp(m)) for label 0, in the form that does not overflow. */
    private static double logLoss(double margin, float label) {
        double m = label > 0.5f ? margin : -margin;
        return Math.max(0, -m) + StrictMath.log1p(StrictMath.exp(-Math.abs(m)));
    }
}
