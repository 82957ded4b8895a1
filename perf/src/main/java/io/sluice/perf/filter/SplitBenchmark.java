package io.sluice.perf.filter;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import io.sluice.codecs.BlockFormat;
import io.sluice.codecs.OffHeap;
import io.sluice.filter.kernel.ThresholdKernel;
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
 * The filter's pass over memory alone, one core: residual and update in, bitmap, f32 values and residual out. Unit:
 * elements per microsecond.
 *
 * <p>Bitmap and values go into the same room for every slice, as in a worker. Compare with {@link YardstickBenchmark}.
 */
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@OperationsPerInvocation(AlternatingUpdates.SLICE)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(
        value = 1,
        jvmArgsAppend = {JvmFlags.VECTOR, JvmFlags.MEMORY, JvmFlags.NATIVE, JvmFlags.QUIET, JvmFlags.KERNELS})
public class SplitBenchmark {
    /** A table and the room for what is kept of a slice. */
    @State(Scope.Thread)
    public static class Pass {
        /** Size of the table in MiB. */
        @Param("64")
        public int mib;

        /** Share of elements that pass the filter. */
        @Param({"0.001", "0.01", "0.1", "0.2", "0.5"})
        public double kept;

        /** Whether what is kept is rounded to bfloat16. */
        @Param({"false", "true"})
        public boolean bf16;

        /** Which loops. */
        @Param
        public KernelChoice kernels;

        final MemorySegment room = OffHeap.allocate(BlockFormat.maxLength(AlternatingUpdates.SLICE));
        final long bitmap = room.address();
        final long values = bitmap + BlockFormat.bitmapLength(AlternatingUpdates.SLICE);
        AlternatingUpdates table;
        float[] plus;
        float[] minus;
        boolean odd;
        ThresholdKernel kernel;

        /** Fills the table; not measured. */
        @Setup
        public void setUp() {
            table = new AlternatingUpdates(mib, kept);
            minus = table.update().toArray(JAVA_FLOAT);
            table.next();
            plus = table.update().toArray(JAVA_FLOAT);
            kernel = kernels.create().split();
        }

        long residual() {
            return table.residual().address() + table.offset();
        }
    }

    /** An update in native memory; returns the number kept. */
    @Benchmark
    public int filterMemory(Pass pass) {
        pass.table.next();
        long update = pass.table.update().address() + pass.table.offset();
        return pass.kernel.filter(
                update,
                pass.residual(),
                AlternatingUpdates.SLICE,
                AlternatingUpdates.THRESHOLD,
                pass.bf16,
                pass.bitmap,
                pass.values);
    }

    /** An update in an array; returns the number kept. */
    @Benchmark
    public int filterArray(Pass pass) {
        pass.table.next();
        int from = (int) (pass.table.offset() / Float.BYTES);
        if (from == 0) {
            pass.odd = !pass.odd;
        }
        return pass.kernel.filter(
                pass.odd ? pass.plus : pass.minus,
                from,
                pass.residual(),
                AlternatingUpdates.SLICE,
                AlternatingUpdates.THRESHOLD,
                pass.bf16,
                pass.bitmap,
                pass.values);
    }
}
