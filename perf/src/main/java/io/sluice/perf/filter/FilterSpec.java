package io.sluice.perf.filter;

import io.sluice.codecs.FrameBuffer;
import io.sluice.codecs.api.ValueType;
import io.sluice.codecs.spi.BlockCompressor;
import io.sluice.codecs.spi.BlockFormat;
import io.sluice.filter.SliceFilter;
import io.sluice.filter.kernel.Kernels;
import io.sluice.messaging.LinkRate;
import io.sluice.perf.benchmark.Benchmark;
import io.sluice.perf.benchmark.BenchmarkSpec;
import io.sluice.perf.benchmark.Tally;
import io.sluice.perf.codecs.ApplyBenchmark;
import io.sluice.perf.codecs.FrameLog;
import io.sluice.perf.experiment.Parameter;
import io.sluice.perf.updates.Distribution;
import io.sluice.perf.updates.OffHeapTable;
import io.sluice.perf.updates.TableShape;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A way to filter or apply a table.
 *
 * @param scalar     whether the library's kernels in plain Java do it, without branches
 * @param values     type of the values; {@code null} if the library does not encode
 * @param compressor name of the compressor; {@code null} for none
 * @param policy     policy that chooses the threshold; {@code null} for the fixed threshold of the shape
 * @param linkRate   rate of the links for which blocks are made; {@code null} for slow links
 * @param cLoop      whether the loop in C alternates with it
 * @param runBits    width of the registers of this run in bits
 */
record FilterSpec(
        FilterJob job,
        boolean scalar,
        ValueType values,
        String compressor,
        String policy,
        String linkRate,
        boolean cLoop,
        TableShape table,
        int runBits)
        implements BenchmarkSpec {
    /** Maximum length of a table for zlib, which takes seconds where other compressors take milliseconds. */
    private static final long ZLIB_ELEMENTS = 1 << 20;

    /** All variants, in the order of the table, except those that alternate with another one. */
    static List<FilterSpec> all(
            TableShape shape,
            List<ValueType> types,
            List<String> policies,
            List<String> linkRates,
            boolean cLoop,
            int bits) {
        List<FilterSpec> all = new ArrayList<>();
        all.add(other(FilterJob.BRANCHING_LOOP, null, shape, bits));
        for (boolean scalar : new boolean[] {false, true}) {
            all.add(new FilterSpec(
                    FilterJob.FILTER_BITMAP, scalar, ValueType.F32, null, null, null, cLoop && !scalar, shape, bits));
            types.forEach(type -> all.add(library(FilterJob.FILTER, scalar, type, null, null, shape, bits)));
            all.add(library(FilterJob.ADD_ENCODE, scalar, ValueType.F32, null, null, shape, bits));
            types.forEach(type -> all.add(library(FilterJob.APPLY, scalar, type, null, null, shape, bits)));
        }
        for (String policy : policies) {
            types.forEach(type -> all.add(library(FilterJob.POLICY, false, type, policy, null, shape, bits)));
        }
        for (String rate : linkRates) {
            for (ValueType type : types) {
                all.add(library(FilterJob.FILTER, false, type, null, rate, shape, bits));
                all.add(library(FilterJob.APPLY, false, type, null, rate, shape, bits));
            }
        }
        for (String compressor : List.of("snappy", "lz4", "zstd", Zlib.NAME)) {
            all.add(other(FilterJob.PAPER, compressor, shape, bits));
        }
        all.add(other(FilterJob.PAPER_PAIRS, "snappy", shape, bits));
        all.add(other(FilterJob.PAPER_APPLY, "snappy", shape, bits));
        all.add(other(FilterJob.THRESHOLD_ENCODER, null, shape, bits));
        return all;
    }

    private static FilterSpec library(
            FilterJob job, boolean scalar, ValueType values, String policy, String rate, TableShape shape, int bits) {
        return new FilterSpec(job, scalar, values, null, policy, rate, false, shape, bits);
    }

    private static FilterSpec other(FilterJob job, String compressor, TableShape shape, int bits) {
        return new FilterSpec(job, false, null, compressor, null, null, false, shape, bits);
    }

    /** The passes that alternate with it on the same memory: the axpy loop, and the loop in C. */
    List<FilterSpec> others() {
        return Stream.of(FilterJob.AXPY, FilterJob.C_LOOP)
                .filter(other -> job.sharesTable() && (cLoop || other == FilterJob.AXPY))
                .map(other -> other(other, null, table, runBits))
                .toList();
    }

    /** Width of its registers in bits. */
    int widthBits() {
        return scalar || job.isLoopOverArrays() ? Integer.SIZE : runBits;
    }

    /** The name in tables, plots and JSON, without the type of the values. */
    String kernel() {
        String variant = Stream.of(compressor, policy, linkRate)
                .filter(Objects::nonNull)
                .map(each -> "-" + each)
                .collect(Collectors.joining());
        return Parameter.word(job) + variant + (scalar ? "-scalar" : "");
    }

    /**
     * The table of the job: shorter if the job is too slow for all of it, but still longer than any cache. Under a
     * policy random updates are the same in each clock, because if an update and its negative alternated, every second
     * clock would have sums of zero.
     */
    TableShape shape() {
        if (policy != null && table.source() instanceof Distribution) {
            return table.repeated();
        }
        return Zlib.NAME.equals(compressor) ? table.shortened(ZLIB_ELEMENTS) : table;
    }

    @Override
    public String name() {
        return kernel() + (values == null ? "" : " " + values.configName());
    }

    @Override
    public long elements() {
        return shape().elements();
    }

    @Override
    public int cycle() {
        return shape().clocks();
    }

    @Override
    public long memory() {
        return shape().memory();
    }

    @Override
    public List<String> jvmOptions() {
        return List.of("-XX:MaxVectorSize=" + runBits / Byte.SIZE);
    }

    @Override
    public List<Benchmark> prepare() {
        return IntStream.range(0, table.threads()).mapToObj(this::prepare).toList();
    }

    Benchmark prepare(int thread) {
        TableShape shape = shape();
        return switch (job) {
            case BRANCHING_LOOP -> new ArrayLoops(shape, thread, ArrayLoops.branching(shape.threshold()));
            case PAPER_PAIRS ->
                new ArrayLoops(
                        shape,
                        thread,
                        ArrayLoops.paperPairs(
                                shape.threshold(),
                                Zlib.orNamed(compressor),
                                new FrameBuffer(ArrayLoops.pairsLength())));
            case THRESHOLD_ENCODER ->
                new ArrayLoops(
                        shape, thread, ArrayLoops.thresholdEncoder(shape.threshold(), new int[TableShape.SLICE]));
            default -> {
                OffHeapTable memory = new OffHeapTable(shape, thread);
                FrameBuffer room = new FrameBuffer(BlockFormat.maxLength(TableShape.SLICE));
                List<Benchmark> others =
                        others().stream().map(other -> other.on(memory, room)).toList();
                yield new Compared(memory, on(memory, room), others);
            }
        };
    }

    /**
     * A benchmark that alternates with others on one table.
     *
     * @param others the benchmarks with which it is compared; they leave the residual as it does, or unchanged
     */
    record Compared(OffHeapTable table, Benchmark own, List<Benchmark> others) implements Benchmark {
        @Override
        public void pass(Tally tally) {
            own.pass(tally);
        }

        @Override
        public void move() {
            table.move();
        }

        @Override
        public void close() {
            table.close();
        }
    }

    /** The library's work, or a pass to compare it with, on a table. */
    private Benchmark on(OffHeapTable memory, FrameBuffer room) {
        return switch (job) {
            case AXPY -> slices(memory, FilterSteps.axpy());
            case FILTER_BITMAP ->
                slices(memory, FilterSteps.bitmap(FilterSteps.pass(kernels()), table.threshold(), room));
            case C_LOOP -> slices(memory, FilterSteps.bitmap(new CLoop(runBits), table.threshold(), room));
            case FILTER -> slices(memory, FilterSteps.filter(filter(kernels()), table.threshold()));
            case ADD_ENCODE -> slices(memory, FilterSteps.addAndEncode(filter(kernels()), table.threshold()));
            case POLICY -> slices(memory, FilterSteps.policy(table.part(), kernels(), values, policy));
            case PAPER -> {
                BlockCompressor own = Zlib.orNamed(compressor);
                yield slices(memory, FilterSteps.paper(own, table.threshold(), FilterSteps.roomFor(own)));
            }
            case PAPER_APPLY -> {
                SliceBenchmark.Step step = FilterSteps.paperApply(table, memory, Zlib.orNamed(compressor));
                memory.residual().fill((byte) 0);
                yield slices(memory, step);
            }
            case APPLY -> {
                FrameLog frames = FilterSteps.frames(table, memory, filter(Kernels.preferred()));
                memory.residual().fill((byte) 0);
                yield new ApplyBenchmark(table, frames, kernels(), memory::residual);
            }
            default -> throw new IllegalStateException(name() + " has a table of its own");
        };
    }

    private SliceFilter filter(Kernels kernels) {
        long rate = linkRate == null ? 0 : LinkRate.parse("link rate", linkRate);
        return new SliceFilter(kernels, values, BlockFormat.MAX_ELEMENTS, rate);
    }

    private Kernels kernels() {
        return scalar ? Kernels.scalar() : Kernels.vector();
    }

    private Benchmark slices(OffHeapTable memory, SliceBenchmark.Step step) {
        return new SliceBenchmark(shape(), memory, step);
    }
}
