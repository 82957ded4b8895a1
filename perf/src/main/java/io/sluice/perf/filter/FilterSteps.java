package io.sluice.perf.filter;

import io.sluice.codecs.DataFrameEncoder;
import io.sluice.codecs.DataHeader;
import io.sluice.codecs.FrameBuffer;
import io.sluice.codecs.FrameChecksum;
import io.sluice.codecs.PayloadCompressor;
import io.sluice.codecs.api.Block;
import io.sluice.codecs.api.BlockFormat;
import io.sluice.filter.SliceFilter;
import io.sluice.filter.kernel.Kernels;
import io.sluice.perf.benchmark.Tally;
import io.sluice.perf.codecs.FrameLog;
import io.sluice.perf.updates.OffHeapTable;
import io.sluice.perf.updates.TableShape;
import java.lang.ref.Reference;

/**
 * The library's ways to process a slice, and the plain pass for comparison. Blocks are written to a frame that is
 * reused.
 */
final class FilterSteps {
    /**
     * Zero leaves the residual as it is, for the filters on the same memory. The pass is as fast as with any factor: no
     * processor or compiler may omit a product with a zero, which for an infinity is not zero.
     */
    private static final float FACTOR = 0;

    private FilterSteps() {}

    /** Makes the plain pass, {@code residual += 0 * update}, which produces no block. */
    static SliceBenchmark.Step plainPass() {
        return (update, residual, offset, elements, _) -> PlainPass.run(FACTOR, update, residual, offset, elements);
    }

    /** The pass over memory of a filter, see {@link io.sluice.filter.kernel.ThresholdKernel}. */
    @FunctionalInterface
    interface Pass {
        /** Filters elements at addresses, and returns the number kept. */
        int filter(long update, long residual, int elements, float threshold, long bitmap, long values);
    }

    /**
     * The pass over memory alone: to a bitmap and f32 values after it.
     *
     * @param room buffer for a block of the longest slice
     */
    static SliceBenchmark.Step bitmap(Pass pass, float threshold, FrameBuffer room) {
        return (update, residual, offset, elements, tally) -> {
            long bitmap = room.segment().address();
            int length = BlockFormat.bitmapLength(elements);
            int count = pass.filter(
                    update.address() + offset,
                    residual.address() + offset,
                    elements,
                    threshold,
                    bitmap,
                    bitmap + length);
            Reference.reachabilityFence(room); // the pass holds only its address, as this step would
            tally.add(length + (long) count * Float.BYTES, count);
            tally.format(BlockFormat.BITMAP.code());
        };
    }

    /** The library's pass. */
    static Pass pass(Kernels kernels) {
        return (update, residual, elements, threshold, bitmap, values) ->
                kernels.split().filter(update, residual, elements, threshold, false, bitmap, values);
    }

    /** Makes the step that filters into the shortest block, as a worker does. */
    static SliceBenchmark.Step filter(SliceFilter filter, float threshold) {
        FrameBuffer frame = FrameBuffer.forDataFrames(TableShape.SLICE);
        Block block = new Block();
        return (update, residual, offset, elements, tally) -> {
            filter.filter(update, offset, residual, offset, elements, threshold, frame.room(block));
            count(block, tally);
        };
    }

    /** Makes the server's step: adds a dense update to the sum, and encodes the sum in place. */
    static SliceBenchmark.Step addAndEncode(SliceFilter filter, float threshold) {
        FrameBuffer frame = FrameBuffer.forDataFrames(TableShape.SLICE);
        Block block = new Block();
        return (update, residual, offset, elements, tally) -> {
            PlainPass.run(1, update, residual, offset, elements);
            filter.encodeResidual(residual, offset, elements, threshold, frame.room(block));
            count(block, tally);
        };
    }

    /** Filters and encodes the clocks until the residual has settled, and keeps the frames of the next one. */
    static FrameLog frames(TableShape shape, OffHeapTable table, SliceFilter filter) {
        FrameBuffer frame = FrameBuffer.forDataFrames(TableShape.SLICE);
        Block block = new Block();
        DataFrameEncoder encoder = new DataFrameEncoder(TableShape.SLICE);
        FrameChecksum checksum = new FrameChecksum();
        FrameLog log = new FrameLog(shape.slices());
        boolean[] settled = new boolean[1];
        SliceBenchmark sender = new SliceBenchmark(shape, table, (update, residual, offset, elements, _) -> {
            filter.filter(update, offset, residual, offset, elements, shape.threshold(), frame.room(block));
            if (settled[0]) {
                DataHeader header =
                        new DataHeader().clusterId(1).slice((int) (offset / Float.BYTES / TableShape.SLICE));
                log.add(
                        frame,
                        encoder.encode(frame, header, block, PayloadCompressor.never(), checksum),
                        block.count());
            }
        });
        for (int clock = 0; clock < shape.source().clocks(); clock++) {
            sender.pass(new Tally());
        }
        settled[0] = true;
        sender.pass(new Tally());
        return log;
    }

    static void count(Block block, Tally tally) {
        tally.add(block.length(), block.count());
        tally.format(block.format().code());
    }
}
