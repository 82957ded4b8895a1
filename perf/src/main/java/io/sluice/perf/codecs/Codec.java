package io.sluice.perf.codecs;

import io.sluice.codecs.api.ValueType;
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
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;

/** Measures every combination of format, values and compressor for a slice. */
public final class Codec extends BenchmarkExperiment<CodecSpec> {
    private static final Parameter<List<ValueType>> VALUES = UpdateParameters.values("all");
    private static final Parameter<List<String>> COMPRESSORS = Parameter.choice(
                    "compressors", null, List.of("none", "lz4", "snappy", "zstd"))
            .several("none,lz4,snappy,zstd")
            .help("Compressors of the block");
    private static final Parameter<Map<String, Double>> LINK = Parameter.of("link", "RATE", null, Codec::links)
            .help("Links of these rates, such as 1gbit: name what is fastest to encode, send and decode");

    public static final Scenario SCENARIO = new Scenario(
            "codec",
            List.of(
                    "Measures every block format with every type of values and every compressor.",
                    "On slices that stay in the cache: bytes, and the rates of encoding (bitmap and f32 values to a"
                            + " sealed frame) and of decoding (frame to replica), next to the Parameter Flow paper's"
                            + " path, a zero-filled dense array through snappy. The defaults take about ten minutes."),
            7,
            UpdateParameters.and(VALUES, COMPRESSORS, LINK, ONE_JVM, QUICK),
            new Layout(
                            row -> new TableSize((long) row.number("elements")).words() + ", "
                                    + TextTable.share(row.number("kept")) + " of the elements to be kept, "
                                    + row.text("data"),
                            columns(),
                            List.of(
                                    curves("size", "Size", CodecSpec.ENCODE, "bits_per_kept", 1),
                                    curves("encode", "Encode", CodecSpec.ENCODE, "elements_per_second", 1 / MEGA),
                                    curves("decode", "Decode", CodecSpec.DECODE, "elements_per_second", 1 / MEGA)))
                    .showing(
                            row -> row.text("kernel").equals(CodecSpec.ENCODE) ? List.of(row) : List.of(),
                            Comparator.comparingDouble(row -> row.number("bytes_out")))
                    .legend(
                            "M el/s: elements of the slice, kept or not; bytes: payloads of the frames, without their"
                                    + " headers",
                            "x paper, / paper: over dense f32 snappy in the same run; a compressor that saves nothing"
                                    + " is not used",
                            "blocks longer than a frame may carry, for which there is always a shorter one, are left"
                                    + " out"),
            Codec::new);

    private final UpdateSource source;
    private final Queue<Double> shares;

    private Codec(Settings settings) throws IOException {
        super(settings);
        source = UpdateParameters.source(settings);
        shares = new ArrayDeque<>(UpdateParameters.kept(settings));
    }

    /** Payload bytes per second of each link, by name; headers of the network are not counted. */
    static Map<String, Double> links(String option, String text) {
        Map<String, Double> links = new LinkedHashMap<>();
        for (String word : text.split(",")) {
            long bits = LinkRate.parse(option, word);
            if (bits < 1) {
                throw Parameter.refusal(option, word, "more than that");
            }
            links.put(word, (double) bits / Byte.SIZE);
        }
        return links;
    }

    private static List<Column> columns() {
        return Column.list(
                Column.facts("kernel", "elements", "kept"),
                Column.mean("kept_measured", "kept_measured"),
                Column.facts("data", "threads", "width_bits"),
                Column.fact("format").shown("indices"),
                Column.fact("values").shown("values"),
                Column.fact("compressor").shown("compressor"),
                Column.derived("milliseconds", row -> 1e3 * row.number("elements") / row.number("elements_per_second")),
                Column.figure(
                                "bytes_out",
                                "bytes",
                                bytes -> Math.round(
                                        Arrays.stream(bytes).average().orElseThrow()))
                        .shown("bytes", "%,.0f"),
                Column.mean("bits_per_kept", "bits_per_kept").shown("bits/kept", "%.2f"),
                Column.mean("bytes_ratio_to_dense", "bytes_ratio_to_dense").shown("/ dense", "%.4f"),
                Column.derived("bytes_ratio_to_paper", (row, rows) -> overPaper(row, rows, "bytes_ratio_to_dense"))
                        .shown("/ paper", "%.3f"),
                Column.median("elements_per_second").shown("encode M el/s", "%,.0f", 1 / MEGA),
                Column.low("quartile_low", "elements_per_second"),
                Column.high("quartile_high", "elements_per_second"),
                // Not applicable, but in the JSON, so that rows have the same fields as those of the filter.
                Column.facts("ratio_to_axpy", "ratio_to_scalar"),
                Column.derived("speed_ratio_to_paper", (row, rows) -> overPaper(row, rows, "elements_per_second"))
                        .shown("x paper", "%.1f"),
                Column.derived(
                                "decode_elements_per_second",
                                (row, rows) -> decoding(row, rows).number("elements_per_second"))
                        .shown("decode M el/s", "%,.0f", 1 / MEGA),
                Column.derived(
                                "decode_speed_ratio_to_paper",
                                (row, rows) -> overPaper(decoding(row, rows), rows, "elements_per_second"))
                        .shown("x paper", "%.1f"));
    }

    private static double overPaper(Row row, List<Row> rows, String column) {
        return row.over(row.partner(rows, Codec::isPaper, "kernel", "kept"), column);
    }

    private static Row decoding(Row row, List<Row> rows) {
        return row.partner(
                rows, each -> each.text("kernel").equals(CodecSpec.DECODE), "kept", "format", "values", "compressor");
    }

    private static boolean isPaper(Row row) {
        return name(row).equals(Combination.PAPER.configName());
    }

    /** The name of a row: format, values, and compressor if any. */
    static String name(Row row) {
        String compressor = row.text("compressor");
        return row.text("format") + " " + row.text("values") + (compressor.equals("none") ? "" : " " + compressor);
    }

    /** Makes curves over the kept share, of uncompressed combinations and of the paper's. */
    private static Curves curves(String word, String title, String direction, String column, double scale) {
        return new Curves(
                        word,
                        row -> title + ": " + row.text("data"),
                        new Curves.Axis("kept", UpdateParameters.KEPT_AXIS, 1),
                        new Curves.Axis(
                                column,
                                column.equals("bits_per_kept")
                                        ? "bits on the wire for each value kept"
                                        : "million elements a second",
                                scale),
                        row -> isPaper(row) ? "paper: " + name(row) : name(row))
                .of(row -> row.text("kernel").equals(direction)
                        && (isPaper(row) || row.text("compressor").equals("none")));
    }

    @Override
    protected Pace pace(CodecSpec spec) {
        return Pace.SLICES;
    }

    @Override
    protected List<CodecSpec> group(List<Row> rows) {
        if (shares.isEmpty()) {
            return List.of();
        }
        long elements = Math.min(source.maxElements(), (long) FilteredSlices.MOST * TableShape.SLICE);
        TableShape shape = TableShape.of(source, elements, shares.remove(), 1);
        return CodecSpec.all(Combination.all(shape, get(VALUES), get(COMPRESSORS)), shape);
    }

    @Override
    protected Sample sample(CodecSpec spec, Turn turn) {
        double passes = turn.passes();
        Sample sample = new Sample()
                .fact("kernel", spec.direction())
                .fact("elements", spec.elements())
                .fact("kept", spec.shape().kept())
                .fact("data", source.label())
                .fact("threads", 1)
                .fact("width_bits", Machine.preferredVectorBits())
                .fact("format", spec.combination().formatWord())
                .fact("values", spec.combination().values().configName())
                .fact("compressor", spec.combination().compressor())
                .figure("elements_per_second", spec.elements() * NS / turn.nanosPerPass())
                .figure("kept_measured", turn.values() / passes / spec.elements())
                .figure("bytes", turn.bytes() / passes)
                .figure("bytes_ratio_to_dense", turn.bytes() / passes / spec.elements() / Float.BYTES);
        return turn.values() == 0
                ? sample
                : sample.figure("bits_per_kept", (double) Byte.SIZE * turn.bytes() / turn.values());
    }

    @Override
    public List<String> conclusions(List<Row> rows) {
        return Recommendations.of(rows, get(LINK) == null ? Map.of() : get(LINK));
    }
}
