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
    private static final double PERCENT = 100;

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
        TextTable table = new TextTable(
                1,
                "shape",
                "kept",
                "seconds",
                "quartiles",
                "/ S/B",
                "uplink / S",
                "wire MB",
                "cpu s",
                "dropped",
                "simulated",
                "error");
        for (BroadcastRow row : rows) {
            table.add(
                    row.shape(),
                    TextTable.share(row.kept()),
                    cell("%.3f", row.seconds()),
                    String.format("%.3f-%.3f", row.secondsLow(), row.secondsHigh()),
                    cell("%.2f", row.ratioToWire()),
                    cell("%.2f", row.uplinkRatio()),
                    cell("%,.1f", row.wireBytes() / MB),
                    cell("%.2f", row.cpuSeconds()),
                    cell("%,d", row.dropped()),
                    cell("%.3f", row.simulatedSeconds()),
                    row.simulationError() == null ? "-" : String.format("%+.1f %%", PERCENT * row.simulationError()));
        }
        table.print(out);
        out.flush();
    }

    /**
     * Draws the ratio to the wire over the number of workers; or, where several sizes were broadcast, the seconds over
     * the size, as in the paper's figure 11.
     */
    static void plot(List<BroadcastRow> rows, Path file) throws IOException {
        BroadcastRow any = rows.getFirst();
        boolean overBytes = rows.stream().anyMatch(row -> row.bytes() != any.bytes());
        String links = "links of " + TextTable.share(any.rate() / MB) + " Mbit/s";
        Plot plot = overBytes
                ? new Plot(
                        "broadcast from " + any.servers() + " servers to " + any.workers() + " workers over " + links,
                        "MB of parameters",
                        "seconds")
                : new Plot(
                        String.format(
                                "broadcast of %.0f MB from %d servers over %s", any.bytes() / MB, any.servers(), links),
                        "workers",
                        "time / (S/B)");
        Map<String, SortedMap<Double, Double>> curves = new LinkedHashMap<>();
        for (BroadcastRow row : rows) {
            String name = row.kept() < 1 ? row.shape() + ", kept " + TextTable.share(row.kept()) : row.shape();
            curves.computeIfAbsent(name, shape -> new TreeMap<>())
                    .put(overBytes ? row.bytes() / MB : row.workers(), overBytes ? row.seconds() : row.ratioToWire());
        }
        curves.forEach(plot::curve);
        plot.write(file);
    }
}
