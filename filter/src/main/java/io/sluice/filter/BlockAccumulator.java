package io.sluice.filter;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import io.sluice.codecs.DataFrameDecoder;
import io.sluice.codecs.OffHeap;
import io.sluice.codecs.Rejection;
import io.sluice.codecs.RiceDeltas;
import io.sluice.codecs.RunBoundaries;
import io.sluice.codecs.api.ValueType;
import io.sluice.codecs.spi.Block;
import io.sluice.codecs.spi.BlockFormat;
import io.sluice.filter.kernel.IndicesKernel;
import io.sluice.filter.kernel.Kernels;
import io.sluice.filter.kernel.ValuesKernel;
import io.sluice.filter.spi.NotFiniteException;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.util.Objects;

/**
 * Applies the block of an opened data frame to a slice: to the sum at a server, or to the replica at a worker. f32
 * values are added directly from the memory of the frame; other values are decoded into the cache first.
 *
 * <p>One per thread. Allocates nothing per block.
 */
public final class BlockAccumulator {
    private static final int MAX = BlockFormat.MAX_ELEMENTS;

    private final Kernels kernels;
    private final MemorySegment scratch = OffHeap.allocate(
            2L * MAX * Float.BYTES + (long) MAX * Short.BYTES + 2L * ValuesKernel.SLACK + 2L * IndicesKernel.SLACK);
    private final long values = scratch.address();
    private final long slice = values + (long) MAX * Float.BYTES + ValuesKernel.SLACK;
    private final long deltas = slice + (long) MAX * Float.BYTES + ValuesKernel.SLACK + IndicesKernel.SLACK;

    /**
     * Creates an accumulator.
     *
     * @param kernels kernels to run
     */
    public BlockAccumulator(Kernels kernels) {
        this.kernels = kernels;
    }

    /**
     * Adds the values present in a frame to a slice. The other elements keep their bits.
     *
     * @param frame opened without a rejection
     * @param target native segment of the slice
     * @param targetOffset offset of its first element, in bytes
     * @param elements elements of the slice
     * @return {@code null} if done; {@link Rejection#BAD_LENGTH}, with nothing changed, if the frame is for a slice of
     *     a different length
     * @throws NotFiniteException if a sum is NaN or infinite: the slice must not be used afterwards
     * @throws IndexOutOfBoundsException if the slice is not within its segment
     * @throws IllegalArgumentException if the segment is not native
     */
    public Rejection add(DataFrameDecoder frame, MemorySegment target, long targetOffset, int elements) {
        if (frame.elements() != elements) {
            return Rejection.BAD_LENGTH;
        }
        add(frame, OffHeap.writableAddress(target, targetOffset, elements, "target"));
        Reference.reachabilityFence(target);
        return null;
    }

    /**
     * Adds the values present in a frame to a slice in an array.
     *
     * @param frame opened without a rejection
     * @param target holding the slice
     * @param from index of its first element
     * @param elements elements of the slice
     * @return {@code null} if done; {@link Rejection#BAD_LENGTH}, with nothing changed, if the frame is for a slice of
     *     a different length
     * @throws NotFiniteException if a sum is NaN or infinite; the array is unchanged
     * @throws IndexOutOfBoundsException if the slice is not within the array
     */
    public Rejection add(DataFrameDecoder frame, float[] target, int from, int elements) {
        Objects.checkFromIndexSize(from, elements, target.length);
        if (frame.elements() != elements) {
            return Rejection.BAD_LENGTH;
        }
        MemorySegment.copy(target, from, scratch, JAVA_FLOAT, slice - values, elements);
        add(frame, slice);
        MemorySegment.copy(scratch, JAVA_FLOAT, slice - values, target, from, elements);
        return null;
    }

    /**
     * Adds values to a slice.
     *
     * @param values native segment with a value for each element of the slice
     * @param target native segment of the slice
     * @param targetOffset offset of its first element, in bytes
     * @param elements elements of the slice
     * @throws NotFiniteException if a sum is NaN or infinite: the slice must not be used afterwards
     */
    public void add(MemorySegment values, MemorySegment target, long targetOffset, int elements) {
        long from = OffHeap.address(values, 0, elements, "values");
        add(
                BlockFormat.DENSE,
                from,
                from,
                elements,
                elements,
                OffHeap.writableAddress(target, targetOffset, elements, "target"));
        Reference.reachabilityFence(values);
        Reference.reachabilityFence(target);
    }

    /**
     * Adds a block that a filter has written back to the residual from which the filter took it. The residual then
     * holds the sums that it had before the filter ran.
     *
     * @param block block as the filter left it, not compressed
     * @param residual native segment of the residual
     * @param residualOffset offset of the slice's first element, in bytes
     * @throws NotFiniteException if a sum is NaN or infinite: the residual must not be used afterwards
     */
    public void restore(Block block, MemorySegment residual, long residualOffset) {
        int elements = block.elements();
        long target = OffHeap.writableAddress(residual, residualOffset, elements, "residual");
        if (block.count() > 0) {
            long from = OffHeap.address(block);
            long column = from + RiceDeltas.indicesLength(block.format(), from, elements, block.count());
            long added = decoded(block.values(), column, block.count());
            add(block.format(), from, added, block.count(), elements, target);
        }
        Reference.reachabilityFence(residual);
        Reference.reachabilityFence(block);
    }

    private void add(DataFrameDecoder frame, long target) {
        if (frame.count() > 0) {
            long added = decoded(frame.valueType(), frame.valuesAddress(), frame.count());
            add(frame.format(), frame.blockAddress(), added, frame.count(), frame.elements(), target);
        }
        Reference.reachabilityFence(frame);
    }

    private void add(BlockFormat format, long block, long added, int count, int elements, long target) {
        if (!addTo(target, format, block, added, count, elements)) {
            throw NotFiniteException.in(OffHeap.ALL, target, elements, element -> {
                MemorySegment.copy(new float[elements], 0, scratch, JAVA_FLOAT, slice - values, elements);
                addTo(slice, format, block, added, count, elements);
                return scratch.get(JAVA_FLOAT, slice - values + (long) element * Float.BYTES);
            });
        }
        // Kernels hold addresses only: the memory must stay reachable until they are done.
        Reference.reachabilityFence(this);
    }

    private boolean addTo(long target, BlockFormat format, long block, long added, int count, int elements) {
        return switch (format) {
            case DENSE -> kernels.add().dense(added, count, target);
            case BITMAP -> kernels.add().bitmap(block, added, count, elements, target);
            case INDEX -> kernels.add().indices(block, added, count, target);
            case DELTA -> {
                kernels.indices().unpackDeltas(block, count, deltas);
                yield kernels.add().deltas(deltas, added, count, target);
            }
            case RUNS -> {
                int boundaries = RunBoundaries.count(block);
                kernels.indices().unpackDeltas(block + RunBoundaries.HEADER_LENGTH, boundaries, deltas);
                yield kernels.add().runs(deltas, boundaries, added, elements, target);
            }
            default ->
                throw new IllegalStateException(
                        "a block of a format without values has a count of " + count + ", expected 0");
        };
    }

    /** Address of the values as f32; decodes those of another type. */
    private long decoded(ValueType type, long column, int count) {
        if (type == ValueType.F32) {
            return column;
        }
        kernels.values().decode(type, column, count, values);
        return values;
    }

    /**
     * Replaces a slice by the values of a frame that has all of them, as push-pull does with parameters.
     *
     * @param frame opened without a rejection
     * @param target native segment of the slice
     * @param targetOffset offset of its first element, in bytes
     * @param elements elements of the slice
     * @return {@code null} if done; with nothing changed, {@link Rejection#BAD_LENGTH} if the frame is for a slice of a
     *     different length, or {@link Rejection#UNEXPECTED} if it is not DENSE
     */
    public Rejection overwrite(DataFrameDecoder frame, MemorySegment target, long targetOffset, int elements) {
        if (frame.elements() != elements) {
            return Rejection.BAD_LENGTH;
        }
        if (frame.format() != BlockFormat.DENSE) {
            return Rejection.UNEXPECTED;
        }
        long to = OffHeap.writableAddress(target, targetOffset, elements, "target");
        MemorySegment.copy(
                OffHeap.ALL,
                decoded(frame.valueType(), frame.valuesAddress(), frame.count()),
                OffHeap.ALL,
                to,
                (long) elements * Float.BYTES);
        Reference.reachabilityFence(target);
        Reference.reachabilityFence(frame);
        Reference.reachabilityFence(this);
        return null;
    }
}
