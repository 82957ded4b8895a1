package io.sluice.perf.managed;

import static io.sluice.perf.report.TextTable.cell;

import io.sluice.perf.report.Plot;
import io.sluice.perf.report.TextTable;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** The rows for people: a table for each budget, and the loss over clocks as a plot like Boesen's figure 4. */
final class ManagedReport {
    private static final double MBIT = 1e6;
    private static final double PERCENT = 100;

    private ManagedReport() {}

    /** Prints the rows of one budget. */
    static void print(List<ManagedRow> rows, PrintWriter out) {
        int clocks = rows.getFirst().loss().length - 1;
        out.printf("%nbudget of %s for each link%n", rate(rows.getFirst().budget()));
        TextTable table = new TextTable(
                1,
                "method",
                "loss at 1/4",
                "at 1/2",
                "in the end",
                "clocks to goal",
                "s/clock",
                "pushed",
                "early %",
                "broadcast",
                "early %",
                "bursts",
                "late ms");
        for (ManagedRow row : rows) {
            table.add(
                    row.method(),
                    cell("%.4f", row.loss()[clocks / 4]),
                    cell("%.4f", row.loss()[clocks / 2]),
                    cell("%.4f", row.finalLoss()),
                    cell("%d", row.clocksToGoal()),
                    cell("%.2f", row.secondsPerClock()),
                    cell("%,d", row.bytesPushed()),
                    cell("%.0f", PERCENT * row.earlyPushed()),
                    cell("%,d", row.bytesBroadcast()),
                    cell("%.0f", PERCENT * row.earlyBroadcast()),
                    cell("%.2f", row.bursts()),
                    cell("%.1f", row.lateMs()));
        }
        table.print(out);
        out.flush();
    }

    /** Draws the loss over clocks, a file for each budget; returns the files written. */
    static List<Path> plot(List<ManagedRow> rows, Path file) throws IOException {
        Map<Long, Plot> plots = new LinkedHashMap<>();
        for (ManagedRow row : rows) {
            String title = "logistic regression, links of " + rate(row.budget());
            Plot plot = plots.computeIfAbsent(row.budget(), budget -> new Plot(title, "clocks", "loss").linearX());
            SortedMap<Double, Double> curve = new TreeMap<>();
            for (int clock = 1; clock < row.loss().length; clock++) {
                curve.put((double) clock, row.loss()[clock]);
            }
            plot.curve(row.method(), curve);
        }
        List<Path> files = new ArrayList<>();
        for (Map.Entry<Long, Plot> plot : plots.entrySet()) {
            Path drawn = Plot.named(file, TextTable.share(plot.getKey() / MBIT) + "mbit");
            plot.getValue().write(drawn);
            files.add(drawn);
        }
        return files;
    }

    static String rate(long bits) {
        return TextTable.share(bits / MBIT) + " Mbit/s";
    }
}
