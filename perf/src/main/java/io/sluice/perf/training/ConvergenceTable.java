package io.sluice.perf.training;

import io.sluice.perf.experiment.Column;
import io.sluice.perf.experiment.Columns;
import io.sluice.perf.experiment.Curves;
import io.sluice.perf.experiment.Layout;
import io.sluice.perf.experiment.Row;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/** What the results of {@link Convergence} are compared by: the goal, and how each way reaches it. */
final class ConvergenceTable {
    private static final double MEGABYTES = 1e-6;
    private static final double PERCENT = 100;

    static final Layout LAYOUT = new Layout(
            row -> row.text("job") + ", " + row.text("dataset"),
            columns(),
            List.of(
                    curves("seconds", "second", "seconds", 1),
                    curves("clocks", "clock", "clocks", 1),
                    curves("bytes", "bytes", "MB that all nodes have sent", MEGABYTES)));

    private ConvergenceTable() {}

    private static Curves curves(String word, String x, String title, double scale) {
        return new Curves(
                        word,
                        row -> row.text("dataset") + ", links of " + row.mbit("link_rate"),
                        new Curves.Axis(x, title, scale),
                        new Curves.Axis("objective", "objective", 1),
                        row -> row.text("way"))
                .with(Curves.Axes.LINEAR_X);
    }

    private static List<Column> columns() {
        return Column.list(
                Column.fact("way").shown("way"),
                Column.facts(
                        "job",
                        "dataset",
                        "objective_name",
                        "held_out_name",
                        "parameters",
                        "workers",
                        "servers",
                        "link_rate",
                        "mtu",
                        "cross",
                        "wanted",
                        "goal_clock"),
                Column.series("clock", "second", "bytes", "objective", "held_out", "distance", "bound"),
                Column.derived("goal", ConvergenceTable::goal),
                Course.columns(),
                ofClocks(),
                toTheGoal());
    }

    private static Columns ofClocks() {
        return Columns.of(
                Column.median("filter_per_clock")
                        .shown("filtering", "%.4f")
                        .note("of the exchange, the part in which the trainer filters and frames its update"),
                Column.derived(
                                "computing_per_clock",
                                row -> row.number("seconds_per_clock")
                                        - row.number("exchange_per_clock")
                                        + row.number("filter_per_clock"))
                        .shown("computing", "%.3f")
                        .note("the clock without exchange, with filtering; longer than --compute also where the"
                                + " processors do not suffice"),
                Column.derived("more_computing", (row, rows) -> row.over(rows.getFirst(), "computing_per_clock"))
                        .shown("/ first", "%.2f")
                        .note("computing relative to the first row (Parameter Flow, figure 12: 1.42 to 1.75)"),
                Column.derived(
                                "exchange_ratio",
                                row -> row.number("seconds_per_clock") / row.number("computing_per_clock") - 1)
                        .shown("R", "%.2f")
                        .note("the rest of the clock over computing"),
                Column.derived(
                                "speed_up",
                                row -> row.number("workers")
                                        * (1 - row.number("exchange_per_clock") / row.number("seconds_per_clock")))
                        .shown("speed-up", "%.2f")
                        .note("steps a second of all workers, relative to one that exchanges nothing (MPS,"
                                + " figure 5.4)"),
                Column.median("kept").shown("kept %", "%.2f", PERCENT),
                Column.median("pushed_per_clock")
                        .whole()
                        .shown("pushed", "%,.0f")
                        .note("bytes of a clock, by the first worker"));
    }

    private static Columns toTheGoal() {
        return Columns.of(
                reached("clocks_to_goal", "clock").shown("clocks to goal", "%.1f"),
                reached("seconds_to_goal", "second").shown("s to goal", "%.2f"),
                Column.derived("faster", (row, rows) -> rows.getFirst().over(row, "seconds_to_goal"))
                        .shown("times faster", "%.2f")
                        .note("than the first row, to the same objective"),
                reached("bytes_to_goal", "bytes")
                        .shown("MB to goal", "%,.2f", MEGABYTES)
                        .note("that all nodes have sent when the first worker has parameters of the goal, with Aeron's"
                                + " headers; without the first parameters"),
                Column.derived("fewer_bytes", (row, rows) -> rows.getFirst().over(row, "bytes_to_goal"))
                        .shown("times fewer bytes", "%.1f"),
                Column.derived("last_objective", row -> last(row, "objective")).shown("objective", "%.4f"),
                reached("held_out_at_goal", "held_out")
                        .shown("held out", "%.4f")
                        .note("quality on held-out examples at the goal"),
                Column.derived("distance_of_bound", ConvergenceTable::ofBound)
                        .shown("% of bound", "%.2f", PERCENT)
                        .note("largest distance of the first worker's parameters from those with all computed updates,"
                                + " relative to its bound (Parameter Flow, lemmas 1 and 2)"));
    }

    private static Column reached(String name, String series) {
        return Column.derived(
                name, row -> Replicas.at(row.number("goal"), row.numbers("objective"), row.numbers(series)));
    }

    private static double last(Row row, String series) {
        double[] values = row.numbers(series);
        return values[values.length - 1];
    }

    private static Object goal(Row row, List<Row> rows) {
        double wanted = row.number("wanted");
        double[] first = rows.getFirst().numbers("objective");
        double[] clocks = rows.getFirst().numbers("clock");
        int look = (int) Arrays.stream(clocks)
                .filter(clock -> clock < row.number("goal_clock"))
                .count();
        return wanted > 0 ? wanted : first[look];
    }

    /** The largest share of a bound; NaN without bounds. */
    private static double ofBound(Row row) {
        double[] distance = row.numbers("distance");
        double[] bound = row.numbers("bound");
        return IntStream.range(0, bound.length)
                .filter(i -> bound[i] > 0)
                .mapToDouble(i -> distance[i] / bound[i])
                .max()
                .orElse(Double.NaN);
    }

    static List<String> conclusions(List<Row> rows) {
        List<String> conclusions = new ArrayList<>();
        Row first = rows.getFirst();
        conclusions.add(String.format(
                "By less exchange alone no way can be more than 1 + R = %.2f times faster than '%s'.",
                1 + first.number("exchange_ratio"), first.text("way")));
        rows.stream()
                .filter(row -> row.number("distance_of_bound") > 1)
                .forEach(row -> conclusions.add(String.format(
                        "'%s' exceeds the bound of its distance from all computed updates %.2f times.",
                        row.text("way"), row.number("distance_of_bound"))));
        return conclusions;
    }
}
