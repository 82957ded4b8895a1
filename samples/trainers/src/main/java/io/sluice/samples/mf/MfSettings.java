package io.sluice.samples.mf;

import io.sluice.consistency.terms.ClusterSettingsBuilder;
import io.sluice.samples.TrainingSettings;
import java.util.Set;

/**
 * The settings of a training job.
 *
 * @param rank length of a factor, at least 1
 * @param lambda weight of the regularisation, at least 0
 * @param passes passes over the ratings, at least 1
 * @param clocksPerPass iterations of a pass, at least 1; each takes an equal part of the ratings
 * @param learningRate fixed factor of minus the gradient under the rules {@code sum} and {@code mean}
 * @param seed seed of the first factors, and of the order in which ratings are taken
 */
public record MfSettings(int rank, double lambda, int passes, int clocksPerPass, double learningRate, long seed)
        implements TrainingSettings {
    private static final long MOST_CLOCKS = Integer.MAX_VALUE;

    /** Rules under which the parameters change by the sum or the mean of the pushes. */
    private static final Set<String> WITHOUT_RATE =
            Set.of(ClusterSettingsBuilder.DEFAULT_RULE, "mean", "mean;weighted");

    /** Refuses values out of range. */
    public MfSettings {
        require(rank >= 1, "rank", rank, "1 or more");
        require(Double.isFinite(lambda) && lambda >= 0, "lambda", lambda, "a finite number, 0 or more");
        require(passes >= 1, "passes", passes, "1 or more");
        require(clocksPerPass >= 1, "clocks per pass", clocksPerPass, "1 or more");
        require(
                (long) passes * clocksPerPass <= MOST_CLOCKS,
                "passes times clocks per pass",
                (long) passes * clocksPerPass,
                MOST_CLOCKS + " at most");
        require(Double.isFinite(learningRate) && learningRate > 0, "learning rate", learningRate, "a positive number");
    }

    /**
     * The factor by which a trainer multiplies minus a gradient.
     *
     * @param rule rule of the servers
     * @return the learning rate under {@code sum} and {@code mean}; 1 under a rule that has a rate of its own
     */
    double rate(String rule) {
        return WITHOUT_RATE.contains(rule) ? learningRate : 1;
    }

    @Override
    public int clocks() {
        return passes * clocksPerPass;
    }

    private static void require(boolean valid, String name, Object value, String expected) {
        if (!valid) {
            throw new IllegalArgumentException(name + " is " + value + ", expected " + expected);
        }
    }
}
