package io.sluice.perf.filter;

import io.sluice.codecs.AcceptedCompressors;
import io.sluice.codecs.DataFrameDecoder;
import io.sluice.codecs.OffHeap;
import io.sluice.codecs.Rejection;
import io.sluice.codecs.ValueType;
import io.sluice.filter.BlockAccumulator;
import io.sluice.perf.JvmFlags;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Decoding a frame and adding its block to a replica, one core. Unit: elements of the replica per microsecond, whether
 * the frame has a value for them or not.
 *
 * <p>Measured: {@link DataFrameDecoder#wrap}, with its check of the index column, and {@link BlockAccumulator#add}.
 * The share kept decides the format: DELTA (or INDEX) up to 0.1, BITMAP at 0.5, DENSE at 1. Each slice of the
 * replica has a frame of its own, so neither replica nor frames come from the cache. (A real log of 12 MiB may.) Not
 * measured: the checksum, see the codecs' FrameBenchmark. The sums grow from pass to pass, which changes no time.
 */
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@OperationsPerInvocation(AlternatingUpdates.SLICE)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(
        value = 1,
        jvmArgsAppend = {JvmFlags.VECTOR, JvmFlags.MEMORY, JvmFlags.NATIVE, JvmFlags.QUIET, JvmFlags.KERNELS})
public class ApplyBenchmark {
    /** A worker's replica and what it has received. */
    @State(Scope.Thread)
    public static class Receiver {
        /** Size of the replica in MiB. */
        @Param("64")
        public int mib;

        /** Share of elements that the frames have values for. */
        @Param({"0.001", "0.01", "0.1", "0.2", "0.5", "1"})
        public double kept;

        /** Type of the values in the frames. */
        @Param({"F32", "F32_PACKED", "BF16", "BF16_PACKED", "F16", "LOG8"})
        public ValueType values;

        /** Which loops. */
        @Param
        public KernelChoice kernels;

        RecordedFrames frames;
        MemorySegment replica;
        DataFrameDecoder decoder;
        BlockAccumulator accumulator;
        int slice;

        /** Makes the frames; not measured. */
        @Setup
        public void setUp() {
            AlternatingUpdates table = new AlternatingUpdates(mib, kept);
            frames = new RecordedFrames(table, values);
            replica = OffHeap.allocate(table.elements() * Float.BYTES).fill((byte) 0);
            decoder = new DataFrameDecoder(AlternatingUpdates.SLICE, AcceptedCompressors.named());
            accumulator = new BlockAccumulator(kernels.create());
            slice = -1;
        }
    }

    /** Decodes and applies the next frame; returns the number of values in it. */
    @Benchmark
    public int decodeAndApply(Receiver receiver) {
        int slice = (receiver.slice + 1) % receiver.frames.size();
        receiver.slice = slice;
        DataFrameDecoder decoder = receiver.decoder;
        Rejection rejection =
                decoder.wrap(receiver.frames.buffer(), receiver.frames.offset(slice), receiver.frames.length(slice));
        if (rejection == null) {
            long offset = (long) slice * AlternatingUpdates.SLICE * Float.BYTES;
            rejection = receiver.accumulator.add(decoder, receiver.replica, offset, AlternatingUpdates.SLICE);
        }
        if (rejection != null) {
            throw new IllegalStateException("frame of slice " + slice + " was refused: " + rejection);
        }
        return decoder.count();
    }
}
