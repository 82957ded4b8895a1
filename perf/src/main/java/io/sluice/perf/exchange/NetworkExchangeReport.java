package io.sluice.perf.exchange;

import static io.sluice.perf.report.TextTable.cell;

import io.sluice.perf.cluster.Star;
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
import java.util.stream.Collectors;

/** The rows for people: a table for each number of parameters, and a plot over it. */
final class NetworkExchangeReport {
    private static final double MB = 1e6;

    private NetworkExchangeReport() {}

    /** Prints all rows. */
    static void print(Star star, List<ExchangeRow> rows, PrintWriter out) {
        Map<Integer, List<ExchangeRow>> bySize =
                rows.stream().collect(Collectors.groupingBy(ExchangeRow::params, TreeMap::new, Collectors.toList()));
        bySize.forEach((params, some) -> print(star, params, some, out));
        out.println();
        out.println("  seconds      from the first push until the last worker has applied the last slice");
        out.println("  push         until the last link to a server has taken the last push");
        out.println("  first slice  until the last worker has applied the first slice pushed");
        out.println("  cpu s        of all nodes and media drivers, which are threads of this process");
        out.flush();
    }

    private static void print(Star star, int params, List<ExchangeRow> rows, PrintWriter out) {
        out.printf(
                "%n%,d parameters, %d workers, %d servers, links of %s Mbit/s: dense pushes alone take a server's link"
                        + " %.2f s%n",
                params,
                star.workers(),
                star.servers(),
                TextTable.share(star.rate() / MB),
                rows.getFirst().wireSeconds());
        TextTable table = new TextTable(
                2,
                "protocol",
                "tree",
                "kept",
                "seconds",
                "quartiles",
                "push",
                "first slice",
                "wire MB",
                "cpu s",
                "dropped");
        for (ExchangeRow row : rows) {
            table.add(
                    row.protocol(),
                    row.tree(),
                    TextTable.share(row.kept()),
                    cell("%.2f", row.seconds()),
                    String.format("%.2f-%.2f", row.secondsLow(), row.secondsHigh()),
                    cell("%.2f", row.pushSeconds()),
                    cell("%.3f", row.firstSliceSeconds()),
                    cell("%,.0f", row.bytesOnWire() / MB),
                    cell("%.1f", row.cpuSeconds()),
                    cell("%,d", row.dropped()));
        }
        table.print(out);
    }

    /** Draws the seconds of a clock over the number of parameters. */
    static void plot(Star star, List<ExchangeRow> rows, Path file) throws IOException {
        Map<String, SortedMap<Double, Double>> curves = new LinkedHashMap<>();
        for (ExchangeRow row : rows) {
            String name = row.protocol() + ", " + row.tree() + ", kept " + TextTable.share(row.kept());
            curves.computeIfAbsent(name, way -> new TreeMap<>()).put(row.params() / MB, row.seconds());
        }
        Plot plot = new Plot(
                String.format(
                        "exchange between %d servers and %d workers over links of %s Mbit/s",
                        star.servers(), star.workers(), TextTable.share(star.rate() / MB)),
                "million parameters",
                "seconds per clock");
        curves.forEach(plot::curve);
        plot.write(file);
    }
}
