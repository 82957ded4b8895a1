package io.sluice.filter;

import static io.sluice.filter.Layout.f32;

import io.sluice.codecs.BlockFormat;
import io.sluice.codecs.DataFrameDecoder;
import io.sluice.codecs.Rejection;
import java.lang.foreign.MemorySegment;

/**
 * Applies the block of an opened data frame to a slice: to the sum at a server, or to the replica at a worker.
 *
 * <p>Offsets are in bytes. May be shared by threads as far as targets are not. Allocates nothing per block.
 */
public final class BlockAccumulator {
    private final Kernels kernels;

    /**
     * Makes an accumulator.
     *
     * @param kernels to run
     */
    public BlockAccumulator(Kernels kernels) {
        this.kernels = kernels;
    }

    /**
     * Adds the values present in a frame to a slice. The other elements keep their bits.
     *
     * @param frame opened without a rejection
     * @param target segment of the slice
     * @param targetOffset of its first element
     * @param elements of the slice
     * @return {@code null} if done; {@link Rejection#BAD_LENGTH}, with nothing changed, if the frame is for a slice of
     *     another length
     */
    public Rejection add(DataFrameDecoder frame, MemorySegment target, long targetOffset, int elements) {
        if (frame.elements() != elements) {
            return Rejection.BAD_LENGTH;
        }
        MemorySegment block = frame.blockSegment();
        long places = frame.blockOffset();
        long values = frame.valuesOffset();
        int count = frame.count();
        switch (frame.format()) {
            case DENSE -> kernels.addDense(block, values, elements, target, targetOffset);
            case BITMAP -> kernels.addBitmap(block, places, values, count, elements, target, targetOffset);
            case INDEX -> kernels.addIndex(block, places, values, count, target, targetOffset);
            default -> throw new IllegalStateException("no such format: " + frame.format());
        }
        return null;
    }

    /**
     * Replaces a slice by the values of a frame that has all of them, as push-pull does with parameters.
     *
     * @param frame opened without a rejection
     * @param target segment of the slice
     * @param targetOffset of its first element
     * @param elements of the slice
     * @return {@code null} if done; with nothing changed, {@link Rejection#BAD_LENGTH} if the frame is for a slice of
     *     another length, or {@link Rejection#UNEXPECTED} if it is not DENSE
     */
    public Rejection overwrite(DataFrameDecoder frame, MemorySegment target, long targetOffset, int elements) {
        if (frame.elements() != elements) {
            return Rejection.BAD_LENGTH;
        }
        if (frame.format() != BlockFormat.DENSE) {
            return Rejection.UNEXPECTED;
        }
        MemorySegment.copy(frame.blockSegment(), frame.valuesOffset(), target, targetOffset, f32(elements));
        return null;
    }
}
