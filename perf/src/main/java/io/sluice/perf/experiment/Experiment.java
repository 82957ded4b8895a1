package io.sluice.perf.experiment;

import java.io.IOException;
import java.util.List;

/**
 * Measures variants, which take turns. Used by one thread: opened once, then turns, then closed.
 *
 * @param <V> a variant
 */
public interface Experiment<V> extends AutoCloseable {
    /** What takes turns, in the order of the first round. */
    List<V> variants();

    /**
     * Variants that take turns when those before have had all of theirs: where not all fit into memory, or where rows
     * decide what is measured next. Ratios are between variants of one group. By default there are none.
     *
     * @param rows so far
     */
    default List<V> next(List<Row> rows) {
        return List.of();
    }

    /** Turns of each variant before those that count. By default there are none. */
    default int warmUps() {
        return 0;
    }

    /** Lines about what is about to be measured; empty if there is nothing to say. */
    default String introduction() {
        return "";
    }

    /**
     * Opens what all turns share, such as a lab.
     *
     * @throws IOException          if a file or a network namespace fails
     * @throws InterruptedException if interrupted
     */
    default void open() throws IOException, InterruptedException {}

    /**
     * Gives a variant a turn.
     *
     * @return what was seen; those of equal facts make one row
     * @throws IOException          if a file or a network namespace fails
     * @throws InterruptedException if interrupted
     */
    List<Sample> measure(V variant) throws IOException, InterruptedException;

    /**
     * Sentences for people, at the end of the table and of the JSON.
     *
     * @param rows all of them
     */
    default List<String> conclusions(List<Row> rows) {
        return List.of();
    }

    /** Closes what was opened, also in part. */
    @Override
    default void close() {}
}
