package io.sluice.perf.filter;

import io.sluice.codecs.api.ValueType;
import io.sluice.codecs.spi.BlockFormat;
import io.sluice.filter.policy.FilterPolicies;
import io.sluice.messaging.LinkRate;
import io.sluice.perf.benchmark.BenchmarkExperiment;
import io.sluice.perf.benchmark.Pace;
import io.sluice.perf.benchmark.Turn;
import io.sluice.perf.experiment.Column;
import io.sluice.perf.experiment.Curves;
import io.sluice.perf.experiment.Layout;
import io.sluice.perf.experiment.Parameter;
import io.sluice.perf.experiment.Row;
import io.sluice.perf.experiment.Sample;
import io.sluice.perf.experiment.Scenario;
import io.sluice.perf.experiment.Settings;
import io.sluice.perf.experiment.TableSize;
import io.sluice.perf.report.Machine;
import io.sluice.perf.report.TextTable;
import io.sluice.perf.updates.TableShape;
import io.sluice.perf.updates.UpdateParameters;
import io.sluice.perf.updates.UpdateSource;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Measures filtering and applying against the axpy loop, the loop with a branch and the paper's path. */
public final class Filter extends BenchmarkExperiment<FilterSpec> {

    /** Distance of the quartiles, as a share of the median, above which a warning is given. */
    private static final double WIDE = 0.2;

    private static final Parameter<List<TableSize>> SIZE = Parameter.size("size", null)
            .several()
            .help("Tables: 64mib of f32, 2^24 elements (default 64mib, or the length of the recorded updates)");
    private static final Parameter<List<ValueType>> VALUES = UpdateParameters.values("f32,bf16");
    private static final Parameter<List<String>> POLICY = Parameter.of("policy", "POLICY", null, Filter::policy)
            .several()
            .help("Also filter with the threshold that this policy chooses, such as density:0.01,topk:0.01");
    private static final Parameter<List<String>> LINK_RATE = Parameter.of("link-rate", "RATE", null, Filter::linkRate)
            .several()
            .help("Also filter and apply blocks that are made for links of this rate, such as 10gbit");
    private static final Parameter<List<String>> KERNELS = Parameter.of("kernels", "KERNEL", null, (_, text) -> text)
            .several()
            .help("Run only these, such as filter-bitmap,apply (default: all); axpy and c-loop belong to"
                    + " filter-bitmap");
    private static final Parameter<Boolean> C_LOOP = Parameter.flag("c-loop")
            .help("Also run the filter's pass as a loop in C with intrinsics; needs cc and AVX2");
    private static final Parameter<Integer> WIDTH = Parameter.of("width", "BITS", null, Filter::width)
            .help("Vector registers of 128, 256 or 512 bits (default: what the processor prefers)");
    private static final Parameter<Integer> THREADS =
            Parameter.whole("threads", 1, 1, 2).help("Threads that share each table, 1 or 2");

    public static final Scenario SCENARIO = new Scenario(
            "filter",
            List.of(
                    "Measures how fast updates are filtered and applied, and how small they get.",
                    "Variants are compared with an axpy loop (y += a * x), a scalar loop with a branch, and the path"
                        + " of the Parameter Flow paper (zero-filled dense array, compressed). All filter the same"
                        + " tables, add the update to a residual and write back what is not kept. Variants take turns,"
                        + " each in a JVM of its own; in it, a variant of the library and the loop in C alternate with"
                        + " the axpy loop on the same memory, whose location changes before each turn. The defaults"
                        + " take about five minutes."),
            7,
            UpdateParameters.and(SIZE, VALUES, POLICY, LINK_RATE, KERNELS, C_LOOP, WIDTH, THREADS, ONE_JVM, QUICK),
            new Layout(Filter::title, columns(), List.of(speed(), size()))
                    .legend(
                            "axpy           y += a * x over update and residual, on the Vector API",
                            "branching-loop the filter as a scalar loop with an if, to a bitmap and values",
                            "c-loop         the filter as a loop in C with intrinsics, to a bitmap and values",
                            "filter         update and residual to the shortest block; -bitmap: and no further than a"
                                    + " bitmap;",
                            "               -scalar: the same kernel in plain Java",
                            "add-encode     the same as a server does it: adds the update, then encodes the sum in"
                                    + " place",
                            "policy-        filter with the threshold that the policy chooses",
                            "filter-RATE    filter to a block for links of that rate",
                            "apply          frame opened, checked and added to a replica; its x paper is to"
                                    + " paper-apply",
                            "paper          zero-filled dense array and compressor (zlib: on 4 MiB of the table at"
                                    + " most)",
                            "paper-pairs    int indices and values and compressor, which the paper uses below 20 %"
                                    + " kept",
                            "threshold-     signed indices that mean plus or minus the threshold, as"
                                    + " Deeplearning4j",
                            "  encoder      sends them: a plain loop",
                            "x axpy, x C: speed relative to axpy, c-loop in the same round on the same memory: median"
                                    + " and",
                            "             quartiles; without quartiles: relative to the median of axpy, in another JVM",
                            "x loop, x paper: speed relative to branching-loop, paper-snappy in the same run",
                            "/ dense, / paper: bytes relative to dense f32, and to paper-snappy in the same run"),
            Filter::new);

    private final int widthBits;
    private final UpdateSource source;
    private final Queue<Group> groups = new ArrayDeque<>();

    /** Variants that are compared with each other. */
    private record Group(long elements, double kept) {}

    private Filter(Settings settings) throws IOException {
        super(settings);
        int preferred = Machine.preferredVectorBits();
        widthBits = get(WIDTH) == null ? preferred : get(WIDTH);
        if (widthBits > preferred) {
            throw Parameter.refusal(WIDTH.option(), widthBits, "up to " + preferred + " on this machine");
        }
        if (get(C_LOOP)) {
            new CLoop(widthBits); // refused now, not after minutes
        }
        source = UpdateParameters.source(settings);
        requireKnown(all(KERNELS));
        for (TableSize size : tables(get(SIZE))) {
            UpdateParameters.kept(settings).forEach(kept -> groups.add(new Group(size.elements(), kept)));
        }
    }

    private Stream<FilterSpec> specs(TableShape shape) {
        return FilterSpec.all(shape, get(VALUES), all(POLICY), all(LINK_RATE), get(C_LOOP), widthBits).stream();
    }

    private void requireKnown(List<String> wanted) {
        List<String> known = specs(new TableShape(source, TableShape.UNIT, 0, 0, 1, false))
                .map(FilterSpec::kernel)
                .distinct()
                .toList();
        for (String kernel : wanted) {
            if (!known.contains(kernel)) {
                throw Parameter.refusal(KERNELS.option(), kernel, "some of " + String.join(", ", known));
            }
        }
    }

    private static String policy(String option, String text) {
        try {
            FilterPolicies.named(text);
            return text;
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(option + ": " + e.getMessage(), e);
        }
    }

    private static String linkRate(String option, String text) {
        LinkRate.parse(option, text);
        return text;
    }

    private static int width(String option, String text) {
        if (!List.of("128", "256", "512").contains(text)) {
            throw Parameter.refusal(option, text, "128, 256 or 512");
        }
        return Integer.parseInt(text);
    }

    private List<TableSize> tables(List<TableSize> sizes) {
        if (sizes == null) {
            boolean endless = source.maxElements() == Long.MAX_VALUE;
            return List.of(new TableSize(endless ? 1L << 24 : source.maxElements()));
        }
        for (TableSize size : sizes) {
            if (size.elements() > source.maxElements()) {
                throw new IllegalArgumentException("--size is " + size.elements() + " elements, and " + source.label()
                        + " has " + source.maxElements());
            }
        }
        return sizes;
    }

    private static List<Column> columns() {
        return Column.list(
                Column.fact("kernel").shown("kernel"),
                Column.facts("table_elements", "elements", "kept"),
                Column.fact("values").shown("values"),
                Column.figure("format", "formats", Filter::format).shown("format"),
                Column.mean("kept_measured", "kept_measured").shown("kept %", "%.2f", PERCENT),
                Column.facts("data", "threads", "width_bits", "compressor"),
                Column.median("elements_per_second").shown("M el/s", "%,.0f", 1 / MEGA),
                Column.quartiles("quartile_low", "quartile_high", "elements_per_second", "%,.0f", 1 / MEGA),
                Column.derived("milliseconds", row -> 1e3 * row.number("elements") / row.number("elements_per_second"))
                        .shown("ms", "%.2f"),
                Column.median("ratio_to_axpy"),
                // Variants with tables of their own: the ratio of medians.
                Column.derived(
                                "ratio_to_axpy",
                                (row, rows) -> row.has("ratio_to_axpy")
                                        ? row.get("ratio_to_axpy")
                                        : over(row, rows, "axpy", "elements_per_second"))
                        .shown("x axpy", "%.2f"),
                Column.quartiles("ratio_to_axpy", "%.2f", 1),
                Column.median("ratio_to_c_loop").shown("x C", "%.2f"),
                Column.quartiles("ratio_to_c_loop", "%.2f", 1),
                Column.derived(
                                "ratio_to_scalar",
                                (row, rows) -> isWayBack(row)
                                        ? Double.NaN
                                        : over(row, rows, "branching-loop", "elements_per_second"))
                        .shown("x loop", "%.1f"),
                Column.derived(
                                "speed_ratio_to_paper",
                                (row, rows) -> row.has("kept_measured")
                                        ? over(
                                                row,
                                                rows,
                                                isWayBack(row) ? "paper-apply-snappy" : "paper-snappy",
                                                "elements_per_second")
                                        : Double.NaN)
                        .shown("x paper", "%.1f"),
                Column.figure(
                                "bytes_out",
                                "bytes",
                                bytes -> Math.round(
                                        Arrays.stream(bytes).average().orElseThrow()))
                        .shown("bytes", "%,.0f"),
                Column.mean("bits_per_kept", "bits_per_kept"),
                Column.mean("bytes_ratio_to_dense", "bytes_ratio_to_dense").shown("/ dense", "%.4f"),
                Column.derived(
                                "bytes_ratio_to_paper",
                                (row, rows) -> over(row, rows, "paper-snappy", "bytes_ratio_to_dense"))
                        .shown("/ paper", "%.3f"));
    }

    /** A figure, divided by that of another kernel on the same table. */
    private static double over(Row row, List<Row> rows, String kernel, String column) {
        Row other = row.partner(rows, each -> each.text("kernel").equals(kernel), "table_elements", "kept");
        return row.over(other, column);
    }

    /** Whether a row measures the path from received bytes to the replica. */
    private static boolean isWayBack(Row row) {
        return row.text("kernel").contains("apply");
    }

    /** The format of all blocks, {@code mixed} if there were several. */
    private static String format(double[] bits) {
        int formats = Arrays.stream(bits).mapToInt(each -> (int) each).reduce(0, (one, other) -> one | other);
        return Integer.bitCount(formats) == 1
                ? BlockFormat.fromCode(Integer.numberOfTrailingZeros(formats))
                        .name()
                        .toLowerCase(Locale.ROOT)
                : "mixed";
    }

    private static String title(Row row) {
        return new TableSize((long) row.number("table_elements")).words() + ", " + TextTable.share(row.number("kept"))
                + " of the elements to be kept, " + row.text("data");
    }

    private static Curves speed() {
        return curves("speed", "Speed", "elements_per_second", "million elements a second", 1 / MEGA, _ -> true);
    }

    private static Curves size() {
        return curves(
                "size",
                "Size",
                "bytes_ratio_to_dense",
                "bytes out / bytes of dense f32",
                1,
                row -> !row.text("kernel").contains("scalar")
                        && !row.text("kernel").contains("bitmap"));
    }

    private static Curves curves(
            String word, String title, String column, String axis, double scale, Predicate<Row> drawn) {
        return new Curves(
                        word,
                        row -> String.format(
                                "%s: %,.0f elements, %s", title, row.number("table_elements"), row.text("data")),
                        new Curves.Axis("kept", UpdateParameters.KEPT_AXIS, 1),
                        new Curves.Axis(column, axis, scale),
                        Filter::name)
                .of(drawn)
                .in(row -> new TableSize((long) row.number("table_elements"))
                        .words()
                        .replace(' ', '-'));
    }

    private static String name(Row row) {
        return (row.text("kernel") + " " + row.text("values")).strip();
    }

    @Override
    protected Pace pace(FilterSpec spec) {
        return Pace.TABLES;
    }

    @Override
    protected List<FilterSpec> group(List<Row> rows) {
        if (groups.isEmpty()) {
            return List.of();
        }
        Group group = groups.remove();
        TableShape shape = TableShape.of(source, group.elements(), group.kept(), get(THREADS));
        return specs(shape)
                .filter(spec -> all(KERNELS).isEmpty() || all(KERNELS).contains(spec.kernel()))
                .toList();
    }

    /** Rows of their own have the axpy loop and the loop in C of the vector kernel's JVM. */
    @Override
    protected List<Sample> samples(FilterSpec spec, Turn turn) {
        List<FilterSpec> others = spec.others();
        List<Sample> samples = new ArrayList<>();
        for (int i = 0; i < others.size(); i++) {
            samples.add(compared(others.get(i), turn.others().get(i), others, turn.others()));
        }
        Sample own = compared(spec, turn, others, turn.others());
        samples.add(own);
        return spec.job() == FilterJob.FILTER_BITMAP && !spec.scalar() ? samples : List.of(own);
    }

    private Sample compared(FilterSpec spec, Turn turn, List<FilterSpec> others, List<Turn> turns) {
        Sample sample = sample(spec, turn);
        for (int i = 0; i < others.size(); i++) {
            String name = "ratio_to_" + others.get(i).job().name().toLowerCase(Locale.ROOT);
            sample.figure(name, turns.get(i).nanosPerPass() / turn.nanosPerPass());
        }
        return sample;
    }

    @Override
    protected Sample sample(FilterSpec spec, Turn turn) {
        double passes = turn.passes();
        double elements = spec.elements();
        Sample sample = new Sample()
                .fact("kernel", spec.kernel())
                .fact("table_elements", spec.table().elements())
                .fact("elements", spec.elements())
                .fact("kept", spec.shape().kept())
                .fact("values", spec.values() == null ? null : spec.values().configName())
                .fact("data", source.label())
                .fact("threads", get(THREADS))
                .fact("width_bits", spec.widthBits())
                .fact("compressor", spec.compressor())
                .figure("elements_per_second", elements * NS / turn.nanosPerPass());
        if (turn.formats() != 0) {
            sample.figure("formats", turn.formats());
        }
        if (spec.job() != FilterJob.AXPY) {
            sample.figure("kept_measured", turn.values() / passes / elements);
        }
        if (spec.job().makesBytes()) {
            sample.figure("bytes", turn.bytes() / passes)
                    .figure("bytes_ratio_to_dense", turn.bytes() / passes / (elements * Float.BYTES));
            if (turn.values() > 0) {
                sample.figure("bits_per_kept", (double) Byte.SIZE * turn.bytes() / turn.values());
            }
        }
        return sample;
    }

    /** Names the medians with a wide spread. */
    @Override
    public List<String> conclusions(List<Row> rows) {
        Map<String, List<String>> noisy = new LinkedHashMap<>();
        rows.stream()
                .filter(row -> row.number("quartile_high") - row.number("quartile_low")
                        > WIDE * row.number("elements_per_second"))
                .forEach(row -> noisy.computeIfAbsent(title(row), _ -> new ArrayList<>())
                        .add(name(row)));
        return noisy.entrySet().stream()
                .map(table -> String.format(
                        "WARNING: %s: the quartiles are more than %.0f %% apart: %s",
                        table.getKey(), PERCENT * WIDE, String.join(", ", table.getValue())))
                .toList();
    }
}
