package io.sluice.perf.filter;

import io.sluice.codecs.BlockFormat;
import io.sluice.codecs.FrameBuffer;
import io.sluice.codecs.ValueType;
import io.sluice.perf.codecs.ByteCodec;
import io.sluice.perf.race.Contestant;
import io.sluice.perf.race.Entrant;
import io.sluice.perf.updates.TableShape;
import java.util.ArrayList;
import java.util.List;

/**
 * An entry for the race of filters.
 *
 * @param job what to do
 * @param kernels with which of the library's loops; {@code null} for what is not the library's
 * @param values type of the values; {@code null} likewise
 * @param compressor its name; {@code null} for none
 * @param policy that chooses the threshold; {@code null} for the fixed one of the shape
 * @param shape of the table
 * @param widthBits of the registers
 */
record FilterEntrant(
        FilterJob job,
        KernelChoice kernels,
        ValueType values,
        String compressor,
        String policy,
        TableShape shape,
        int widthBits)
        implements Entrant {
    /** zlib takes seconds for what the others do in milliseconds: it gets a table of this length at most. */
    private static final long ZLIB_ELEMENTS = 1 << 20;

    /** All entries, in the order of the report. */
    static List<FilterEntrant> all(TableShape shape, List<ValueType> types, List<String> policies, int widthBits) {
        List<FilterEntrant> all = new ArrayList<>();
        all.add(plain(FilterJob.AXPY, shape, widthBits));
        all.add(plain(FilterJob.BRANCHING_LOOP, shape, Integer.SIZE));
        for (KernelChoice kernels : KernelChoice.values()) {
            int width = kernels == KernelChoice.SCALAR ? Integer.SIZE : widthBits;
            all.add(library(FilterJob.FILTER_BITMAP, kernels, ValueType.F32, shape, width));
            types.forEach(type -> all.add(library(FilterJob.FILTER, kernels, type, shape, width)));
            all.add(library(FilterJob.ADD_ENCODE, kernels, ValueType.F32, shape, width));
            types.forEach(type -> all.add(library(FilterJob.APPLY, kernels, type, shape, width)));
        }
        for (String policy : policies) {
            all.add(new FilterEntrant(
                    FilterJob.POLICY, KernelChoice.VECTOR, ValueType.F32, null, policy, shape, widthBits));
        }
        for (String compressor : List.of("snappy", "lz4", ByteCodec.ZLIB)) {
            all.add(paper(FilterJob.PAPER, compressor, shape, widthBits));
        }
        all.add(paper(FilterJob.PAPER_PAIRS, "snappy", shape, Integer.SIZE));
        all.add(paper(FilterJob.PAPER_APPLY, "snappy", shape, widthBits));
        all.add(plain(FilterJob.THRESHOLD_ENCODER, shape, Integer.SIZE));
        return all;
    }

    private static FilterEntrant library(
            FilterJob job, KernelChoice kernels, ValueType values, TableShape shape, int widthBits) {
        return new FilterEntrant(job, kernels, values, null, null, shape, widthBits);
    }

    private static FilterEntrant paper(FilterJob job, String compressor, TableShape shape, int widthBits) {
        return new FilterEntrant(job, null, null, compressor, null, shape, widthBits);
    }

    private static FilterEntrant plain(FilterJob job, TableShape shape, int widthBits) {
        return new FilterEntrant(job, null, null, null, null, shape, widthBits);
    }

    /** Shortens the table where the job is too slow for it; what remains is still no cache's size. */
    FilterEntrant {
        if (ByteCodec.ZLIB.equals(compressor) && shape.elements() > ZLIB_ELEMENTS) {
            shape = shape.shortened(ZLIB_ELEMENTS);
        }
    }

    /** The name in tables, plots and JSON, without the type of the values. */
    String kernel() {
        String twin = kernels == KernelChoice.SCALAR ? "-scalar" : "";
        String variant = compressor == null ? policy : compressor;
        return job.configName() + (variant == null ? "" : "-" + variant) + twin;
    }

    @Override
    public String name() {
        return kernel() + (values == null ? "" : " " + values.configName());
    }

    @Override
    public long elements() {
        return shape.elements();
    }

    @Override
    public int cycle() {
        return shape.source().clocks();
    }

    @Override
    public int threads() {
        return shape.threads();
    }

    @Override
    public long memory() {
        return shape.memory();
    }

    @Override
    public List<String> jvmOptions() {
        return widthBits <= Integer.SIZE ? List.of() : List.of("-XX:MaxVectorSize=" + widthBits / Byte.SIZE);
    }

    @Override
    public Contestant prepare(int thread) {
        return switch (job) {
            case AXPY -> slices(thread, FilterSteps.plainPass());
            case BRANCHING_LOOP -> new BranchingContestant(shape, thread);
            case FILTER_BITMAP -> slices(thread, FilterSteps.bitmap(kernels.create(), shape.threshold(), room()));
            case FILTER -> slices(thread, FilterSteps.filter(kernels.create(), values, shape.threshold()));
            case ADD_ENCODE -> slices(thread, FilterSteps.addAndEncode(kernels.create(), values, shape.threshold()));
            case POLICY -> slices(thread, new PolicyStep(shape.part(), kernels.create(), values, policy));
            case APPLY -> new ApplyContestant(shape, thread, kernels.create(), values);
            case PAPER -> new PaperPath(shape, thread, ByteCodec.named(compressor));
            case PAPER_PAIRS -> new PaperPairs(shape, thread, ByteCodec.named(compressor));
            case PAPER_APPLY -> new PaperApply(shape, thread, ByteCodec.named(compressor));
            case THRESHOLD_ENCODER -> new ThresholdEncoder(shape, thread);
        };
    }

    private static FrameBuffer room() {
        return new FrameBuffer(BlockFormat.maxLength(TableShape.SLICE));
    }

    private Contestant slices(int thread, SliceContestant.Step step) {
        return new SliceContestant(shape, thread, step);
    }
}
