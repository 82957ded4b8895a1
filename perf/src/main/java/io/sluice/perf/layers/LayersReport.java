package io.sluice.perf.layers;

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

/** The rows for people: a table for each rate, what follows from it, and plots like P3's figures 7 and 12. */
final class LayersReport {
    private static final double MBIT = 1e6;
    private static final double PERCENT = 100;

    /** Differences below are none. */
    private static final double NOTHING = 1.03;

    /** What takes so many times its forecast has been held up by something that no schedule knows. */
    private static final double MISSED = 1.05;

    private LayersReport() {}

    /** Prints the rows of one rate. */
    static void print(List<LayersRow> rows, PrintWriter out) {
        LayersRow first = rows.getFirst();
        out.printf(
                "%n%s over links of %s: computing %.0f ms, wire %.0f ms each way, bound %.0f ms, serial %.0f ms%n",
                first.model(),
                rate(first.rate()),
                first.computeMs(),
                first.wireMs(),
                first.boundMs(),
                first.serialMs());
        TextTable table = new TextTable(
                1,
                "method",
                "slice",
                "iteration ms",
                "quartiles",
                "mean",
                "forecast",
                "delay ms",
                "waits ms",
                "samples/s",
                "/ baseline",
                "forecast",
                "dropped");
        for (LayersRow row : rows) {
            table.add(
                    row.method(),
                    cell("%,d", row.slice()),
                    cell("%,.0f", row.iterationMs()),
                    String.format("%,.0f-%,.0f", row.iterationLowMs(), row.iterationHighMs()),
                    cell("%,.0f", row.iterationMeanMs()),
                    cell("%,.0f", row.forecastMs()),
                    cell("%,.0f", row.delayMs()),
                    cell("%,.0f", row.waitMs()),
                    cell("%,.1f", row.samplesPerS()),
                    cell("%.2f", row.ratioToBaseline()),
                    cell("%.2f", row.ratioForecast()),
                    cell("%,d", row.dropped()));
        }
        table.print(out);
        out.flush();
    }

    /** For each rate a sentence: what order and slices gain, and why not, where they do not. */
    static List<String> conclusions(List<LayersRow> rows) {
        Map<Long, List<LayersRow>> byRate = new LinkedHashMap<>();
        rows.forEach(row ->
                byRate.computeIfAbsent(row.rate(), rate -> new ArrayList<>()).add(row));
        return byRate.values().stream().map(LayersReport::conclusion).toList();
    }

    private static String conclusion(List<LayersRow> rows) {
        LayersRow baseline = rows.get(0);
        LayersRow sliced = rows.get(1);
        LayersRow best = rows.stream()
                .filter(row -> row.order().equals(SyncMethod.LAYER))
                .reduce((one, other) -> other.iterationMs() < one.iterationMs() ? other : one)
                .orElseThrow();
        String gains = String.format(
                "%s, %s: slices alone %+.0f %% throughput, slices of %,d by layer %+.0f %% (forecast %+.0f %%)",
                baseline.model(),
                rate(baseline.rate()),
                PERCENT * (sliced.ratioToBaseline() - 1),
                best.slice(),
                PERCENT * (best.ratioToBaseline() - 1),
                PERCENT * (best.ratioForecast() - 1));
        return best.ratioToBaseline() >= NOTHING ? gains : gains + "; " + reason(baseline, best);
    }

    private static String reason(LayersRow baseline, LayersRow best) {
        if (best.iterationMs() > MISSED * best.forecastMs()) {
            return String.format("%.0f ms instead of the forecast's %.0f", best.iterationMs(), best.forecastMs());
        }
        if (baseline.forecastMs() < NOTHING * baseline.boundMs()) {
            return String.format(
                    "whole layers are at the bound already: %s takes %.0f of %.0f ms",
                    baseline.computeMs() >= baseline.wireMs() ? "computing" : "the wire",
                    baseline.boundMs(),
                    baseline.forecastMs());
        }
        return String.format(
                "in either order all wait for the wire, %.0f ms each way, and only the forward pass, %.0f ms, could"
                        + " be hidden behind it",
                baseline.wireMs(), baseline.computeMs() / 3);
    }

    private static String rate(long bits) {
        return TextTable.share(bits / MBIT) + " Mbit/s";
    }

    /**
     * Draws throughput over the rate (P3's figure 7), and, if there are several sizes of slices, over these (figure
     * 12).
     *
     * @param rows of all rates
     * @param file gets {@code -rate} or {@code -slice} before its ending
     * @return the files written
     */
    static List<Path> plot(List<LayersRow> rows, Path file) throws IOException {
        List<Path> files = new ArrayList<>();
        int main = rows.get(1).slice();
        String model = rows.getFirst().model();
        Map<String, SortedMap<Double, Double>> byRate = new LinkedHashMap<>();
        Map<String, SortedMap<Double, Double>> bySlice = new LinkedHashMap<>();
        for (LayersRow row : rows) {
            boolean layered = row.order().equals(SyncMethod.LAYER);
            if (!layered || row.slice() == main) {
                curve(byRate, row.method() + " (" + row.slice() + ")").put(row.rate() / MBIT, row.samplesPerS());
            }
            if (layered) {
                curve(bySlice, rate(row.rate())).put((double) row.slice(), row.samplesPerS());
            }
        }
        files.add(draw(
                new Plot(model + " over lab links", "Mbit/s of each link", "samples a second"),
                byRate,
                Plot.named(file, "rate")));
        if (bySlice.values().iterator().next().size() > 1) {
            files.add(draw(
                    new Plot(model + ", order layer", "parameters of a slice", "samples a second"),
                    bySlice,
                    Plot.named(file, "slice")));
        }
        return files;
    }

    private static SortedMap<Double, Double> curve(Map<String, SortedMap<Double, Double>> curves, String name) {
        return curves.computeIfAbsent(name, fresh -> new TreeMap<>());
    }

    private static Path draw(Plot plot, Map<String, SortedMap<Double, Double>> curves, Path file) throws IOException {
        curves.forEach(plot::curve);
        plot.write(file);
        return file;
    }
}
