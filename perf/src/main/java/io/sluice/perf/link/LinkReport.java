package io.sluice.perf.link;

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
import java.util.stream.Collectors;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;

/** The comparisons for people: tables and plots. */
final class LinkReport {
    private static final double KILO = 1e3;
    private static final double PERCENT = 100;
    private static final int TICKS_PER_HALF = 5;

    private LinkReport() {}

    /** Prints the comparisons of one medium, and which open loops did not keep their rate. */
    static void print(List<LinkComparison> comparisons, PrintWriter out) {
        boolean latencies = comparisons.getFirst().trial().mode().recordsLatencies();
        TextTable table = latencies ? latencies(comparisons) : throughput(comparisons);
        table.print(out);
        for (LinkComparison comparison : comparisons) {
            for (LinkFigures figures : comparison.all()) {
                if (Boolean.FALSE.equals(figures.rateMet())) {
                    out.printf(
                            "WARNING: %s made %,.0f of %,.0f frames a second: the rate was not met, and its latencies"
                                    + " are those of a queue%n",
                            figures.result().entrant().name(),
                            figures.framesPerSecond(),
                            figures.trial().rate());
                }
            }
        }
    }

    private static TextTable throughput(List<LinkComparison> comparisons) {
        TextTable table = new TextTable(
                1, "stack", "bytes", "MB/s", "quartiles", "k frames/s", "/ raw", "/ raw+crc", "heap B/frame");
        for (LinkComparison comparison : comparisons) {
            for (LinkFigures figures : comparison.all()) {
                LinkStack stack = figures.trial().stack();
                table.add(
                        stack.configName(),
                        cell("%,d", figures.trial().frameLength()),
                        cell("%,.0f", figures.main().median()),
                        String.format(
                                "%,.0f-%,.0f",
                                figures.main().low(), figures.main().high()),
                        cell("%,.1f", figures.framesPerSecond() / KILO),
                        cell("%.2f", comparison.ratio(stack, LinkStack.RAW)),
                        cell("%.2f", comparison.ratio(stack, LinkStack.RAW_CHECKED)),
                        cell("%.3f", figures.result().allocatedPerElement()));
            }
        }
        return table;
    }

    private static TextTable latencies(List<LinkComparison> comparisons) {
        TextTable table = new TextTable(
                1,
                "stack",
                "bytes",
                "wanted k/s",
                "p50 us",
                "p99 us",
                "p99.9 us",
                "max us",
                "p50 by round",
                "p50 / raw",
                "p99 / raw",
                "k frames/s",
                "heap B/frame");
        for (LinkComparison comparison : comparisons) {
            for (LinkFigures figures : comparison.all()) {
                LinkStack stack = figures.trial().stack();
                table.add(
                        stack.configName(),
                        cell("%,d", figures.trial().frameLength()),
                        cell(
                                "%,.1f",
                                figures.rateMet() == null
                                        ? null
                                        : figures.trial().rate() / KILO),
                        cell("%,.2f", figures.percentileUs(50)),
                        cell("%,.2f", figures.percentileUs(99)),
                        cell("%,.1f", figures.percentileUs(99.9)),
                        cell("%,.0f", figures.percentileUs(100)),
                        String.format(
                                "%,.2f-%,.2f",
                                figures.main().low(), figures.main().high()),
                        cell("%.2f", comparison.ratio(stack, LinkStack.RAW)),
                        cell("%.2f", comparison.p99Ratio(stack)),
                        cell("%,.1f", figures.framesPerSecond() / KILO),
                        cell("%.3f", figures.result().allocatedPerElement()));
            }
        }
        return table;
    }

    /**
     * Draws the comparisons of one medium: throughput over the size, or the percentiles of each size. With several
     * rates there is one plot for each size and stack, with a curve for each rate; with one, a plot for each size, with
     * a curve for each stack.
     *
     * @param file gets the channel, the size and the stack before its ending, where there is one plot for each
     * @return the files written
     */
    static List<Path> plot(List<LinkComparison> comparisons, Path file) throws IOException {
        LinkTrial trial = comparisons.getFirst().trial();
        Path ofMedium = Plot.named(file, trial.medium().toString());
        if (!trial.mode().recordsLatencies()) {
            throughputPlot(comparisons).write(ofMedium);
            return List.of(ofMedium);
        }
        Map<Integer, List<LinkComparison>> bySize = comparisons.stream()
                .collect(Collectors.groupingBy(each -> each.trial().frameLength(), TreeMap::new, Collectors.toList()));
        List<Path> files = new ArrayList<>();
        for (Map.Entry<Integer, List<LinkComparison>> size : bySize.entrySet()) {
            Path ofSize = Plot.named(ofMedium, size.getKey().toString());
            if (size.getValue().size() == 1) {
                percentilePlot(size.getValue().getFirst()).write(ofSize);
                files.add(ofSize);
                continue;
            }
            for (LinkStack stack : LinkStack.values()) {
                Path ofStack = Plot.named(ofSize, stack.configName().replace('+', '-'));
                ratesPlot(size.getValue(), stack).write(ofStack);
                files.add(ofStack);
            }
        }
        return files;
    }

    private static Plot throughputPlot(List<LinkComparison> comparisons) {
        Plot plot = new Plot(
                "Throughput over " + comparisons.getFirst().trial().medium(), "bytes of a frame", "MB a second");
        for (LinkStack stack : LinkStack.values()) {
            SortedMap<Double, Double> points = new TreeMap<>();
            comparisons.forEach(comparison -> points.put(
                    (double) comparison.trial().frameLength(),
                    comparison.of(stack).main().median()));
            plot.curve(stack.configName(), points);
        }
        return plot;
    }

    private static Plot percentiles(LinkTrial trial, String what) {
        return new Plot(
                trial.mode() + " over " + trial.medium() + ", frames of " + trial.frameLength() + " bytes" + what,
                "1 / (1 - percentile): 10 is 90 %, 100 is 99 %, 1000 is 99.9 %",
                "microseconds");
    }

    private static Plot ratesPlot(List<LinkComparison> comparisons, LinkStack stack) {
        Plot plot = percentiles(comparisons.getFirst().trial(), ", " + stack.configName());
        for (LinkComparison comparison : comparisons) {
            LinkFigures figures = comparison.of(stack);
            String rate = String.format("%,.0f frames/s", comparison.trial().rate());
            plot.curve(figures.rateMet() ? rate : rate + " (not met)", percentiles(figures.latencies()));
        }
        return plot;
    }

    private static Plot percentilePlot(LinkComparison comparison) {
        Plot plot = percentiles(comparison.trial(), "");
        comparison
                .all()
                .forEach(figures -> plot.curve(figures.trial().stack().configName(), percentiles(figures.latencies())));
        return plot;
    }

    /** Microseconds by 1 / (1 - percentile), up to the last percentile that more than one value is beyond. */
    private static SortedMap<Double, Double> percentiles(Histogram latencies) {
        SortedMap<Double, Double> points = new TreeMap<>();
        for (HistogramIterationValue value : latencies.percentiles(TICKS_PER_HALF)) {
            double beyond = 1 - value.getPercentileLevelIteratedTo() / PERCENT;
            if (beyond * latencies.getTotalCount() > 1) {
                points.put(1 / beyond, value.getValueIteratedTo() / KILO);
            }
        }
        return points;
    }
}
