package io.sluice.perf.filter;

/**
 * The filter as one writes it first: a loop over arrays with an {@code if}. It makes the same columns as the library's
 * kernels. (Over off-heap segments, the same loop is a quarter slower: this is the stronger opponent.)
 */
final class BranchingLoop {
    private BranchingLoop() {}

    /**
     * Filters a number of elements that is a multiple of 64, from the same place in update and residual. Returns how
     * many passed.
     */
    static int filter(
            float[] update, float[] residual, int from, int elements, float threshold, long[] bitmap, float[] values) {
        int count = 0;
        long word = 0;
        for (int i = 0; i < elements; i++) {
            float v = residual[from + i] + update[from + i];
            if (Math.abs(v) > threshold) {
                values[count++] = v;
                residual[from + i] = 0.0f;
                word |= 1L << i;
            } else {
                residual[from + i] = v;
            }
            if (i % Long.SIZE == Long.SIZE - 1) {
                bitmap[i / Long.SIZE] = word;
                word = 0;
            }
        }
        return count;
    }
}
