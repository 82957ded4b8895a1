package io.sluice.samples.descent;

import io.sluice.samples.TrainingSettings;
import java.io.Serializable;

/**
 * The settings of a training job.
 *
 * @param clocks iterations, at least 1
 * @param batches mini-batches per worker and iteration, each a step of its own, at least 1
 * @param batch examples of a mini-batch, at least 1
 * @param learningRate initial step; iteration t uses {@code learningRate / sqrt(t)}, as Parameter Flow's theorem 1 does
 * @param seed seed of the order in which examples are taken
 */
public record DescentSettings(int clocks, int batches, int batch, double learningRate, long seed)
        implements TrainingSettings, Serializable {
    /** Refuses values out of range. */
    public DescentSettings {
        require(clocks >= 1, "clocks", clocks, "1 or more");
        require(batches >= 1, "batches", batches, "1 or more");
        require(batch >= 1, "batch", batch, "1 or more");
        require(Double.isFinite(learningRate) && learningRate > 0, "learning rate", learningRate, "a positive number");
    }

    /** Creates settings with one mini-batch for each worker and iteration. */
    public DescentSettings(int clocks, int batch, double learningRate, long seed) {
        this(clocks, 1, batch, learningRate, seed);
    }

    /** Number of examples that a worker takes in an iteration. */
    public long examples() {
        return (long) batches * batch;
    }

    /**
     * The factor of an iteration's gradient sum.
     *
     * @param clock iteration, from 1
     * @param workers workers that take a batch each
     * @return learning rate of the iteration over the examples of all workers
     */
    public double step(int clock, int workers) {
        return learningRate / Math.sqrt(clock) / ((double) batch * workers);
    }

    /**
     * The factor of an iteration's gradient sum under a rule of the servers.
     *
     * @param clock   iteration, from 1
     * @param workers workers that take a batch each
     * @param rule    rule of the servers
     * @return the factor without a rule, less the part that the rule itself applies: {@code mean} divides by the
     *     workers, and other rules have a rate of their own
     */
    public double step(int clock, int workers, String rule) {
        return switch (rule) {
            case "sum" -> step(clock, workers);
            case "mean", "mean;weighted" -> step(clock, 1);
            default -> 1.0 / ((double) batch * workers);
        };
    }

    private static void require(boolean valid, String name, Object value, String expected) {
        if (!valid) {
            throw new IllegalArgumentException(name + " is " + value + ", expected " + expected);
        }
    }
}
