package io.sluice.filter.kernel;

/** Turns one kind of index column into another. All memory is native. */
public interface IndicesKernel {
    /** Bytes that {@link #indices} may write after the last index, and {@link #packDeltas} read. */
    int SLACK = 128;

    /**
     * Lists the set bits of a bitmap.
     *
     * @param bitmap address of the first word
     * @param elements of the slice
     * @param count of set bits
     * @param indices address of the first u16; {@link #SLACK} bytes after the last are scratch space
     */
    void indices(long bitmap, int elements, int count, long indices);

    /**
     * Packs indices as the index column of DELTA, see {@link io.sluice.codecs.RiceDeltas}.
     *
     * @param indices address of the first u16, ascending, below {@code elements}; the array becomes scratch space, and
     *     so are {@link #SLACK} bytes before it and after it
     * @param count of indices, 1 or more
     * @param elements of the slice
     * @param column address to write to; {@code elements / 4 + 2 count + 24} bytes
     * @return length of the column in bytes
     */
    int packDeltas(long indices, int count, int elements, long column);

    /**
     * Unpacks the deltas of an index column.
     *
     * @param column address, sound
     * @param count of values
     * @param deltas address of the first u16; {@link #SLACK} bytes before it and after the last are scratch space
     */
    void unpackDeltas(long column, int count, long deltas);

    /**
     * Spreads compacted f32 values to their indices, with 0 elsewhere. The output may overlap the values if it starts
     * at least 4 bytes before them for every bit that is not set.
     *
     * @param bitmap address of the first word
     * @param values address of the first value
     * @param count of values; exactly as many bits must be set
     * @param elements of the slice, 0 or more
     * @param dense address of the first element of the output
     */
    void expand(long bitmap, long values, int count, int elements, long dense);
}
