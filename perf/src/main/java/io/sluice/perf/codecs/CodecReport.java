package io.sluice.perf.codecs;

import static io.sluice.perf.report.TextTable.cell;

import io.sluice.perf.report.Plot;
import io.sluice.perf.report.Row;
import io.sluice.perf.report.TextTable;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;

/** The results for people: tables and plots. */
final class CodecReport {
    private static final double MEGA = 1e6;

    private CodecReport() {}

    /** Prints the results of one race, the shortest first. */
    static void print(List<CodecResult> results, CodecResult paper, PrintWriter out) {
        TextTable table = new TextTable(
                3,
                "indices",
                "values",
                "compressor",
                "bytes",
                "bits/kept",
                "/ dense",
                "/ paper",
                "encode M el/s",
                "x paper",
                "decode M el/s",
                "x paper");
        List<CodecResult> ordered = results.stream()
                .sorted(Comparator.comparingDouble(CodecResult::bytesPerElement))
                .toList();
        for (CodecResult result : ordered) {
            Row encode = result.rows(paper).getFirst();
            Row decode = result.rows(paper).getLast();
            table.add(
                    encode.format(),
                    encode.values(),
                    encode.compressor(),
                    cell("%,d", encode.bytesOut()),
                    cell("%.2f", encode.bitsPerKept()),
                    cell("%.4f", encode.bytesRatioToDense()),
                    cell("%.3f", encode.bytesRatioToPaper()),
                    cell("%,.0f", encode.elementsPerSecond() / MEGA),
                    cell("%.1f", encode.speedRatioToPaper()),
                    cell("%,.0f", decode.elementsPerSecond() / MEGA),
                    cell("%.1f", decode.speedRatioToPaper()));
        }
        table.print(out);
    }

    /**
     * Draws size and speed over the kept share, of what is not compressed and of the paper's.
     *
     * @param rows of all races
     * @param file gets {@code -size}, {@code -encode} and {@code -decode} before its ending
     * @return the files written
     */
    static List<Path> plot(List<Row> rows, Path file) throws IOException {
        Plot size = new Plot("Size: " + rows.getFirst().data(), Plot.KEPT, "bits on the wire for each value kept");
        Plot encode = new Plot("Encode: " + rows.getFirst().data(), Plot.KEPT, "million elements a second");
        Plot decode = new Plot("Decode: " + rows.getFirst().data(), Plot.KEPT, "million elements a second");
        List<Row> drawn = rows.stream()
                .filter(row -> row.compressor().equals("none") || isPaper(row))
                .toList();
        for (String name : drawn.stream().map(CodecReport::name).distinct().toList()) {
            size.curve(name, points(drawn, "encode", name, Row::bitsPerKept));
            encode.curve(name, points(drawn, "encode", name, row -> row.elementsPerSecond() / MEGA));
            decode.curve(name, points(drawn, "decode", name, row -> row.elementsPerSecond() / MEGA));
        }
        if (size.isEmpty()) {
            return List.of();
        }
        List<Path> files = List.of(Plot.named(file, "size"), Plot.named(file, "encode"), Plot.named(file, "decode"));
        size.write(files.get(0));
        encode.write(files.get(1));
        decode.write(files.get(2));
        return files;
    }

    private static boolean isPaper(Row row) {
        return row.format().equals(Combination.PAPER.formatWord())
                && row.values().equals(Combination.PAPER.values().configName())
                && row.compressor().equals(Combination.PAPER.compressor());
    }

    private static String name(Row row) {
        return isPaper(row) ? "paper: dense f32 snappy" : row.format() + " " + row.values();
    }

    private static SortedMap<Double, Double> points(
            List<Row> rows, String kernel, String name, Function<Row, Double> figure) {
        SortedMap<Double, Double> points = new TreeMap<>();
        for (Row row : rows) {
            if (row.kernel().equals(kernel) && name(row).equals(name) && figure.apply(row) != null) {
                points.put(row.kept(), figure.apply(row));
            }
        }
        return points;
    }
}
