package io.sluice.perf.filter;

import io.sluice.codecs.FrameBuffer;
import io.sluice.codecs.api.BlockFormat;
import io.sluice.codecs.api.ValueType;
import io.sluice.filter.SliceFilter;
import io.sluice.filter.kernel.Kernels;
import io.sluice.messaging.LinkRate;
import io.sluice.perf.benchmark.Benchmark;
import io.sluice.perf.benchmark.BenchmarkSpec;
import io.sluice.perf.codecs.ApplyBenchmark;
import io.sluice.perf.codecs.ByteCodec;
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
 * @param job work on each slice
 * @param scalar whether the library's kernels in plain Java do it, without branches
 * @param values type of the values; {@code null} if the library does not encode
 * @param compressor name of the compressor; {@code null} for none
 * @param policy policy that chooses the threshold; {@code null} for the fixed one of the shape
 * @param linkRate rate of the links that blocks are made for; {@code null} for slow ones
 * @param table table of the group
 * @param widthBits width bits of the registers
 */
record FilterSpec(
        FilterJob job,
        boolean scalar,
        ValueType values,
        String compressor,
        String policy,
        String linkRate,
        TableShape table,
        int widthBits)
        implements BenchmarkSpec {
    /** Longest table for zlib, which takes seconds where other compressors take milliseconds. */
    private static final long ZLIB_ELEMENTS = 1 << 20;

    /** All variants, in the order of the table. */
    static List<FilterSpec> all(
            TableShape shape, List<ValueType> types, List<String> policies, List<String> linkRates, int widthBits) {
        List<FilterSpec> all = new ArrayList<>();
        all.add(of(FilterJob.AXPY, null, shape, widthBits));
        all.add(of(FilterJob.BRANCHING_LOOP, null, shape, Integer.SIZE));
        for (boolean scalar : new boolean[] {false, true}) {
            int width = scalar ? Integer.SIZE : widthBits;
            all.add(library(FilterJob.FILTER_BITMAP, scalar, ValueType.F32, shape, width));
            types.forEach(type -> all.add(library(FilterJob.FILTER, scalar, type, shape, width)));
            all.add(library(FilterJob.ADD_ENCODE, scalar, ValueType.F32, shape, width));
            types.forEach(type -> all.add(library(FilterJob.APPLY, scalar, type, shape, width)));
        }
        policies.forEach(policy ->
                all.add(new FilterSpec(FilterJob.POLICY, false, ValueType.F32, null, policy, null, shape, widthBits)));
        for (String rate : linkRates) {
            for (ValueType type : types) {
                all.add(new FilterSpec(FilterJob.FILTER, false, type, null, null, rate, shape, widthBits));
                all.add(new FilterSpec(FilterJob.APPLY, false, type, null, null, rate, shape, widthBits));
            }
        }
        for (String compressor : List.of("snappy", "lz4", "zstd", ByteCodec.ZLIB)) {
            all.add(of(FilterJob.PAPER, compressor, shape, widthBits));
        }
        all.add(of(FilterJob.PAPER_PAIRS, "snappy", shape, Integer.SIZE));
        all.add(of(FilterJob.PAPER_APPLY, "snappy", shape, widthBits));
        all.add(of(FilterJob.THRESHOLD_ENCODER, null, shape, Integer.SIZE));
        return all;
    }

    private static FilterSpec library(
            FilterJob job, boolean scalar, ValueType values, TableShape shape, int widthBits) {
        return new FilterSpec(job, scalar, values, null, null, null, shape, widthBits);
    }

    /** The filter's pass in C. */
    static FilterSpec cLoop(TableShape shape, int widthBits) {
        return of(FilterJob.C_LOOP, null, shape, widthBits);
    }

    private static FilterSpec of(FilterJob job, String compressor, TableShape shape, int widthBits) {
        return new FilterSpec(job, false, null, compressor, null, null, shape, widthBits);
    }

    /** The name in tables, plots and JSON, without the type of the values. */
    String kernel() {
        String variant = Stream.of(compressor, policy, linkRate)
                .filter(Objects::nonNull)
                .map(each -> "-" + each)
                .collect(Collectors.joining());
        return job.configName() + variant + (scalar ? "-scalar" : "");
    }

    /** The table of the job: shorter if the job is too slow for all of it, but still longer than any cache. */
    TableShape shape() {
        return ByteCodec.ZLIB.equals(compressor) ? table.shortened(ZLIB_ELEMENTS) : table;
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
        return table.source().clocks();
    }

    @Override
    public long memory() {
        return shape().memory();
    }

    @Override
    public List<String> jvmOptions() {
        return widthBits <= Integer.SIZE ? List.of() : List.of("-XX:MaxVectorSize=" + widthBits / Byte.SIZE);
    }

    @Override
    public List<Benchmark> prepare() {
        return IntStream.range(0, table.threads()).mapToObj(this::prepare).toList();
    }

    /** The benchmark of one thread. */
    Benchmark prepare(int thread) {
        TableShape shape = shape();
        return switch (job) {
            case AXPY -> slices(thread, FilterSteps.plainPass());
            case BRANCHING_LOOP -> new BranchingBenchmark(shape, thread);
            case FILTER_BITMAP ->
                slices(thread, FilterSteps.bitmap(FilterSteps.pass(kernels()), shape.threshold(), newFrameBuffer()));
            case C_LOOP ->
                slices(thread, FilterSteps.bitmap(new CLoop(widthBits), shape.threshold(), newFrameBuffer()));
            case FILTER -> slices(thread, FilterSteps.filter(filter(kernels()), shape.threshold()));
            case ADD_ENCODE -> slices(thread, FilterSteps.addAndEncode(filter(kernels()), shape.threshold()));
            case POLICY -> slices(thread, new PolicyStep(shape.part(), kernels(), values, policy));
            case APPLY ->
                new ApplyBenchmark(shape, FilterSteps.frames(shape, thread, filter(Kernels.preferred())), kernels());
            case PAPER -> new PaperPath(shape, thread, ByteCodec.named(compressor));
            case PAPER_PAIRS -> new PaperPairs(shape, thread, ByteCodec.named(compressor));
            case PAPER_APPLY -> new PaperApply(shape, thread, ByteCodec.named(compressor));
            case THRESHOLD_ENCODER -> new ThresholdEncoder(shape, thread);
        };
    }

    private static FrameBuffer newFrameBuffer() {
        return new FrameBuffer(BlockFormat.maxLength(TableShape.SLICE));
    }

    private SliceFilter filter(Kernels kernels) {
        long rate = linkRate == null ? 0 : LinkRate.parse("link rate", linkRate);
        return new SliceFilter(kernels, values, BlockFormat.MAX_ELEMENTS, rate);
    }

    private Kernels kernels() {
        return scalar ? Kernels.scalar() : Kernels.vector();
    }

    private Benchmark slices(int thread, SliceBenchmark.Step step) {
        return new SliceBenchmark(shape(), thread, step);
    }
}
