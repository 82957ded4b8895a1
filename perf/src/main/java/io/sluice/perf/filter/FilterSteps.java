package io.sluice.perf.filter;

import io.sluice.codecs.DataFrameEncoder;
import io.sluice.codecs.DataHeader;
import io.sluice.codecs.FrameBuffer;
import io.sluice.codecs.FrameChecksum;
import io.sluice.codecs.PayloadCompressor;
import io.sluice.codecs.api.ValueType;
import io.sluice.codecs.spi.Block;
import io.sluice.codecs.spi.BlockCompressor;
import io.sluice.codecs.spi.BlockFormat;
import io.sluice.filter.SliceFilter;
import io.sluice.filter.kernel.Kernels;
import io.sluice.filter.policy.FilterPolicies;
import io.sluice.filter.policy.TableSite;
import io.sluice.filter.spi.UpdateFilter;
import io.sluice.perf.benchmark.Tally;
import io.sluice.perf.codecs.FrameLog;
import io.sluice.perf.updates.OffHeapTable;
import io.sluice.perf.updates.TableShape;
import java.lang.ref.Reference;

/**
 * Steps that process one slice: those of the library, those of the paper, and the axpy loop {@code y += a * x} as the
 * baseline. A step reuses its buffers for all slices.
 */
final class FilterSteps {
    /**
     * Factor of the axpy loop: zero leaves the residual unchanged, for the filters on the same memory. The loop is as
     * fast as with any factor: no processor or compiler may omit a product with a zero, which for an infinity is not
     * zero.
     */
    private static final float FACTOR = 0;

    private FilterSteps() {}

    /** Creates the axpy loop, {@code residual += 0 * update}, which produces no block. */
    static SliceBenchmark.Step axpy() {
        return (update, residual, offset, elements, _) -> VectorLoops.axpy(FACTOR, update, residual, offset, elements);
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

    /** Creates the step that filters into the shortest block, as a worker does. */
    static SliceBenchmark.Step filter(SliceFilter filter, float threshold) {
        FrameBuffer frame = FrameBuffer.forDataFrames(TableShape.SLICE);
        Block block = new Block();
        return (update, residual, offset, elements, tally) -> {
            filter.filter(update, offset, residual, offset, elements, threshold, frame.room(block));
            count(block, tally);
        };
    }

    /** Creates the server's step: adds a dense update to the sum, and encodes the sum in place. */
    static SliceBenchmark.Step addAndEncode(SliceFilter filter, float threshold) {
        FrameBuffer frame = FrameBuffer.forDataFrames(TableShape.SLICE);
        Block block = new Block();
        return (update, residual, offset, elements, tally) -> {
            VectorLoops.axpy(1, update, residual, offset, elements);
            filter.encodeResidual(residual, offset, elements, threshold, frame.room(block));
            count(block, tally);
        };
    }

    /** The filter under a policy, including the policy's work between slices and clocks to choose its threshold. */
    static SliceBenchmark.Step policy(int elements, Kernels kernels, ValueType values, String policy) {
        UpdateFilter filter =
                FilterPolicies.named(policy).create(new TableSite(kernels, values, elements, TableShape.SLICE));
        FrameBuffer frame = FrameBuffer.forDataFrames(TableShape.SLICE);
        Block block = new Block();
        long[] clock = new long[1];
        return (update, residual, offset, some, tally) -> {
            clock[0] += offset == 0 ? 1 : 0;
            filter.filter(update, offset, residual, offset, some, clock[0], frame.room(block));
            count(block, tally);
        };
    }

    /**
     * The path of the Parameter Flow paper (section 3.3.1 and figure 4): a dense array in which zeros replace the
     * elements that are not kept, through a general compressor. It works slice by slice, and so in the cache.
     *
     * @param compressed buffer for a slice, see {@link #roomFor}
     */
    static SliceBenchmark.Step paper(BlockCompressor compressor, float threshold, FrameBuffer compressed) {
        FrameBuffer dense = new FrameBuffer(TableShape.SLICE * Float.BYTES);
        return (update, residual, offset, elements, tally) -> {
            int count = VectorLoops.zeroFill(update, residual, offset, elements, threshold, dense.segment());
            tally.add(compress(compressor, dense, elements * Float.BYTES, compressed), count);
        };
    }

    /** The receiver of {@link #paper}: decompresses the dense arrays and adds all of them to the replica. */
    static SliceBenchmark.Step paperApply(TableShape shape, OffHeapTable table, BlockCompressor compressor) {
        FrameBuffer compressed = roomFor(compressor);
        SliceBenchmark.Step sender = paper(compressor, shape.threshold(), compressed);
        FrameLog log = recorded(shape, table, compressed, sender);
        FrameBuffer dense = new FrameBuffer(TableShape.SLICE * Float.BYTES);
        return (_, replica, offset, elements, tally) -> {
            int slice = slice(offset);
            int length = elements * Float.BYTES;
            int got = compressor.decompress(
                    log.buffer(), log.offset(slice), log.length(slice), dense.buffer(), 0, length);
            if (got != length) {
                throw new IllegalStateException(compressor.name() + " refuses its own output of slice " + slice);
            }
            VectorLoops.axpy(1, dense.segment(), replica.asSlice(offset), 0, elements);
            tally.add(log.length(slice), log.values(slice));
        };
    }

    /** A buffer for a slice, compressed. */
    static FrameBuffer roomFor(BlockCompressor compressor) {
        return new FrameBuffer(compressor.maxCompressedLength(TableShape.SLICE * Float.BYTES));
    }

    static int compress(BlockCompressor compressor, FrameBuffer from, int length, FrameBuffer to) {
        return compressor.compress(from.buffer(), 0, length, to.buffer(), 0, to.capacity());
    }

    /** Filters and encodes the clocks until the residual has settled, and keeps the frames of the next one. */
    static FrameLog frames(TableShape shape, OffHeapTable table, SliceFilter filter) {
        FrameBuffer frame = FrameBuffer.forDataFrames(TableShape.SLICE);
        Block block = new Block();
        DataFrameEncoder encoder = new DataFrameEncoder(TableShape.SLICE);
        FrameChecksum checksum = new FrameChecksum();
        return recorded(shape, table, frame, (update, residual, offset, elements, tally) -> {
            filter.filter(update, offset, residual, offset, elements, shape.threshold(), frame.room(block));
            DataHeader header = new DataHeader().clusterId(1).slice(slice(offset));
            tally.add(encoder.encode(frame, header, block, PayloadCompressor.never(), checksum), block.count());
        });
    }

    /** The output of a sender for each slice of the clock after the residual has settled. */
    private static FrameLog recorded(
            TableShape shape, OffHeapTable table, FrameBuffer output, SliceBenchmark.Step sender) {
        FrameLog log = new FrameLog(shape.slices(), output.capacity());
        for (int clock = 0; clock < shape.clocks(); clock++) {
            new SliceBenchmark(shape, table, sender).pass(new Tally());
        }
        new SliceBenchmark(shape, table, (update, residual, offset, elements, _) -> {
                    Tally tally = new Tally();
                    sender.run(update, residual, offset, elements, tally);
                    log.add(output, (int) tally.bytes(), tally.values());
                })
                .pass(new Tally());
        return log;
    }

    private static int slice(long offset) {
        return (int) (offset / Float.BYTES / TableShape.SLICE);
    }

    private static void count(Block block, Tally tally) {
        tally.add(block.length(), block.count());
        tally.format(block.format().code());
    }
}
