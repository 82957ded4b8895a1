package io.sluice.perf.experiment;

import io.sluice.perf.report.Plot;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * A plot that a scenario declares.
 *
 * @param word   in the names of its files, where a run draws several
 * @param title  by the first row of a file
 * @param axes   which of them are logarithmic
 * @param x      lower axis
 * @param y      upright axis
 * @param series name of a row's curve
 * @param rows   that are drawn
 * @param file   word of a row's file; a file is drawn for each
 */
public record Curves(
        String word,
        Function<Row, String> title,
        Axes axes,
        Axis x,
        Axis y,
        Function<Row, String> series,
        Predicate<Row> rows,
        Function<Row, String> file) {
    /** Which axes are logarithmic. */
    public enum Axes {
        /** Both. */
        LOGARITHMIC,
        /** The upright one. */
        LINEAR_X,
        /** None. */
        LINEAR
    }

    /**
     * An axis.
     *
     * @param column with one number, or with as many as that of the other axis
     * @param title  beside it
     * @param scale  by which values are multiplied
     */
    public record Axis(String column, String title, double scale) {}

    /** A plot of all rows in one file, both axes logarithmic. */
    public Curves(String word, Function<Row, String> title, Axis x, Axis y, Function<Row, String> series) {
        this(word, title, Axes.LOGARITHMIC, x, y, series, _ -> true, _ -> "");
    }

    /** Plots of the rows, by the word of each file; those with fewer values on the lower axis are left out. */
    private Map<String, Plot> plots(List<Row> all, int least) {
        Map<String, List<Row>> files = new LinkedHashMap<>();
        all.stream()
                .filter(rows)
                .forEach(row -> files.computeIfAbsent(join(word, file.apply(row)), _ -> new ArrayList<>())
                        .add(row));
        Map<String, Plot> plots = new LinkedHashMap<>();
        files.forEach((name, some) -> {
            Map<String, SortedMap<Double, Double>> curves = curves(some);
            if (curves.values().stream()
                            .flatMap(curve -> curve.keySet().stream())
                            .distinct()
                            .count()
                    >= least) {
                plots.put(name, plot(some.getFirst(), curves));
            }
        });
        return plots;
    }

    private Map<String, SortedMap<Double, Double>> curves(List<Row> some) {
        Map<String, SortedMap<Double, Double>> curves = new LinkedHashMap<>();
        for (Row row : some) {
            SortedMap<Double, Double> curve = curves.computeIfAbsent(series.apply(row), _ -> new TreeMap<>());
            double[] across = row.numbers(x.column());
            double[] up = row.numbers(y.column());
            for (int i = 0; i < Math.min(across.length, up.length); i++) {
                curve.put(x.scale() * across[i], y.scale() * up[i]);
            }
        }
        return curves;
    }

    private Plot plot(Row first, Map<String, SortedMap<Double, Double>> curves) {
        Plot plot = new Plot(title.apply(first), x.title(), y.title());
        if (axes == Axes.LINEAR) {
            plot.linear();
        } else if (axes == Axes.LINEAR_X) {
            plot.linearX();
        }
        curves.forEach(plot::curve);
        return plot;
    }

    /**
     * Draws the plots of a scenario.
     *
     * @param layout with the plots
     * @param rows   to draw
     * @param file   of a single plot; of several, each has its word before the ending
     * @return the files written
     * @throws IOException              if one cannot be written
     */
    static List<Path> draw(Layout layout, List<Row> rows, Path file) throws IOException {
        Map<String, Plot> plots = new LinkedHashMap<>();
        layout.curves().forEach(curves -> plots.putAll(curves.plots(rows, 2)));
        if (plots.isEmpty()) {
            plots.putAll(layout.curves().getFirst().plots(rows, 1));
        }
        List<Path> files = new ArrayList<>();
        for (Map.Entry<String, Plot> plot : plots.entrySet()) {
            Path drawn = plots.size() == 1 ? file : Plot.named(file, plot.getKey());
            plot.getValue().write(drawn);
            files.add(drawn);
        }
        return files;
    }

    private static String join(String one, String other) {
        return one.isEmpty() || other.isEmpty() ? one + other : one + "-" + other;
    }
}
