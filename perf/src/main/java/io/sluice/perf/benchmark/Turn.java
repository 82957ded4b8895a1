package io.sluice.perf.benchmark;

import java.io.Serializable;
import org.HdrHistogram.Histogram;

/**
 * The result of one turn of a benchmark.
 *
 * @param passes number of passes over the table
 * @param nanos duration of the passes
 * @param bytes bytes that the passes produced
 * @param values values in those bytes
 * @param formats a bit for each block format that occurred
 * @param allocatedBytes bytes that all threads allocated; negative if this JVM does not count them
 * @param latencies recorded latencies, with the time of day of the start and the end; {@code null} if there are none
 */
public record Turn(
        int passes, long nanos, long bytes, long values, int formats, long allocatedBytes, Histogram latencies)
        implements Serializable {
    /** Nanoseconds of one pass. */
    public double nanosPerPass() {
        return (double) nanos / passes;
    }
}
