package io.sluice.perf.filter;

import io.sluice.codecs.Block;
import io.sluice.codecs.FrameBuffer;
import io.sluice.codecs.OffHeap;
import io.sluice.codecs.ValueType;
import io.sluice.filter.SliceFilter;
import io.sluice.perf.JvmFlags;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Encoding a vector of 2^24 elements in place into finished blocks, one core: what a server does with a sum, and what
 * Deeplearning4j calls threshold encoding (there, too, the vector is the residual and keeps what is not sent). Unit:
 * milliseconds for the whole vector, which is restored between invocations; a single one takes several.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(
        value = 1,
        jvmArgsAppend = {JvmFlags.VECTOR, JvmFlags.MEMORY, JvmFlags.NATIVE, JvmFlags.QUIET, JvmFlags.KERNELS})
public class EncodeResidualBenchmark {
    private static final int SLICE = AlternatingUpdates.SLICE;
    private static final int ELEMENTS = 1 << 24;

    /** A residual to encode. */
    @State(Scope.Thread)
    public static class Sum {
        /** Share of elements that pass the filter. */
        @Param({"0.001", "0.01", "0.1", "0.5"})
        public double kept;

        /** Which loops. */
        @Param
        public KernelChoice kernels;

        final MemorySegment sum = OffHeap.allocate((long) ELEMENTS * Float.BYTES);
        final FrameBuffer frame = FrameBuffer.forDataFrames(SLICE);
        final Block block = new Block();
        MemorySegment original;
        SliceFilter filter;

        /** Draws the values; not measured. */
        @Setup
        public void setUp() {
            AlternatingUpdates table = new AlternatingUpdates(65, kept);
            table.next();
            original = table.update().asSlice(0, sum.byteSize());
            filter = new SliceFilter(kernels.create(), ValueType.F32);
        }

        /** Fills the sum again; not measured. */
        @Setup(Level.Invocation)
        public void restore() {
            sum.copyFrom(original);
        }
    }

    /** Encodes all slices; returns the bytes of their blocks. */
    @Benchmark
    public long encodeResidual(Sum sum) {
        long bytes = 0;
        for (int start = 0; start < ELEMENTS; start += SLICE) {
            int elements = Math.min(SLICE, ELEMENTS - start);
            Block block = sum.block.wrap(sum.frame);
            sum.filter.encodeResidual(
                    sum.sum, (long) start * Float.BYTES, elements, AlternatingUpdates.THRESHOLD, block);
            bytes += block.length();
        }
        return bytes;
    }
}
