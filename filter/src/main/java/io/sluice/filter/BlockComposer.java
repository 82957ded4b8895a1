package io.sluice.filter;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import io.sluice.codecs.OffHeap;
import io.sluice.codecs.api.ValueType;
import io.sluice.codecs.spi.Block;
import io.sluice.codecs.spi.BlockFormat;
import io.sluice.filter.kernel.IndicesKernel;
import io.sluice.filter.kernel.Kernels;
import io.sluice.filter.kernel.ValuesKernel;
import io.sluice.filter.spi.NotFiniteException;
import java.lang.foreign.MemorySegment;

/**
 * Creates the shortest block for the bitmap and the f32 values that a kernel has written. For links above
 * {@link #FAST_LINK} it packs no deltas, though they might be shorter. Its input is small and was just written, so it
 * is in the cache.
 *
 * <p>Values of type F32 are written where a BITMAP block has them, and moved only if another format is shorter. Values
 * of other types are encoded from scratch memory.
 */
final class BlockComposer {
    /**
     * The composer tries deltas only if at most one in this many elements is kept. If up to one in three is kept,
     * deltas are still shorter than a bitmap, but they save less than a tenth of a block of 16-bit values and take as
     * long as the pass over memory.
     */
    private static final int DELTA_SPARSITY = 6;

    /**
     * Bits per second above which a link sends a longer block in less time than a thread takes to pack deltas. In a
     * slice of 16,320 elements with a tenth kept, deltas save 1.1 KB and take 5 us with 256-bit registers.
     */
    private static final long FAST_LINK = 1_500_000_000;

    /**
     * Runs are tried instead of deltas if there is at most one boundary for so many values, and for so many times
     * {@link #DELTA_SPARSITY} elements: runs then have at most half as many numbers to code.
     */
    private static final int VALUES_TO_BOUNDARIES = 2;

    private final Kernels kernels;
    private final ValueType type;
    private final int maxElements;
    private final boolean packsDeltas;
    private final MemorySegment scratch;
    private final long bitmap;
    private final long values;
    private final long others;
    private final long column;
    private final long indices;
    private int indicesLength;

    BlockComposer(Kernels kernels, ValueType type, int maxElements, long linkRate) {
        BlockFormat.maxLength(maxElements); // checks the range
        this.kernels = kernels;
        this.type = type;
        this.maxElements = maxElements;
        this.packsDeltas = linkRate <= FAST_LINK;
        long allBits = (BlockFormat.bitmapLength(maxElements) + OffHeap.ALIGNMENT - 1) & -OffHeap.ALIGNMENT;
        long allValues = (long) maxElements * Float.BYTES + 2 * ValuesKernel.SLACK;
        long longestColumn = allValues + maxElements; // packed exponents may be longer than plain exponents
        long allIndices = (long) maxElements * Short.BYTES + 2L * IndicesKernel.SLACK;
        scratch = OffHeap.allocate(allBits + 2 * allValues + longestColumn + allIndices);
        bitmap = scratch.address();
        values = bitmap + allBits;
        others = values + allValues;
        column = others + longestColumn;
        indices = column + allValues + IndicesKernel.SLACK;
    }

    /**
     * Checks the length of a slice.
     *
     * @throws IllegalArgumentException if it is longer than this composer was created for
     */
    void requireRoomFor(int elements) {
        if (elements > maxElements) {
            throw new IllegalArgumentException(
                    "this filter was created for slices of up to " + maxElements + " elements: " + elements);
        }
    }

    int maxElements() {
        return maxElements;
    }

    ValueType values() {
        return type;
    }

    /** The address at which a kernel writes the bitmap. */
    long bitmapAddress() {
        return bitmap;
    }

    /** The address at which a kernel writes the values. */
    long valuesAddress(Block out, int elements) {
        return type == ValueType.F32 ? OffHeap.address(out) + BlockFormat.bitmapLength(elements) : values;
    }

    /**
     * Composes the block.
     *
     * @param out memory for the block; describes the block afterwards
     * @param elements elements of the slice
     * @param count number of values
     * @param residual address of the slice's residual, to which the rounding error is added
     */
    void compose(Block out, int elements, int count, long residual) {
        if (count == 0) {
            out.set(BlockFormat.EMPTY, type.plain(), elements, 0, 0);
        } else if (!type.isPacked() || !composePacked(out, elements, count)) {
            composePlain(out, type.plain(), elements, count, residual);
        }
    }

    /** Composes the block with packed exponents; returns false if they do not make it shorter. */
    private boolean composePacked(Block out, int elements, int count) {
        BlockFormat format = chooseFormat(type, elements, count);
        int length = kernels.values().encode(type, values, count, others);
        int plainLength = type.plain().minLength(count);
        int denseLength = type.plain().minLength(elements);
        if (length >= plainLength || indicesLength + length >= denseLength) {
            return false;
        }
        writeIndices(OffHeap.address(out), format, elements, count);
        copy(others, OffHeap.address(out) + indicesLength, length);
        out.set(format, type, elements, count, indicesLength + length);
        return true;
    }

    private void composePlain(Block out, ValueType plain, int elements, int count, long residual) {
        BlockFormat format = chooseFormat(plain, elements, count);
        if (type == ValueType.F32 && format == BlockFormat.RUNS && packRows(out, elements, count)) {
            return;
        }
        boolean dense = format == BlockFormat.DENSE;
        int sent = dense ? elements : count;
        long target = OffHeap.address(out) + indicesLength;
        if (type == ValueType.F32) {
            moveValues(out, format, elements, count);
        } else if (dense) {
            kernels.indices().expand(bitmap, values, count, elements, others);
        }
        writeIndices(OffHeap.address(out), format, elements, count);
        int length = plain.minLength(sent);
        if (type != ValueType.F32) {
            long source = dense ? others : values;
            kernels.values().encode(plain, source, sent, target);
            if (plain == ValueType.F16 || plain == ValueType.LOG8) {
                keepLosses(plain, target, source, dense, elements, count, residual);
            }
        }
        out.set(format, plain, elements, sent, indicesLength + length);
    }

    /**
     * Composes a block of f32 in runs with packed exponents; returns false if it is no shorter. Packing is too slow for
     * a pass over a whole table, but rows are few, and a general compressor would find their exponents.
     */
    private boolean packRows(Block out, int elements, int count) {
        long block = OffHeap.address(out);
        long length = (long) count * Float.BYTES;
        copy(block + BlockFormat.bitmapLength(elements), values, length);
        int packed = kernels.values().encode(ValueType.F32_PACKED, values, count, others);
        if (packed >= length) {
            return false;
        }
        writeIndices(block, BlockFormat.RUNS, elements, count);
        copy(others, block + indicesLength, packed);
        out.set(BlockFormat.RUNS, ValueType.F32_PACKED, elements, count, indicesLength + packed);
        return true;
    }

    /**
     * Chooses the format with the shortest index column, leaving out deltas for a fast link. Packs the column if the
     * format is runs or deltas, and sets {@link #indicesLength}.
     */
    private BlockFormat chooseFormat(ValueType rendered, int elements, int count) {
        BlockFormat format = BlockFormat.cheapest(rendered, elements, count);
        boolean dense = format == BlockFormat.DENSE;
        indicesLength = format.minIndicesLength(elements, count);
        int zeros = dense ? rendered.minLength(elements) - rendered.minLength(count) : 0;
        if (dense && zeros == 0) {
            return format; // a value for each element: no column of indices is shorter than none
        }
        int most = Math.min(count, elements / DELTA_SPARSITY) / VALUES_TO_BOUNDARIES;
        int boundaries = kernels.indices().boundaries(bitmap, elements, most);
        if (boundaries <= most) {
            int runs = kernels.indices().packRuns(bitmap, elements, boundaries, indices, column);
            return isTaken(runs, indicesLength + zeros) ? BlockFormat.RUNS : format;
        }
        if (packsDeltas && !dense && count <= elements / DELTA_SPARSITY) {
            kernels.indices().indices(bitmap, elements, count, indices);
            int deltas = kernels.indices().packDeltas(indices, count, elements, column);
            return isTaken(deltas, indicesLength) ? BlockFormat.DELTA : format;
        }
        return format;
    }

    /** Takes a packed column if it is shorter than the other formats' columns. */
    private boolean isTaken(int length, int others) {
        if (length < others) {
            indicesLength = length;
            return true;
        }
        return false;
    }

    /** Moves f32 values from after the room for a bitmap to the end of the shorter index column. */
    private void moveValues(Block out, BlockFormat format, int elements, int count) {
        long from = OffHeap.address(out) + BlockFormat.bitmapLength(elements);
        if (format == BlockFormat.DENSE && count < elements) {
            // That DENSE is the shortest means that the missing values take no more room than the bitmap would, so
            // no value is overwritten before it is read.
            kernels.indices().expand(bitmap, from, count, elements, OffHeap.address(out));
        } else if (format != BlockFormat.BITMAP) {
            copy(from, OffHeap.address(out) + indicesLength, (long) count * Float.BYTES);
        }
    }

    private void writeIndices(long block, BlockFormat format, int elements, int count) {
        switch (format) {
            case BITMAP -> copy(bitmap, block, indicesLength);
            case DELTA, RUNS -> copy(column, block, indicesLength);
            case INDEX -> {
                kernels.indices().indices(bitmap, elements, count, indices);
                OffHeap.ALL.set(JAVA_SHORT_UNALIGNED, indices + (long) count * Short.BYTES, (short) 0);
                copy(indices, block, indicesLength);
            }
            default -> {} // DENSE and EMPTY have no index column
        }
    }

    /** Adds the rounding errors to the residual, in which the kernel has set all kept elements to zero. */
    private void keepLosses(
            ValueType plain, long sent, long source, boolean dense, int elements, int count, long residual) {
        int number = dense ? elements : count;
        kernels.values().decode(plain, sent, number, column);
        kernels.values().subtract(column, number, source);
        boolean finite = dense
                ? kernels.add().dense(source, elements, residual)
                : kernels.add().bitmap(bitmap, source, count, elements, residual);
        if (!finite) {
            throw NotFiniteException.in(
                    OffHeap.ALL, residual, elements, i -> OffHeap.ALL.get(JAVA_FLOAT_UNALIGNED, residual + 4L * i));
        }
    }

    private static void copy(long from, long to, long bytes) {
        MemorySegment.copy(OffHeap.ALL, from, OffHeap.ALL, to, bytes);
    }
}
