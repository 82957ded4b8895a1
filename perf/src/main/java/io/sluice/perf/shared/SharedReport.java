package io.sluice.perf.shared;

import static io.sluice.perf.report.TextTable.cell;

import io.sluice.perf.report.Plot;
import io.sluice.perf.report.TextTable;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** The rows for people: a table, what follows from it, and plots over the clocks of a turn. */
final class SharedReport {
    /** How many times as long clocks may take while others send. */
    static final double BEARABLE = 1.5;

    /** Share of bytes sent again at which losses feed on themselves. */
    static final double STORM = 0.01;

    private static final double MBIT = 1e6;
    private static final double PERCENT = 100;
    private static final double MS = 1e3;

    private SharedReport() {}

    /** Prints the rows. */
    static void print(List<SharedRow> rows, PrintWriter out) {
        TextTable table = new TextTable(
                2,
                "threshold",
                "phase",
                "clock ms",
                "p95",
                "/ before",
                "p95",
                "kept",
                "MB a clock",
                "sent again",
                "dropped",
                "least Mbit/s");
        for (SharedRow row : rows) {
            table.add(
                    row.threshold(),
                    row.phase(),
                    cell("%,.0f", row.clockMs()),
                    cell("%,.0f", row.clockP95Ms()),
                    cell("%.2f", row.ratio()),
                    cell("%.2f", row.p95Ratio()),
                    cell("%.2f %%", PERCENT * row.kept()),
                    cell("%.2f", row.bytesPerClock() / MBIT),
                    cell("%.3f %%", PERCENT * row.retransmitted()),
                    cell("%,d", row.dropped()),
                    cell("%.1f", row.leastRate() / MBIT));
        }
        table.print(out);
        out.flush();
    }

    /** For each threshold a sentence. */
    static List<String> conclusions(List<SharedRow> rows) {
        List<String> sentences = new ArrayList<>();
        for (SharedRow row : rows) {
            if (row.phase().equals(Phase.CROSS.configName())) {
                sentences.add(conclusion(row));
            }
        }
        return sentences;
    }

    private static String conclusion(SharedRow row) {
        return String.format(
                "%s: with cross traffic a clock takes %.2f times as long (%s %.1f), %.3f %% of bytes were sent again"
                        + " (%s %.0f %%)",
                row.filter(),
                row.ratio(),
                row.ratio() <= BEARABLE ? "within" : "not within",
                BEARABLE,
                PERCENT * row.retransmitted(),
                row.retransmitted() < STORM ? "below" : "not below",
                PERCENT * STORM);
    }

    /**
     * Draws the time of each clock and the share kept in it, over the clocks of the last turn of each threshold.
     *
     * @param plan  of the turns
     * @param turns by threshold
     * @param file  gets {@code -clock} or {@code -kept} before its ending
     * @return the files written
     */
    static List<Path> plot(SharedPlan plan, Map<Threshold, List<Turn>> turns, Path file) throws IOException {
        String when =
                String.format("cross traffic from clock %d to %d", plan.start(Phase.CROSS) + 1, plan.end(Phase.CROSS));
        Plot times = new Plot(when, "clock", "ms").linear();
        Plot kept = new Plot(when, "clock", "% of elements pushed").linear();
        turns.forEach((threshold, all) -> {
            Clocks seen = all.getLast().workers().getFirst();
            times.curve(threshold.configName(), curve(seen.seconds(), MS));
            kept.curve(threshold.configName(), curve(seen.kept(), PERCENT));
        });
        Path timesFile = Plot.named(file, "clock");
        Path keptFile = Plot.named(file, "kept");
        times.write(timesFile);
        kept.write(keptFile);
        return List.of(timesFile, keptFile);
    }

    private static SortedMap<Double, Double> curve(double[] values, double scale) {
        SortedMap<Double, Double> points = new TreeMap<>();
        for (int clock = 0; clock < values.length; clock++) {
            if (clock >= SharedPlan.WARMUP) {
                points.put(clock + 1.0, scale * values[clock]);
            }
        }
        return points;
    }
}
