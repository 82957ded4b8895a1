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
 * @param word     word in its file names, if a run draws several plots
 * @param title    title, computed from the first row of a file
 * @param series   name of a row's curve
 * @param rows     selects rows to draw
 * @param file     word of a row's file; rows with equal words share a file
 * @param optional columns that the name of a curve shows only if the rows of the file differ in them
 */
public record Curves(
        String word,
        Function<Row, String> title,
        Axes axes,
        Axis x,
        Axis y,
        Function<Row, String> series,
        Predicate<Row> rows,
        Function<Row, String> file,
        List<String> optional) {
    /** The kinds of axes. */
    public enum Axes {
        /** Both axes are logarithmic. */
        LOGARITHMIC,
        /** Only the vertical axis is logarithmic. */
        LINEAR_X,
        /** Both axes are linear. */
        LINEAR
    }

    /**
     * An axis.
     *
     * @param column column with one number, or a list as long as that of the other axis
     */
    public record Axis(String column, String title, double scale) {}

    /** Creates a plot of all rows in one file, with both axes logarithmic. */
    public Curves(
            String word,
            Function<Row, String> title,
            Axis x,
            Axis y,
            Function<Row, String> series,
            String... optional) {
        this(word, title, Axes.LOGARITHMIC, x, y, series, _ -> true, _ -> "", List.of(optional));
    }

    /** The same plot with other axes. */
    public Curves with(Axes others) {
        return new Curves(word, title, others, x, y, series, rows, file, optional);
    }

    /** The same plot of some rows. */
    public Curves of(Predicate<Row> some) {
        return new Curves(word, title, axes, x, y, series, some, file, optional);
    }

    /** The same plot, in a file for each word. */
    public Curves in(Function<Row, String> files) {
        return new Curves(word, title, axes, x, y, series, rows, files, optional);
    }

    /** The points of the curves of a file, by the name of the curve. */
    Map<String, SortedMap<Double, Double>> curves(List<Row> some) {
        List<String> shown = optional.stream()
                .filter(column ->
                        some.stream().map(row -> row.text(column)).distinct().count() > 1)
                .toList();
        Map<String, SortedMap<Double, Double>> curves = new LinkedHashMap<>();
        for (Row row : some) {
            StringBuilder name = new StringBuilder(series.apply(row));
            shown.stream()
                    .filter(row::has)
                    .forEach(column ->
                            name.append(", ").append(column).append(' ').append(row.text(column)));
            SortedMap<Double, Double> curve = curves.computeIfAbsent(name.toString(), _ -> new TreeMap<>());
            double[] across = row.numbers(x.column());
            double[] up = row.numbers(y.column());
            for (int i = 0; i < Math.min(across.length, up.length); i++) {
                curve.put(x.scale() * across[i], y.scale() * up[i]);
            }
        }
        return curves;
    }

    private Plot plot(Row first) {
        Plot plot = new Plot(title.apply(first), x.title(), y.title());
        if (axes == Axes.LINEAR) {
            plot.linear();
        } else if (axes == Axes.LINEAR_X) {
            plot.linearX();
        }
        return plot;
    }

    /** The name of a file; curves with equal words share it. */
    private record Name(String word, String file) {}

    /**
     * Draws the plots of a scenario.
     *
     * @param file file of a single plot; if there are several, each has its word, if any, before the ending, and the
     *               word of its rows if these differ
     * @return the files written
     */
    static List<Path> draw(Layout layout, List<Row> rows, Path file) throws IOException {
        Map<Name, Plot> plots = plots(layout.curves(), rows, 2);
        if (plots.isEmpty()) {
            String first = layout.curves().getFirst().x().column();
            plots = plots(
                    layout.curves().stream()
                            .filter(each -> each.x().column().equals(first))
                            .toList(),
                    rows,
                    1);
        }
        boolean differ = plots.keySet().stream().map(Name::file).distinct().count() > 1;
        List<Path> files = new ArrayList<>();
        for (Map.Entry<Name, Plot> plot : plots.entrySet()) {
            Name name = plot.getKey();
            String words = differ ? join(name.word(), name.file()) : name.word();
            Path drawn = plots.size() == 1 || words.isEmpty() ? file : Plot.named(file, words);
            plot.getValue().write(drawn);
            files.add(drawn);
        }
        return files;
    }

    /** Plots of the rows; plots with fewer values on the horizontal axis are left out. */
    private static Map<Name, Plot> plots(List<Curves> all, List<Row> rows, int least) {
        Map<Name, Plot> plots = new LinkedHashMap<>();
        for (Curves curves : all) {
            Map<Name, List<Row>> files = new LinkedHashMap<>();
            rows.stream()
                    .filter(curves.rows())
                    .forEach(row -> files.computeIfAbsent(
                                    new Name(curves.word(), curves.file().apply(row)), _ -> new ArrayList<>())
                            .add(row));
            files.forEach((name, some) -> {
                Map<String, SortedMap<Double, Double>> drawn = curves.curves(some);
                if (drawn.values().stream()
                                .flatMap(curve -> curve.keySet().stream())
                                .distinct()
                                .count()
                        >= least) {
                    Plot plot = plots.computeIfAbsent(name, _ -> curves.plot(some.getFirst()));
                    drawn.forEach(plot::curve);
                }
            });
        }
        plots.values().removeIf(Plot::isEmpty);
        return plots;
    }

    private static String join(String one, String other) {
        return one.isEmpty() || other.isEmpty() ? one + other : one + "-" + other;
    }
}
