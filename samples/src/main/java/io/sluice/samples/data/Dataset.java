package io.sluice.samples.data;

import java.util.Objects;

/**
 * A data set for binary classification, split into examples to learn from and examples held out.
 *
 * @param name     what to call it in reports
 * @param features the number of features; every index is less
 * @param train    the examples to learn from
 * @param test     the examples held out to measure accuracy on
 */
public record Dataset(String name, int features, Examples train, Examples test) {

    /** Checks that nothing is null; the loaders have checked the rest. */
    public Dataset {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(train, "train");
        Objects.requireNonNull(test, "test");
    }
}
