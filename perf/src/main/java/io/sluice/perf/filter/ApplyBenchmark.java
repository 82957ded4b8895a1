package io.sluice.perf.filter;

import io.sluice.codecs.AcceptedCompressors;
import io.sluice.codecs.DataFrameDecoder;
import io.sluice.codecs.OffHeap;
import io.sluice.codecs.Rejection;
import io.sluice.codecs.ValueType;
import io.sluice.filter.BlockAccumulator;
import io.sluice.filter.kernel.Kernels;
import io.sluice.perf.benchmark.Benchmark;
import io.sluice.perf.benchmark.Tally;
import io.sluice.perf.updates.TableShape;
import java.lang.foreign.MemorySegment;

/**
 * The way back: every frame opened, its block checked, and added to the replica. Neither frames nor replica come from a
 * cache. Without the frame's checksum, which the paper's path does not have either.
 */
final class ApplyBenchmark implements Benchmark {
    private final TableShape shape;
    private final FrameLog frames;
    private final DataFrameDecoder decoder = new DataFrameDecoder(TableShape.SLICE, AcceptedCompressors.named());
    private final BlockAccumulator accumulator;
    private final MemorySegment replica;

    ApplyBenchmark(TableShape shape, int thread, Kernels kernels, ValueType values) {
        this.shape = shape;
        frames = new FrameLog(shape, thread, values);
        accumulator = new BlockAccumulator(kernels);
        replica = OffHeap.allocate((long) shape.part() * Float.BYTES).fill((byte) 0);
    }

    @Override
    public void pass(Tally tally) {
        for (int slice = 0; slice < shape.slices(); slice++) {
            Rejection rejection = decoder.wrap(frames.buffer(), frames.offset(slice), frames.length(slice));
            if (rejection == null) {
                long offset = (long) slice * TableShape.SLICE * Float.BYTES;
                rejection = accumulator.add(decoder, replica, offset, shape.sliceElements(slice));
            }
            if (rejection != null) {
                throw new IllegalStateException("the frame of slice " + slice + " was refused: " + rejection);
            }
            tally.add(decoder.blockLength(), decoder.count());
            tally.format(decoder.format().code());
        }
    }

    /** What the frames were added to. */
    MemorySegment replica() {
        return replica;
    }
}
