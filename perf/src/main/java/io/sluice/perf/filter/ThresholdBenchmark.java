package io.sluice.perf.filter;

import io.sluice.codecs.Block;
import io.sluice.codecs.FrameBuffer;
import io.sluice.codecs.OffHeap;
import io.sluice.codecs.ValueType;
import io.sluice.filter.UpdateFilter;
import io.sluice.filter.feedback.ConstantFeedback;
import io.sluice.filter.kernel.Kernels;
import io.sluice.filter.policy.FilterPolicies;
import io.sluice.filter.policy.FilterSite;
import io.sluice.perf.JvmFlags;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;
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
 * What it costs to choose a threshold: the filter under one policy or another, one core. Unit: elements per
 * microsecond.
 *
 * <p>Measured: whole clocks over a table, slice by slice as a worker does, from update and residual to finished blocks,
 * with all that the policy does in between: sampling, at each clock's start what the estimator does ({@code every=1}:
 * in all clocks, by default in one of eight), and of top-k the selection in each slice. {@code fixed} chooses nothing
 * and is the yardstick; its threshold keeps about as much as the others. Updates are the same Gaussian ones in each
 * clock, in off-heap memory larger than the cache; the block's room is used again and again.
 */
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@OperationsPerInvocation(ThresholdBenchmark.SLICE)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(
        value = 1,
        jvmArgsAppend = {JvmFlags.VECTOR, JvmFlags.MEMORY, JvmFlags.NATIVE, JvmFlags.QUIET, JvmFlags.KERNELS})
public class ThresholdBenchmark {
    static final int SLICE = 16_320;

    /** A worker's table and filter. */
    @State(Scope.Thread)
    public static class Pusher {
        /** Size of the table in MiB. */
        @Param("64")
        public int mib;

        /** What is kept. With these updates a threshold of 10 is passed by 1% of the elements in the long run. */
        @Param({"fixed:10", "density:0.01", "density:0.01;every=1", "sidco:0.01", "sidco:0.01;every=1", "topk:0.01"})
        public String policy;

        UpdateFilter filter;
        MemorySegment update;
        MemorySegment residual;
        int slices;
        int slice;
        long clock = 1;
        FrameBuffer frame;
        Block block;

        /** Fills the table; not measured. */
        @Setup
        public void setUp() {
            slices = (int) (((long) mib << 20) / Float.BYTES / SLICE);
            long elements = (long) slices * SLICE;
            update = OffHeap.allocate(elements * Float.BYTES);
            residual = OffHeap.allocate(elements * Float.BYTES);
            SplittableRandom random = new SplittableRandom(1);
            for (long i = 0; i < elements; i++) {
                update.setAtIndex(ValueLayout.JAVA_FLOAT, i, (float) random.nextGaussian());
            }
            filter = FilterPolicies.named(policy)
                    .create(new FilterSite(
                            Kernels.preferred(),
                            ValueType.F32,
                            elements,
                            elements,
                            SLICE,
                            elements,
                            ConstantFeedback.UNWATCHED));
            frame = FrameBuffer.forDataFrames(SLICE);
            block = new Block();
        }
    }

    /** Filters the next slice; returns the number of elements that passed. */
    @Benchmark
    public int filter(Pusher pusher) {
        if (pusher.slice == pusher.slices) {
            pusher.slice = 0;
            pusher.clock++;
        }
        long at = (long) pusher.slice++ * SLICE * Float.BYTES;
        pusher.filter.filter(
                pusher.update, at, pusher.residual, at, SLICE, pusher.clock, pusher.block.wrap(pusher.frame));
        return pusher.block.count();
    }
}
