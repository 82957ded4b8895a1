package io.sluice.perf.filter;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

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
 * What the filter's and the replica's rates are measured by: a plain pass over the same arrays, and a scalar loop with
 * a branch that does the filter's work. Unit: elements per microsecond, that is millions of elements in a second.
 */
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@OperationsPerInvocation(AlternatingUpdates.SLICE)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(
        value = 1,
        jvmArgsAppend = {JvmFlags.VECTOR, JvmFlags.MEMORY, JvmFlags.NATIVE, JvmFlags.QUIET, JvmFlags.KERNELS})
public class YardstickBenchmark {
    /** A table that is passed over. */
    @State(Scope.Thread)
    public static class Plain {
        /** Size of the table in MiB. */
        @Param("64")
        public int mib;

        AlternatingUpdates table;

        /** Fills the table; not measured. */
        @Setup
        public void setUp() {
            table = new AlternatingUpdates(mib, 0);
        }
    }

    /** A table that is filtered, in arrays. */
    @State(Scope.Thread)
    public static class Branching {
        /** Size of the table in MiB. */
        @Param("64")
        public int mib;

        /** Share of elements that pass the filter. */
        @Param({"0.001", "0.01", "0.1", "0.2", "0.5"})
        public double kept;

        final long[] bitmap = new long[AlternatingUpdates.SLICE / Long.SIZE];
        final float[] values = new float[AlternatingUpdates.SLICE];
        float[] update;
        float[] otherUpdate;
        float[] residual;
        int from;

        /** Fills the arrays with what {@link AlternatingUpdates} holds; not measured. */
        @Setup
        public void setUp() {
            AlternatingUpdates table = new AlternatingUpdates(mib, kept);
            otherUpdate = table.update().toArray(JAVA_FLOAT);
            residual = table.residual().toArray(JAVA_FLOAT);
            table.next();
            update = table.update().toArray(JAVA_FLOAT);
            from = -AlternatingUpdates.SLICE;
        }

        void next() {
            from += AlternatingUpdates.SLICE;
            if (from == update.length) {
                from = 0;
                float[] used = update;
                update = otherUpdate;
                otherUpdate = used;
            }
        }
    }

    /** {@code residual += 0.5 * update} over the next slice, by {@link PlainPass}; the sums stay bounded. */
    @Benchmark
    public Object plainPass(Plain plain) {
        AlternatingUpdates table = plain.table;
        table.next();
        PlainPass.run(0.5f, table.update(), table.residual(), table.offset(), AlternatingUpdates.SLICE);
        return table.residual();
    }

    /** Filters the next slice by {@link BranchingLoop}; returns the number of elements that passed. */
    @Benchmark
    public int branchingFilter(Branching branching) {
        branching.next();
        return BranchingLoop.filter(
                branching.update,
                branching.residual,
                branching.from,
                AlternatingUpdates.SLICE,
                AlternatingUpdates.THRESHOLD,
                branching.bitmap,
                branching.values);
    }
}
