package io.sluice.perf.codecs;

import io.sluice.codecs.AcceptedCompressors;
import io.sluice.codecs.DataFrameDecoder;
import io.sluice.codecs.Frame;
import io.sluice.codecs.Rejection;
import io.sluice.filter.BlockAccumulator;
import io.sluice.filter.kernel.Kernels;
import io.sluice.perf.benchmark.Benchmark;
import io.sluice.perf.benchmark.Tally;
import io.sluice.perf.updates.TableShape;
import java.lang.foreign.MemorySegment;
import java.util.function.Supplier;

/**
 * Measures the receiver: it opens and decompresses every frame, checks and decodes its block, and adds it to the
 * replica. It does not verify the checksum, because the paper's path has none.
 */
public final class ApplyBenchmark implements Benchmark {
    private final TableShape shape;
    private final FrameLog frames;
    private final DataFrameDecoder decoder;
    private final BlockAccumulator accumulator;
    private final Supplier<MemorySegment> replica;

    /**
     * Creates a benchmark.
     *
     * @param replica the replica in each pass, with the length of a thread's part
     */
    public ApplyBenchmark(
            TableShape shape,
            FrameLog frames,
            Kernels kernels,
            Supplier<MemorySegment> replica,
            String... compressors) {
        this.shape = shape;
        this.frames = frames;
        decoder = new DataFrameDecoder(TableShape.SLICE, AcceptedCompressors.named(compressors));
        accumulator = new BlockAccumulator(kernels);
        this.replica = replica;
    }

    @Override
    public void pass(Tally tally) {
        MemorySegment target = replica.get();
        for (int slice = 0; slice < frames.size(); slice++) {
            Rejection rejection = decoder.wrap(frames.buffer(), frames.offset(slice), frames.length(slice));
            if (rejection == null) {
                long offset = (long) slice * TableShape.SLICE * Float.BYTES;
                rejection = accumulator.add(decoder, target, offset, shape.sliceElements(slice));
            }
            if (rejection != null) {
                throw new IllegalStateException("the frame of slice " + slice + " was refused: " + rejection);
            }
            tally.add(frames.length(slice) - Frame.DATA_LENGTH, frames.values(slice));
            tally.format(decoder.format().code());
        }
    }

    /** The replica to which the frames were added. */
    public MemorySegment replica() {
        return replica.get();
    }
}
