package io.sluice.samples.data;

import java.util.Objects;
import java.util.zip.CRC32C;

/**
 * A data set for classification, split into training examples and held-out examples.
 *
 * @param name     name for reports
 * @param features the number of features; every index is less
 * @param train    the training examples
 * @param test     the held-out examples, to measure the accuracy
 */
public record Dataset(String name, int features, Examples train, Examples test) implements NamedData {

    /** Checks that nothing is null; the loaders have checked everything else. */
    public Dataset {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(train, "train");
        Objects.requireNonNull(test, "test");
    }

    /** The number of classes: one more than the largest label. */
    public int classes() {
        return 1 + (int) Math.max(train.largestLabel(), test.largestLabel());
    }

    /**
     * A fingerprint of the training examples.
     *
     * @return a number that is equal for equal examples and almost always different for others
     */
    public String fingerprint() {
        CRC32C sum = new CRC32C();
        train.addTo(sum);
        return "%d (checksum %08x)".formatted(train.size(), sum.getValue());
    }
}
