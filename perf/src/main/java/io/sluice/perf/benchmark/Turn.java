package io.sluice.perf.benchmark;

import java.io.Serializable;
import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * The result of one turn of a benchmark, or of one round of a turn in which it alternates with others.
 *
 * @param formats a bit for each block format that occurred
 * @param allocatedBytes bytes that all threads allocated; negative if this JVM does not count them
 * @param latencies recorded latencies, with the time of day of the start and the end; {@code null} if there are none
 * @param others results of the benchmarks that alternate with it, measured directly before or after
 */
public record Turn(
        int passes,
        long nanos,
        long bytes,
        long values,
        int formats,
        long allocatedBytes,
        Histogram latencies,
        List<Turn> others)
        implements Serializable {
    /** Nanoseconds of one pass. */
    public double nanosPerPass() {
        return (double) nanos / passes;
    }

    /** This turn with those of the benchmarks that alternate with it. */
    Turn beside(List<Turn> turns) {
        return new Turn(passes, nanos, bytes, values, formats, allocatedBytes, latencies, List.copyOf(turns));
    }
}
