package io.sluice.perf.experiment;

import java.io.IOException;
import java.util.List;

/**
 * Measures variants, which take turns. Used by one thread: opened once, then turns, then closed.
 *
 * @param <V> a variant
 */
public interface Experiment<V> extends AutoCloseable {
    /** The variants, in the order of the first round. */
    List<V> variants();

    /**
     * A further group of variants, measured after the previous group: if not all fit into memory, or if results decide
     * what is measured next. Ratios are between variants of one group. By default there is none.
     *
     * @param rows rows so far
     */
    default List<V> next(List<Row> rows) {
        return List.of();
    }

    /** Unmeasured turns of each variant before the measured ones. By default there are none. */
    default int warmUps() {
        return 0;
    }

    /** Lines that describe the coming measurement; may be empty. */
    default String introduction() {
        return "";
    }

    /**
     * Opens resources that all turns share, such as a lab.
     *
     * @throws IOException          if a file or a network namespace fails
     * @throws InterruptedException if interrupted
     */
    default void open() throws IOException, InterruptedException {}

    /**
     * Measures a variant once.
     *
     * @return the samples; samples with equal facts form one row
     * @throws IOException          if a file or a network namespace fails
     * @throws InterruptedException if interrupted
     */
    List<Sample> measure(V variant) throws IOException, InterruptedException;

    /**
     * Sentences at the end of the table and of the JSON.
     *
     * @param rows all rows
     */
    default List<String> conclusions(List<Row> rows) {
        return List.of();
    }

    /** Closes all opened resources, even after a partial open. */
    @Override
    default void close() {}
}
