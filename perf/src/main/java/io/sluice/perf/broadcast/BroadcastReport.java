package io.sluice.perf.broadcast;

import static io.sluice.perf.report.TextTable.cell;

import io.sluice.perf.report.Plot;
import io.sluice.perf.report.TextTable;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** The rows for people: a table for each number of workers, and a plot over it. */
final class BroadcastReport {
    private static final double MB = 1e6;

    private BroadcastReport() {}

    /** Prints the rows of one plan. */
    static void print(BroadcastPlan plan, List<BroadcastRow> rows, PrintWriter out) {
        out.printf(
                "%n%.1f MB from %d servers to %d workers over links of %s Mbit/s: S/B is %.3f s%n",
                plan.bytes() / MB,
                plan.star().servers(),
                plan.star().workers(),
                TextTable.share(plan.star().rate() / MB),
                plan.star().wireSeconds(plan.bytes()));
        TextTable table =
                new TextTable(1, "shape", "seconds", "quartiles", "/ S/B", "uplink / S", "wire MB", "cpu s", "dropped");
        for (BroadcastRow row : rows) {
            table.add(
                    row.shape(),
                    cell("%.3f", row.seconds()),
                    String.format("%.3f-%.3f", row.secondsLow(), row.secondsHigh()),
                    cell("%.2f", row.ratioToWire()),
                    cell("%.2f", row.uplinkRatio()),
                    cell("%,.1f", row.wireBytes() / MB),
                    cell("%.2f", row.cpuSeconds()),
                    cell("%,d", row.dropped()));
        }
        table.print(out);
        out.flush();
    }

    /** Draws the ratio to the wire over the number of workers. */
    static void plot(List<BroadcastRow> rows, Path file) throws IOException {
        Map<String, SortedMap<Double, Double>> curves = new LinkedHashMap<>();
        for (BroadcastRow row : rows) {
            curves.computeIfAbsent(row.shape(), shape -> new TreeMap<>())
                    .put((double) row.workers(), row.ratioToWire());
        }
        BroadcastRow any = rows.getFirst();
        Plot plot = new Plot(
                String.format(
                        "broadcast of %.0f MB from %d servers over links of %s Mbit/s",
                        any.bytes() / MB, any.servers(), TextTable.share(any.rate() / MB)),
                "workers",
                "time / (S/B)");
        curves.forEach(plot::curve);
        plot.write(file);
    }
}
