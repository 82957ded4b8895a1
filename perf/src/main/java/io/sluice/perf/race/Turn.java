package io.sluice.perf.race;

/**
 * What one turn of a contestant came to.
 *
 * @param passes over the table
 * @param nanos they took
 * @param bytes they made
 * @param values in those bytes
 * @param formats a bit for each block format that occurred
 */
public record Turn(int passes, long nanos, long bytes, long values, int formats) {
    /** Nanoseconds of one pass. */
    public double nanosPerPass() {
        return (double) nanos / passes;
    }
}
