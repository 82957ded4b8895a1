package io.sluice.filter;

import static io.sluice.filter.Layout.INDEX;
import static io.sluice.filter.Layout.WORD;
import static io.sluice.filter.Layout.f32;

import io.sluice.codecs.Block;
import io.sluice.codecs.BlockFormat;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * The dynamic value-bounded filter (DVF, section 3.3 of the Parameter Flow paper): an element is sent if and only if
 * its magnitude is above the threshold of the clock (equation 10), and waits in the residual otherwise (equation 6).
 *
 * <p>The kernel always leaves a bitmap and, behind it, the kept values: the BITMAP format as it stands. Where another
 * format is shorter, the bitmap is put aside and the block rewritten in place: with few values as INDEX, with nearly
 * all of them as DENSE.
 */
public final class ValueBoundedFilter implements UpdateFilter {
    private final ThresholdSchedule schedule;
    private final Kernels kernels;

    /** The bitmap of the longest slice, while the block it came from is rewritten. */
    private final MemorySegment bitmap =
            Arena.ofAuto().allocate(BlockFormat.bitmapLength(BlockFormat.MAX_ELEMENTS), Long.BYTES);

    /**
     * Makes a filter.
     *
     * @param schedule of the threshold
     * @param kernels to run
     */
    public ValueBoundedFilter(ThresholdSchedule schedule, Kernels kernels) {
        this.schedule = schedule;
        this.kernels = kernels;
    }

    @Override
    public void filter(
            MemorySegment update,
            long updateOffset,
            MemorySegment residual,
            long residualOffset,
            int elements,
            long clock,
            Block out) {
        long values = out.offset() + BlockFormat.bitmapLength(elements);
        int count = kernels.filter(
                update,
                updateOffset,
                residual,
                residualOffset,
                elements,
                schedule.threshold(clock),
                out.segment(),
                out.offset(),
                values);
        shape(out, elements, count);
    }

    @Override
    public void drain(MemorySegment residual, long residualOffset, int elements, long clock, Block out) {
        long values = out.offset() + BlockFormat.bitmapLength(elements);
        float threshold = schedule.threshold(clock);
        int count = kernels.drain(residual, residualOffset, elements, threshold, out.segment(), out.offset(), values);
        shape(out, elements, count);
    }

    @Override
    public String name() {
        return "dvf";
    }

    @Override
    public float threshold(long clock) {
        return schedule.threshold(clock);
    }

    /** Rewrites the bitmap block at {@code out} in the shortest format. */
    private void shape(Block out, int elements, int count) {
        BlockFormat format = BlockFormat.cheapest(elements, count);
        if (format == BlockFormat.DENSE) {
            toDense(out, elements, count);
        } else if (format == BlockFormat.INDEX) {
            toIndex(out, elements, count);
        }
        out.set(format, elements, format == BlockFormat.DENSE ? elements : count);
    }

    /**
     * Spreads the values towards the front of the block. That DENSE is the shortest means that the missing values
     * would take no more room than the bitmap did, so no value is overwritten before it is read.
     */
    private void toDense(Block out, int elements, int count) {
        MemorySegment block = out.segment();
        int bitmapLength = BlockFormat.bitmapLength(elements);
        long values = out.offset() + bitmapLength;
        if (count == elements) {
            MemorySegment.copy(block, values, block, out.offset(), f32(elements));
        } else {
            MemorySegment.copy(block, out.offset(), bitmap, 0, bitmapLength);
            kernels.expand(bitmap, 0, block, values, count, elements, out.offset());
        }
    }

    /** Writes the positions of the set bits over the bitmap and moves the values up to them. */
    private void toIndex(Block out, int elements, int count) {
        MemorySegment block = out.segment();
        int bitmapLength = BlockFormat.bitmapLength(elements);
        MemorySegment.copy(block, out.offset(), bitmap, 0, bitmapLength);
        long index = out.offset();
        // Values wait behind the bitmap; indices that take less room than the bitmap can't reach them.
        for (int at = 0; at < bitmapLength; at += Long.BYTES) {
            long word = bitmap.get(WORD, at);
            while (word != 0) {
                int i = at * Byte.SIZE + Long.numberOfTrailingZeros(word);
                block.set(INDEX, index, (short) i);
                index += Short.BYTES;
                word &= word - 1;
            }
        }
        if ((count & 1) != 0) {
            block.set(INDEX, index, (short) 0);
        }
        long values = out.offset() + BlockFormat.INDEX.valuesOffset(elements, count);
        MemorySegment.copy(block, out.offset() + bitmapLength, block, values, f32(count));
    }
}
