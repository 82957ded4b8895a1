package io.sluice.perf.codecs;

import io.sluice.codecs.AcceptedCompressors;
import io.sluice.codecs.BlockFormat;
import io.sluice.codecs.DataFrameDecoder;
import io.sluice.codecs.Frame;
import io.sluice.codecs.FrameBuffer;
import io.sluice.codecs.OffHeap;
import io.sluice.codecs.Rejection;
import io.sluice.filter.BlockAccumulator;
import io.sluice.filter.kernel.Kernels;
import io.sluice.perf.benchmark.Benchmark;
import io.sluice.perf.benchmark.Tally;
import io.sluice.perf.updates.TableShape;
import java.lang.foreign.MemorySegment;

/** From a frame to the replica: decompressed, checked, decoded and added. */
final class DecodeBenchmark implements Benchmark {
    private static final int ALIGNMENT = 32;

    private final TableShape shape;
    private final FrameBuffer log;
    private final int[] offsets;
    private final int[] lengths;
    private final long[] counts;
    private final DataFrameDecoder decoder;
    private final BlockAccumulator accumulator = new BlockAccumulator(Kernels.preferred());
    private final MemorySegment replica;

    DecodeBenchmark(TableShape shape, Combination combination) {
        this.shape = shape;
        EncodeBenchmark sender = new EncodeBenchmark(shape, combination);
        int slices = shape.slices();
        offsets = new int[slices];
        lengths = new int[slices];
        counts = new long[slices];
        log = new FrameBuffer(slices * (Frame.DATA_LENGTH + BlockFormat.maxLength(TableShape.SLICE) + ALIGNMENT));
        int end = 0;
        for (int slice = 0; slice < slices; slice++) {
            offsets[slice] = end;
            lengths[slice] = sender.slice(slice);
            counts[slice] = sender.slices().count(slice);
            log.buffer().putBytes(end, sender.frame().buffer(), 0, lengths[slice]);
            end += (lengths[slice] + ALIGNMENT - 1) & -ALIGNMENT;
        }
        decoder = new DataFrameDecoder(TableShape.SLICE, AcceptedCompressors.named(combination.compressor()));
        replica = OffHeap.allocate((long) shape.part() * Float.BYTES).fill((byte) 0);
    }

    @Override
    public void pass(Tally tally) {
        for (int slice = 0; slice < offsets.length; slice++) {
            Rejection rejection = decoder.wrap(log.buffer(), offsets[slice], lengths[slice]);
            if (rejection == null) {
                long offset = (long) slice * TableShape.SLICE * Float.BYTES;
                rejection = accumulator.add(decoder, replica, offset, shape.sliceElements(slice));
            }
            if (rejection != null) {
                throw new IllegalStateException("the frame of slice " + slice + " was refused: " + rejection);
            }
            tally.add(lengths[slice] - Frame.DATA_LENGTH, counts[slice]);
            tally.format(decoder.format().code());
        }
    }

    /** What the frames were added to. */
    MemorySegment replica() {
        return replica;
    }
}
