package io.sluice.perf.training;

import io.sluice.perf.experiment.Parameter;
import io.sluice.samples.data.Dataset;
import io.sluice.samples.data.Pieces;
import io.sluice.samples.data.PlantedCorpus;
import io.sluice.samples.data.PlantedFeatures;

/**
 * Made-up examples: pieces of texts, whose features are counts of words, or points with dense features.
 *
 * @param examples about as many
 * @param decay    0 for texts; otherwise the standard deviation of feature k is proportional to {@code k^-decay}
 */
record Planted(int classes, int features, int examples, double decay) {
    static final Parameter<Double> DECAY = Parameter.notNegative("decay", 0)
            .help("0 for synthetic texts; otherwise dense features, WORDS of them; the standard deviation of feature"
                    + " k is proportional to k^-X");

    Dataset generate(long seed) {
        if (decay > 0) {
            return new PlantedFeatures(classes, features, examples, decay).generate(seed);
        }
        int words = Math.ceilDiv(examples * Pieces.WORDS, classes);
        return Pieces.of(new PlantedCorpus(classes, features, words, classes).generate(seed));
    }
}
