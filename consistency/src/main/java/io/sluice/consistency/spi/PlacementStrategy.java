package io.sluice.consistency.spi;

/**
 * Decides which server owns which slice.
 *
 * <p>A strategy must be a pure function: workers and servers compute it separately and have to agree.
 */
@FunctionalInterface
public interface PlacementStrategy {
    /**
     * Places every slice of every table.
     *
     * @param lengths floats of each slice, by table and slice; not to be changed
     * @param servers number of servers, at least 1
     * @return index of the owner of each slice, by table and slice
     */
    int[][] place(int[][] lengths, int servers);
}
