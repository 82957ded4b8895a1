package io.sluice.perf.filter;

import io.sluice.codecs.Block;
import io.sluice.codecs.FrameBuffer;
import io.sluice.codecs.ValueType;
import io.sluice.filter.SliceFilter;
import io.sluice.perf.JvmFlags;
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
 * The filter, from update and residual to a finished block, one core. Unit: elements per microsecond,
 * that is millions of elements in a second.
 *
 * <p>Measured: reading update and residual, writing the residual, and composing the block in the shortest format, which
 * the library chooses (DELTA up to a sixth kept, BITMAP above). Update and residual come from memory; the
 * block goes, as in a worker, into one frame's room that is used again and again and so stays in the cache. Not
 * measured: header, checksum and compression, see the codecs' benchmarks.
 */
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@OperationsPerInvocation(AlternatingUpdates.SLICE)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(
        value = 1,
        jvmArgsAppend = {JvmFlags.VECTOR, JvmFlags.MEMORY, JvmFlags.NATIVE, JvmFlags.QUIET, JvmFlags.KERNELS})
public class FilterBenchmark {
    /** A worker's table and filter. */
    @State(Scope.Thread)
    public static class Pusher {
        /** Size of the table in MiB. */
        @Param("64")
        public int mib;

        /** Share of elements that pass the filter. */
        @Param({"0.001", "0.01", "0.1", "0.2", "0.5"})
        public double kept;

        /** Type of the values sent. */
        @Param({"F32", "F32_PACKED", "BF16", "BF16_PACKED", "F16", "LOG8"})
        public ValueType values;

        /** Which loops. */
        @Param
        public KernelChoice kernels;

        AlternatingUpdates table;
        SliceFilter filter;
        FrameBuffer frame;
        Block block;

        /** Fills the table; not measured. */
        @Setup
        public void setUp() {
            table = new AlternatingUpdates(mib, kept);
            filter = new SliceFilter(kernels.create(), values);
            frame = FrameBuffer.forDataFrames(AlternatingUpdates.SLICE);
            block = new Block();
        }
    }

    /** Filters the next slice; returns the number of elements that passed. */
    @Benchmark
    public int filter(Pusher pusher) {
        AlternatingUpdates table = pusher.table;
        table.next();
        pusher.filter.filter(
                table.update(),
                table.offset(),
                table.residual(),
                table.offset(),
                AlternatingUpdates.SLICE,
                AlternatingUpdates.THRESHOLD,
                pusher.block.wrap(pusher.frame));
        return pusher.block.count();
    }
}
