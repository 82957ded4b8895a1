package io.sluice.consistency.worker;

/**
 * Gives a model its first parameters. Only worker 0 calls it. The values are sent to all replicas as the unfiltered
 * update of round 0, so all workers start from the same bytes even if the values are random.
 */
@FunctionalInterface
public interface Initialiser {
    /** All parameters zero. */
    Initialiser ZEROS = (table, start, values) -> {};

    /** Number of parameters of the longest run. */
    int LONGEST_RUN = 1 << 16;

    /**
     * Fills a run of parameters: a row, or, where rows are longer than {@link #LONGEST_RUN}, a part of a row that
     * begins at a multiple of that. Runs depend on the shape of the table alone and are filled in ascending order, so a
     * seeded generator gives the same model under all terms of a cluster.
     *
     * @param table  name of the table
     * @param start  position of the first parameter, in row order
     * @param values array to fill with finite values; all 0 at the call
     */
    void fill(String table, long start, float[] values);
}
