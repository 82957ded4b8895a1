package io.sluice.samples.lda;

import io.sluice.samples.TrainingSettings;

/**
 * The settings of a training job.
 *
 * @param topics number of topics, 1 to 65,536
 * @param alpha parameter of the Dirichlet distribution of the topics of a document, above 0
 * @param beta parameter of the Dirichlet distribution of the words of a topic, above 0
 * @param passes passes over the documents, at least 1
 * @param clocksPerPass iterations of a pass, at least 1; each takes an equal part of a worker's documents
 * @param seed seed of the first topics and of all samples
 */
public record LdaSettings(int topics, double alpha, double beta, int passes, int clocksPerPass, long seed)
        implements TrainingSettings {
    private static final int MOST_TOPICS = Character.MAX_VALUE + 1;
    private static final long MOST_CLOCKS = Integer.MAX_VALUE;

    /** Refuses values out of range. */
    public LdaSettings {
        require(topics >= 1 && topics <= MOST_TOPICS, "topics", topics, "1 to " + MOST_TOPICS);
        require(Double.isFinite(alpha) && alpha > 0, "alpha", alpha, "a positive number");
        require(Double.isFinite(beta) && beta > 0, "beta", beta, "a positive number");
        require(passes >= 1, "passes", passes, "1 or more");
        require(clocksPerPass >= 1, "clocks per pass", clocksPerPass, "1 or more");
        require(
                (long) passes * clocksPerPass <= MOST_CLOCKS,
                "passes times clocks per pass",
                (long) passes * clocksPerPass,
                MOST_CLOCKS + " at most");
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
