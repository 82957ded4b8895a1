package io.sluice.perf.codecs;

import io.sluice.codecs.ValueType;
import io.sluice.perf.ExitCode;
import io.sluice.perf.options.OutputOptions;
import io.sluice.perf.options.RaceOptions;
import io.sluice.perf.options.TableSize;
import io.sluice.perf.options.UpdateOptions;
import io.sluice.perf.race.Pace;
import io.sluice.perf.race.Progress;
import io.sluice.perf.race.Race;
import io.sluice.perf.report.Row;
import io.sluice.perf.report.TextTable;
import io.sluice.perf.updates.TableShape;
import io.sluice.perf.updates.UpdateSource;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Measures every way a slice can go on the wire. */
@Command(
        name = "codec",
        description = {
            "Measures every block format with every type of values and every compressor.",
            "On slices that stay in the cache: bytes, and the rates of encoding (bitmap and f32 values to a sealed"
                + " frame) and of decoding (frame to replica), beside the Parameter Flow paper's path, a zero-filled"
                + " dense array through snappy. The defaults take about ten minutes."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false)
public final class CodecCommand implements Callable<Integer> {
    private static final List<String> COMPRESSORS = List.of("none", "lz4", "snappy", "zstd");

    @Spec
    private CommandSpec spec;

    @Mixin
    private UpdateOptions updates;

    @Option(
            names = "--values",
            paramLabel = "TYPE",
            split = ",",
            defaultValue = "all",
            description = "Types of values (${DEFAULT-VALUE}).")
    private List<String> values;

    @Option(
            names = "--compressors",
            paramLabel = "NAME",
            split = ",",
            defaultValue = "none,lz4,snappy,zstd",
            description = "Compressors of the block (${DEFAULT-VALUE}).")
    private List<String> compressors;

    @Option(
            names = "--link",
            paramLabel = "RATE",
            split = ",",
            description =
                    "Links of this rate, such as 1gbit: say what takes the least time to encode, send and decode.")
    private List<String> links = List.of();

    @Mixin
    private RaceOptions options;

    @Mixin
    private OutputOptions output;

    @Override
    public Integer call() throws IOException {
        List<Double> kept = updates.kept();
        List<ValueType> types = UpdateOptions.valueTypes("--values", values);
        checkCompressors();
        List<LinkSpeed> speeds = links.stream().map(LinkSpeed::parse).toList();
        Race race = options.race(Pace.SLICES);
        output.check();
        UpdateSource source = updates.source();
        PrintWriter out = spec.commandLine().getOut();
        options.introduce(output.machine(), out);
        Map<Double, List<CodecEntrant>> entrants = new LinkedHashMap<>();
        long elements = Math.min(source.maxElements(), (long) SplitSlices.MOST * TableShape.SLICE);
        String table = new TableSize(elements).words();
        for (double share : kept) {
            TableShape shape = TableShape.of(source, elements, share, 1);
            entrants.put(share, CodecEntrant.all(Combination.all(shape, types, compressors), shape));
        }
        Map<Double, List<CodecResult>> results = run(race, entrants, out);
        List<Row> rows = new ArrayList<>();
        List<String> recommendations = new ArrayList<>();
        results.forEach((share, ofShare) -> {
            CodecResult paper = paper(ofShare);
            out.printf("%n%s, %s of the elements to be kept, %s%n", table, TextTable.share(share), source.label());
            CodecReport.print(ofShare, paper, out);
            ofShare.forEach(result -> rows.addAll(result.rows(paper)));
            recommendations.addAll(Recommendations.of(share, ofShare, speeds));
        });
        out.println();
        recommendations.forEach(out::println);
        explain(out);
        output.writeJson(spec, rows, recommendations);
        if (output.plot() != null) {
            for (Path file : CodecReport.plot(rows, output.plot())) {
                out.println("drawn: " + file);
            }
        }
        return ExitCode.OK;
    }

    private void checkCompressors() {
        for (String name : compressors) {
            if (!COMPRESSORS.contains(name)) {
                throw new IllegalArgumentException(
                        "--compressors " + name + ": expected some of " + String.join(", ", COMPRESSORS));
            }
        }
    }

    private Map<Double, List<CodecResult>> run(Race race, Map<Double, List<CodecEntrant>> entrants, PrintWriter out)
            throws IOException {
        int steps = entrants.values().stream()
                .mapToInt(all -> race.steps(all.size()))
                .sum();
        Map<Double, List<CodecResult>> results = new LinkedHashMap<>();
        try (Progress progress = new Progress(out, steps)) {
            for (Map.Entry<Double, List<CodecEntrant>> ofShare : entrants.entrySet()) {
                options.checkMemory(ofShare.getValue());
                progress.task(TextTable.share(ofShare.getKey()) + " kept");
                results.put(ofShare.getKey(), CodecResult.of(race.run(ofShare.getValue(), progress)));
            }
        }
        return results;
    }

    private static CodecResult paper(List<CodecResult> results) {
        return results.stream()
                .filter(result -> result.combination().equals(Combination.PAPER))
                .findFirst()
                .orElseThrow();
    }

    private static void explain(PrintWriter out) {
        out.println();
        out.println(
                "  M el/s: elements of the slice, kept or not; bytes: payloads of the frames, without their headers");
        out.println("  x paper, / paper: over dense f32 snappy in the same run; a compressor that saves nothing is not"
                + " used");
        out.println("  what is longer than a frame may be, for which there is always something shorter, is left out");
        out.flush();
    }
}
