package io.sluice.perf.benchmark;

import java.io.Serializable;
import org.HdrHistogram.Histogram;

/**
 * What one turn of a benchmark came to.
 *
 * @param passes over the table
 * @param nanos they took
 * @param bytes they made
 * @param values in those bytes
 * @param formats a bit for each block format that occurred
 * @param allocatedBytes on the heap, by all threads together; negative if this JVM does not tell
 * @param latencies what was recorded, with the time of day of beginning and end; {@code null} if nothing was
 */
public record Turn(
        int passes, long nanos, long bytes, long values, int formats, long allocatedBytes, Histogram latencies)
        implements Serializable {
    /** Nanoseconds of one pass. */
    public double nanosPerPass() {
        return (double) nanos / passes;
    }
}
