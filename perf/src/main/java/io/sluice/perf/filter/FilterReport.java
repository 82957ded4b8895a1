package io.sluice.perf.filter;

import static io.sluice.perf.report.TextTable.cell;

import io.sluice.perf.report.Plot;
import io.sluice.perf.report.Row;
import io.sluice.perf.report.TextTable;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;

/** The rows for people: tables and plots. */
final class FilterReport {
    private static final double MEGA = 1e6;
    private static final double PERCENT = 100;

    /** Quartiles further apart than this share of the median are worth a word. */
    private static final double WIDE = 0.2;

    private FilterReport() {}

    /** Prints the table of one race. */
    static void print(List<Row> rows, PrintWriter out) {
        TextTable table = new TextTable(
                3,
                "kernel",
                "values",
                "format",
                "kept %",
                "M el/s",
                "quartiles",
                "ms",
                "x axpy",
                "x loop",
                "x paper",
                "bytes",
                "/ dense",
                "/ paper");
        for (Row row : rows) {
            Double kept = row.keptMeasured();
            table.add(
                    row.kernel(),
                    row.values() == null ? "-" : row.values(),
                    row.format() == null ? "-" : row.format(),
                    cell("%.2f", kept == null ? null : PERCENT * kept),
                    cell("%,.0f", row.elementsPerSecond() / MEGA),
                    String.format("%,.0f-%,.0f", row.quartileLow() / MEGA, row.quartileHigh() / MEGA),
                    cell("%.2f", row.milliseconds()),
                    cell("%.2f", row.ratioToAxpy()),
                    cell("%.1f", row.ratioToScalar()),
                    cell("%.1f", row.speedRatioToPaper()),
                    cell("%,d", row.bytesOut()),
                    cell("%.4f", row.bytesRatioToDense()),
                    cell("%.3f", row.bytesRatioToPaper()));
        }
        table.print(out);
        String noisy = String.join(
                ", ",
                rows.stream()
                        .filter(FilterReport::isNoisy)
                        .map(FilterReport::name)
                        .toList());
        if (!noisy.isEmpty()) {
            out.printf("  WARNING: the quartiles are more than %.0f %% apart: %s%n", PERCENT * WIDE, noisy);
        }
    }

    private static boolean isNoisy(Row row) {
        return row.quartileHigh() - row.quartileLow() > WIDE * row.elementsPerSecond();
    }

    private static String name(Row row) {
        return row.kernel() + (row.values() == null ? "" : " " + row.values());
    }

    /**
     * Draws speed and size over the kept share, each to a file of its own.
     *
     * @param rows of all races over tables of one length
     * @param file gets {@code -speed} and {@code -size} before its ending
     * @return the files written
     */
    static List<Path> plot(List<Row> rows, Path file) throws IOException {
        String table = String.format(
                "%,d elements, %s", rows.getFirst().elements(), rows.getFirst().data());
        Plot speed = new Plot("Speed: " + table, Plot.KEPT, "million elements a second");
        Plot size = new Plot("Size: " + table, Plot.KEPT, "bytes out / bytes of dense f32");
        for (String name : rows.stream().map(FilterReport::name).distinct().toList()) {
            speed.curve(name, points(rows, name, row -> row.elementsPerSecond() / MEGA));
            if (!name.contains("scalar") && !name.contains("bitmap")) {
                size.curve(name, points(rows, name, Row::bytesRatioToDense));
            }
        }
        List<Path> written = new ArrayList<>();
        for (Plot plot : List.of(speed, size)) {
            Path path = Plot.named(file, plot == speed ? "speed" : "size");
            if (!plot.isEmpty()) {
                plot.write(path);
                written.add(path);
            }
        }
        return written;
    }

    private static SortedMap<Double, Double> points(List<Row> rows, String name, Function<Row, Double> figure) {
        SortedMap<Double, Double> points = new TreeMap<>();
        for (Row row : rows) {
            if (name(row).equals(name) && figure.apply(row) != null) {
                points.put(row.kept(), figure.apply(row));
            }
        }
        return points;
    }
}
