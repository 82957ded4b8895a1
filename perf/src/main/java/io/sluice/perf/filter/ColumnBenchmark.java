package io.sluice.perf.filter;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.sluice.codecs.BlockFormat;
import io.sluice.codecs.OffHeap;
import io.sluice.codecs.ValueType;
import io.sluice.filter.kernel.IndicesKernel;
import io.sluice.filter.kernel.Kernels;
import io.sluice.perf.JvmFlags;
import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * The conversions of columns that follow the filter's pass and come before applying, each alone, one core. Unit:
 * nanoseconds for a slice of 16,320 elements, of which the stated share has values. All columns are in the cache, as
 * they are in use: a moment ago a kernel or a link has written them.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 2, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(
        value = 1,
        jvmArgsAppend = {JvmFlags.VECTOR, JvmFlags.MEMORY, JvmFlags.NATIVE, JvmFlags.QUIET, JvmFlags.KERNELS})
public class ColumnBenchmark {
    private static final int SLICE = AlternatingUpdates.SLICE;

    /** The indices of a slice in every format. */
    @State(Scope.Thread)
    public static class Slice {
        /** Share of elements that have values. */
        @Param({"0.01", "0.1", "0.2"})
        public double kept;

        /** Which loops. */
        @Param
        public KernelChoice kernels;

        final MemorySegment memory = OffHeap.allocate(16L * SLICE + 4096);
        final long bitmap = memory.address();
        final long indices = bitmap + BlockFormat.bitmapLength(SLICE) + IndicesKernel.SLACK;
        final long deltas = indices + 2L * SLICE + 2L * IndicesKernel.SLACK;
        final long column = deltas + 2L * SLICE + 2L * IndicesKernel.SLACK;
        Kernels loops;
        int count;

        /** Draws the indices; not measured. */
        @Setup
        public void setUp() {
            loops = kernels.create();
            SplittableRandom random = new SplittableRandom(1);
            for (int i = 0; i < SLICE; i++) {
                if (random.nextDouble() < kept) {
                    long word = memory.getAtIndex(JAVA_LONG, i / Long.SIZE);
                    memory.setAtIndex(JAVA_LONG, i / Long.SIZE, word | 1L << i);
                    count++;
                }
            }
            loops.indices().indices(bitmap, SLICE, count, deltas);
            loops.indices().packDeltas(deltas, count, SLICE, column);
        }
    }

    /** Values of a slice, and the same encoded. */
    @State(Scope.Thread)
    public static class Values {
        /** Type of the column. */
        @Param({"F32_PACKED", "BF16", "BF16_PACKED", "F16", "LOG8"})
        public ValueType type;

        final MemorySegment memory = OffHeap.allocate(14L * SLICE + 4096);
        final long exact = memory.address();
        final long encoded = exact + 4L * SLICE + 512;
        final long decoded = encoded + 5L * SLICE + 512;

        /** Draws values as a filter leaves them: above a threshold, ever rarer with their size; not measured. */
        @Setup
        public void setUp(Slice slice) {
            SplittableRandom random = new SplittableRandom(2);
            for (int k = 0; k < SLICE; k++) {
                double magnitude = 1 - Math.log(1 - random.nextDouble());
                float value = (float) (random.nextBoolean() ? magnitude : -magnitude);
                boolean half = type.plain() == ValueType.BF16;
                int bits = Float.floatToRawIntBits(value) & (half ? 0xFFFF_0000 : -1);
                memory.setAtIndex(JAVA_FLOAT, k, Float.intBitsToFloat(bits));
            }
            slice.loops.values().encode(type, exact, slice.count, encoded);
        }
    }

    /** Lists the set bits. */
    @Benchmark
    public void bitmapToIndices(Slice slice) {
        slice.loops.indices().indices(slice.bitmap, SLICE, slice.count, slice.indices);
    }

    /** Lists the set bits and packs the deltas between them; returns the length. */
    @Benchmark
    public int bitmapToDeltas(Slice slice) {
        slice.loops.indices().indices(slice.bitmap, SLICE, slice.count, slice.indices);
        return slice.loops.indices().packDeltas(slice.indices, slice.count, SLICE, slice.column);
    }

    /** Unpacks deltas. */
    @Benchmark
    public void unpackDeltas(Slice slice) {
        slice.loops.indices().unpackDeltas(slice.column, slice.count, slice.deltas);
    }

    /** Encodes the values; returns the length. */
    @Benchmark
    public int encodeValues(Slice slice, Values values) {
        return slice.loops.values().encode(values.type, values.exact, slice.count, values.encoded);
    }

    /** Decodes the values. */
    @Benchmark
    public void decodeValues(Slice slice, Values values) {
        slice.loops.values().decode(values.type, values.encoded, slice.count, values.decoded);
    }
}
