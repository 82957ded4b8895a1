package io.sluice.filter.kernel;

import io.sluice.codecs.RunBoundaries;

/** Turns one kind of index column into another. All memory is native. */
public interface IndicesKernel {
    /** Number of bytes after the last index, which {@link #indices} may write and {@link #packDeltas} may read. */
    int SLACK = 128;

    /**
     * Lists the set bits of a bitmap.
     *
     * @param bitmap address of the first word
     * @param elements elements of the slice
     * @param count number of set bits
     * @param indices address of the first u16; {@link #SLACK} bytes after the last are scratch space
     */
    void indices(long bitmap, int elements, int count, long indices);

    /**
     * Packs indices as the index column of DELTA, see {@link io.sluice.codecs.RiceDeltas}.
     *
     * @param indices address of the first u16, ascending, below {@code elements}; the array becomes scratch space, and
     *     so are {@link #SLACK} bytes before it and after it
     * @param count number of indices, 1 or more
     * @param elements elements of the slice
     * @param column address to write to; {@code elements / 4 + 2 count + 24} bytes
     * @return length of the column in bytes
     */
    int packDeltas(long indices, int count, int elements, long column);

    /**
     * Unpacks the deltas of an index column.
     *
     * @param column address, valid
     * @param count number of deltas
     * @param deltas address of the first u16; {@link #SLACK} bytes before it and after the last are scratch space
     */
    void unpackDeltas(long column, int count, long deltas);

    /**
     * Counts where runs of set bits begin, and where they end before the end of the slice.
     *
     * @param bitmap address of the first word; no bits are set from {@code elements} on
     * @param elements elements of the slice
     * @param most limit above which counting stops
     * @return number of boundaries, 1 or more if any bit is set; any number above {@code most} if there are more
     */
    default int boundaries(long bitmap, int elements, int most) {
        return RunMarks.count(bitmap, elements, most);
    }

    /**
     * Packs a bitmap as the index column of RUNS, see {@link RunBoundaries}.
     *
     * @param bitmap address of the first word; no bits are set from {@code elements} on
     * @param elements elements of the slice
     * @param boundaries boundaries as {@link #boundaries} has counted them, 1 to {@link RunBoundaries#MOST}
     * @param indices address of scratch space: a u16 for each boundary, and {@link #SLACK} bytes before and after them
     * @param column address to write to; {@code elements / 4 + 2 boundaries + 28} bytes
     * @return length of the column in bytes
     */
    default int packRuns(long bitmap, int elements, int boundaries, long indices, long column) {
        long deltas = column + RunBoundaries.HEADER_LENGTH;
        RunMarks.write(bitmap, elements, deltas);
        indices(deltas, elements, boundaries, indices);
        Memory.putInt(column, boundaries);
        return RunBoundaries.HEADER_LENGTH + packDeltas(indices, boundaries, elements, deltas);
    }

    /**
     * Spreads compacted f32 values to their indices, with 0 elsewhere. The output may overlap the values if it starts
     * at least 4 bytes before them for every bit that is not set.
     *
     * @param bitmap address of the first word
     * @param values address of the first value
     * @param count number of values; exactly as many bits must be set
     * @param elements elements of the slice, 0 or more
     * @param dense address of the first element of the output
     */
    void expand(long bitmap, long values, int count, int elements, long dense);
}
