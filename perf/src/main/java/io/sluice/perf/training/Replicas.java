package io.sluice.perf.training;

import io.sluice.consistency.worker.FloatView;
import io.sluice.perf.experiment.Parameter;
import io.sluice.samples.data.Dataset;
import io.sluice.samples.data.Examples;
import io.sluice.samples.mlr.MlrModel;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.stream.IntStream;

/** What the replica of each worker was before each clock of a training of softmax regression, and at its end. */
final class Replicas {
    /** The share of the training examples on which losses are computed. */
    static final Parameter<Integer> SAMPLE = Parameter.whole("sample", 1, 1, 1_000_000)
            .help("The loss of the training examples is that of each N-th of them");

    /** Replicas by worker and clock; the entry behind the last clock is the replica at the end. */
    private final float[][][] replicas;

    Replicas(int workers, int clocks) {
        replicas = new float[workers][clocks + 1][];
    }

    /** Keeps a copy of a replica. Each worker may do so in a thread of its own. */
    void keep(int worker, int clocksBefore, FloatView weights) {
        replicas[worker][clocksBefore] = weights.segment().toArray(ValueLayout.JAVA_FLOAT);
    }

    float[] of(int worker, int clocksBefore) {
        return replicas[worker][clocksBefore];
    }

    /**
     * For each clock, from 0, the mean over the replicas of the loss of the training examples, or of each n-th.
     * Replicas with the same bits are evaluated once.
     */
    double[] objective(Dataset data, int nth) {
        Examples examples = data.train().each(nth);
        return IntStream.range(0, replicas[0].length)
                .parallel()
                .mapToDouble(clock -> objective(data, examples, clock))
                .toArray();
    }

    private double objective(Dataset data, Examples examples, int clock) {
        double first = MlrModel.loss(data, examples, replicas[0][clock]);
        double sum = first;
        for (int worker = 1; worker < replicas.length; worker++) {
            boolean isSame = Arrays.equals(replicas[worker][clock], replicas[0][clock]);
            sum += isSame ? first : MlrModel.loss(data, examples, replicas[worker][clock]);
        }
        return sum / replicas.length;
    }

    /**
     * The number of clocks to a loss, with a fraction: between two clocks the loss counts as linear.
     *
     * @param objective by clock, from 0
     * @param name      name of what is trained
     * @throws IllegalArgumentException if the objective does not reach the loss
     */
    static double clocksTo(double loss, double[] objective, String name) {
        double[] clocks = IntStream.range(0, objective.length).asDoubleStream().toArray();
        double clock = at(loss, objective, clocks);
        if (Double.isNaN(clock)) {
            throw Parameter.refusal(
                    "--goal",
                    loss,
                    "a loss that all methods reach in " + (objective.length - 1) + " clocks: " + name + " reaches "
                            + objective[objective.length - 1]);
        }
        return clock;
    }

    /** Where a series is when the objective first is at a goal or below, linear in between; NaN if it never is. */
    static double at(double goal, double[] objective, double[] series) {
        for (int i = 0; i < Math.min(objective.length, series.length); i++) {
            if (objective[i] <= goal) {
                double share = i == 0 ? 0 : (objective[i - 1] - goal) / (objective[i - 1] - objective[i]);
                return i == 0 ? series[0] : series[i - 1] + share * (series[i] - series[i - 1]);
            }
        }
        return Double.NaN;
    }

    /** For each clock, from 0, the largest distance of a replica from the mean of all. */
    double[] distance() {
        double[] distance = new double[replicas[0].length];
        for (int clock = 0; clock < distance.length; clock++) {
            double[] squares = new double[replicas.length];
            for (int i = 0; i < replicas[0][clock].length; i++) {
                double mean = 0;
                for (float[][] replica : replicas) {
                    mean += replica[clock][i] / replicas.length;
                }
                for (int worker = 0; worker < squares.length; worker++) {
                    double from = replicas[worker][clock][i] - mean;
                    squares[worker] += from * from;
                }
            }
            for (double square : squares) {
                distance[clock] = Math.max(distance[clock], Math.sqrt(square));
            }
        }
        return distance;
    }
}
