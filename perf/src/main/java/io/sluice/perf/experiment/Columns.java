package io.sluice.perf.experiment;

import java.util.Arrays;
import java.util.stream.Stream;

/** One column, or several in their order. */
@FunctionalInterface
public interface Columns {
    /** The columns. */
    Stream<Column> stream();

    /** Makes one list of several. */
    static Columns of(Columns... parts) {
        return () -> Arrays.stream(parts).flatMap(Columns::stream);
    }
}
