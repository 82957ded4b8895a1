package io.sluice.perf.filter;

import io.sluice.codecs.Block;
import io.sluice.codecs.BlockFormat;
import io.sluice.codecs.FrameBuffer;
import io.sluice.codecs.ValueType;
import io.sluice.filter.SliceFilter;
import io.sluice.filter.kernel.Kernels;
import io.sluice.perf.benchmark.Tally;
import io.sluice.perf.updates.TableShape;
import java.lang.ref.Reference;

/** The library's ways through a slice, and the yardstick. Blocks go into a frame that is used again and again. */
final class FilterSteps {
    private static final float FACTOR = 0.5f;

    private FilterSteps() {}

    /** {@code residual += 0.5 * update}: the yardstick. Makes nothing. */
    static SliceBenchmark.Step plainPass() {
        return (update, residual, offset, elements, _) -> PlainPass.run(FACTOR, update, residual, offset, elements);
    }

    /**
     * The pass over memory alone: to a bitmap and f32 values behind it.
     *
     * @param room for a block of the longest slice
     */
    static SliceBenchmark.Step bitmap(Kernels kernels, float threshold, FrameBuffer room) {
        return (update, residual, offset, elements, tally) -> {
            long bitmap = room.segment().address();
            int length = BlockFormat.bitmapLength(elements);
            int count = kernels.split()
                    .filter(
                            update.address() + offset,
                            residual.address() + offset,
                            elements,
                            threshold,
                            false,
                            bitmap,
                            bitmap + length);
            Reference.reachabilityFence(room); // the kernel knows its address only, and so would this step
            tally.add(length + (long) count * Float.BYTES, count);
            tally.format(BlockFormat.BITMAP.code());
        };
    }

    /** The filter: to the shortest block, where a worker would have it. */
    static SliceBenchmark.Step filter(Kernels kernels, ValueType values, float threshold) {
        SliceFilter filter = new SliceFilter(kernels, values);
        FrameBuffer frame = FrameBuffer.forDataFrames(TableShape.SLICE);
        Block block = new Block();
        return (update, residual, offset, elements, tally) -> {
            filter.filter(update, offset, residual, offset, elements, threshold, block.wrap(frame));
            count(block, tally);
        };
    }

    /** The server's way: adds a dense update to the sum, and encodes the sum in place. */
    static SliceBenchmark.Step addAndEncode(Kernels kernels, ValueType values, float threshold) {
        SliceFilter filter = new SliceFilter(kernels, values);
        FrameBuffer frame = FrameBuffer.forDataFrames(TableShape.SLICE);
        Block block = new Block();
        return (update, residual, offset, elements, tally) -> {
            PlainPass.run(1, update, residual, offset, elements);
            filter.encodeResidual(residual, offset, elements, threshold, block.wrap(frame));
            count(block, tally);
        };
    }

    static void count(Block block, Tally tally) {
        tally.add(block.length(), block.count());
        tally.format(block.format().code());
    }
}
