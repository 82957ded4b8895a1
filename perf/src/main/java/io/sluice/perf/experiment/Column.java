package io.sluice.perf.experiment;

import io.sluice.perf.report.Quartiles;
import io.sluice.perf.report.TextTable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.function.DoubleBinaryOperator;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;

/**
 * A column: the source of its values, and its appearance in the table.
 *
 * @param name    name in the JSON; {@code null} if it is only shown
 * @param value   value from the samples of a row, the row so far, and all rows
 * @param derived whether it is computed from rows, after all other columns
 * @param heading heading in the table; {@code null} if it is not shown
 * @param words   whether cells are text, which is aligned to the left
 * @param note    note below the table; {@code null} for none
 */
public record Column(
        String name,
        Source value,
        boolean derived,
        String heading,
        Function<Row, String> cell,
        boolean words,
        String note)
        implements Columns {

    private static final double NS_PER_US = 1e3;
    private static final double PERCENT = 100;
    private static final int TICKS_PER_HALF = 5;

    /** The source of a value. */
    @FunctionalInterface
    interface Source {
        Object of(List<Sample> samples, Row row, List<Row> rows);
    }

    /** Creates a list of columns. */
    public static List<Column> list(Columns... parts) {
        return Columns.of(parts).stream().toList();
    }

    public static Column fact(String name) {
        return measured(name, samples -> samples.getFirst().facts().get(name));
    }

    /** Facts that the table does not show. */
    public static Columns facts(String... names) {
        return () -> Arrays.stream(names).map(Column::fact);
    }

    public static Column median(String name, String figure) {
        return aggregate(name, figure, values -> Quartiles.of(values).median());
    }

    /** The median of the figure of the same name. */
    public static Column median(String name) {
        return median(name, name);
    }

    /** The lower quartile. */
    public static Column low(String name, String figure) {
        return aggregate(name, figure, values -> Quartiles.of(values).low());
    }

    /** The upper quartile. */
    public static Column high(String name, String figure) {
        return aggregate(name, figure, values -> Quartiles.of(values).high());
    }

    public static Column mean(String name, String figure) {
        return aggregate(name, figure, values -> Arrays.stream(values).average().orElseThrow());
    }

    /** The minimum. */
    public static Column min(String name, String figure) {
        return aggregate(name, figure, values -> Arrays.stream(values).min().orElseThrow());
    }

    /** The maximum. */
    public static Column max(String name, String figure) {
        return aggregate(name, figure, values -> Arrays.stream(values).max().orElseThrow());
    }

    public static Column sum(String name) {
        return aggregate(name, name, values -> Arrays.stream(values).sum());
    }

    /** A percentile: the smallest value that this share of values does not exceed. */
    public static Column percentile(String name, String figure, double percent) {
        return aggregate(name, figure, values -> {
            double[] sorted = values.clone();
            Arrays.sort(sorted);
            return sorted[Math.max(0, (int) Math.ceil(percent / 100 * sorted.length) - 1)];
        });
    }

    /** A function of all values of a figure. */
    public static Column figure(String name, String figure, Function<double[], Object> value) {
        return measured(name, samples -> {
            double[] values = values(samples, figure);
            return values.length == 0 ? null : value.apply(values);
        });
    }

    /** A percentile of the latencies of all turns together, in microseconds. */
    public static Column latency(String name, String latencies, double percent) {
        return measured(name, samples -> {
            Histogram all = histogram(samples, latencies);
            return all == null ? null : all.getValueAtPercentile(percent) / NS_PER_US;
        });
    }

    /** The number 1 / (1 - percentile) for each percentile, up to the last one that at least two values exceed. */
    public static Column inverseTail(String name, String latencies) {
        return steps(name, latencies, (beyond, _) -> 1 / beyond);
    }

    /** Latency in microseconds at each percentile of {@link #inverseTail}. */
    public static Column percentiles(String name, String latencies) {
        return steps(name, latencies, (_, nanos) -> nanos / NS_PER_US);
    }

    private static Column steps(String name, String latencies, DoubleBinaryOperator value) {
        return measured(name, samples -> {
            Histogram all = histogram(samples, latencies);
            List<Double> steps = new ArrayList<>();
            if (all != null) {
                for (HistogramIterationValue step : all.percentiles(TICKS_PER_HALF)) {
                    double beyond = 1 - step.getPercentileLevelIteratedTo() / PERCENT;
                    if (beyond * all.getTotalCount() > 1) {
                        steps.add(value.applyAsDouble(beyond, step.getValueIteratedTo()));
                    }
                }
            }
            return steps;
        });
    }

    private static Histogram histogram(List<Sample> samples, String latencies) {
        return samples.stream()
                .map(sample -> sample.latencies().get(latencies))
                .filter(Objects::nonNull)
                .reduce(null, (all, next) -> {
                    Histogram sum = all == null ? next.copy() : all;
                    if (all != null) {
                        sum.add(next);
                    }
                    return sum;
                });
    }

    public static Column count(String name, String figure) {
        return measured(name, samples -> values(samples, figure).length);
    }

    /** The figures of a sample as lists; for several samples, the medians element by element. */
    public static Columns series(String... names) {
        return () -> Arrays.stream(names).map(Column::oneSeries);
    }

    private static Column oneSeries(String name) {
        return measured(name, samples -> {
            List<double[]> all = samples.stream()
                    .map(sample -> sample.figures().getOrDefault(name, new double[0]))
                    .toList();
            int length = all.stream().mapToInt(each -> each.length).min().orElse(0);
            List<Double> medians = new ArrayList<>();
            for (int i = 0; i < length; i++) {
                int place = i;
                medians.add(Quartiles.of(
                                all.stream().mapToDouble(each -> each[place]).toArray())
                        .median());
            }
            return medians;
        });
    }

    /** A function of the row and of all rows, both without derived columns that are declared later. */
    public static Column derived(String name, BiFunction<Row, List<Row>, Object> value) {
        return new Column(name, (samples, row, rows) -> finite(value.apply(row, rows)), true, null, null, false, null);
    }

    public static Column derived(String name, ToDoubleFunction<Row> value) {
        return derived(name, (row, _) -> value.applyAsDouble(row));
    }

    /** A number of the row, divided by another one. */
    public static Column quotient(String name, String dividend, String divisor) {
        return derived(name, row -> row.number(dividend) / row.number(divisor));
    }

    /** A number of the row, divided by that of its {@linkplain Row#partner partner}. */
    public static Column relative(String name, String number, Predicate<Row> which, String... same) {
        return derived(name, (row, rows) -> row.over(row.partner(rows, which, same), number));
    }

    /** A column of the table that is not in the JSON, where other columns contain its information. */
    public static Column shownOnly(String heading, Function<Row, String> cell) {
        return new Column(null, null, false, heading, cell, false, null);
    }

    /** A column of the table with a number of the row, which is not a column of its own in the JSON. */
    public static Column shownOnly(String name, String heading, String format, double scale) {
        return shownOnly(heading, row -> TextTable.cell(format, row.has(name) ? scale * row.number(name) : null));
    }

    /** The quartiles of a figure, shown together. */
    public static Columns quartiles(String figure, String format, double scale) {
        return quartiles(figure + "_low", figure + "_high", figure, format, scale);
    }

    /** The quartiles of a figure by two names, shown together. */
    public static Columns quartiles(String low, String high, String figure, String format, double scale) {
        return Columns.of(low(low, figure), high(high, figure), quartiles(low, high, format, scale));
    }

    /** Two columns with the quartiles of a figure, shown together. */
    public static Column quartiles(String low, String high, String format, double scale) {
        return shownOnly(
                "quartiles",
                row -> row.has(low)
                        ? String.format(format + "-" + format, scale * row.number(low), scale * row.number(high))
                        : "-");
    }

    private static Column measured(String name, Function<List<Sample>, Object> value) {
        return new Column(name, (samples, row, rows) -> value.apply(samples), false, null, null, false, null);
    }

    private static Column aggregate(String name, String figure, ToDoubleFunction<double[]> value) {
        return figure(name, figure, values -> finite(value.applyAsDouble(values)));
    }

    private static double[] values(List<Sample> samples, String figure) {
        return samples.stream()
                .map(sample -> sample.figures().getOrDefault(figure, new double[0]))
                .flatMapToDouble(Arrays::stream)
                .toArray();
    }

    /** JSON has no NaN: such values become {@code null}. */
    private static Object finite(Object value) {
        return value instanceof Double number && !Double.isFinite(number) ? null : value;
    }

    @Override
    public Stream<Column> stream() {
        return Stream.of(this);
    }

    /** Shows values without their fraction, for bytes, packets and other counts. */
    public Column whole() {
        Source exact = value;
        return new Column(
                name,
                (samples, row, rows) ->
                        exact.of(samples, row, rows) instanceof Number number ? number.longValue() : null,
                derived,
                heading,
                cell,
                words,
                note);
    }

    /** Shows the column in the printed table, its value as text. */
    public Column shown(String under) {
        return new Column(name, value, derived, under, row -> row.has(name) ? row.text(name) : "-", true, note);
    }

    /** Shows the column in the printed table, its value as a number in the given format, times a factor. */
    public Column shown(String under, String format, double scale) {
        Function<Row, String> number = row -> TextTable.cell(format, row.has(name) ? scale * row.number(name) : null);
        return new Column(name, value, derived, under, number, false, note);
    }

    /** Shows the column in the printed table, its value as a number in the given format. */
    public Column shown(String under, String format) {
        return shown(under, format, 1);
    }

    /** Shows the column in the printed table, its value as a number with as few digits as possible. */
    public Column shownShort(String under) {
        Function<Row, String> number = row -> row.has(name) ? TextTable.share(row.number(name)) : "-";
        return new Column(name, value, derived, under, number, false, note);
    }

    /** Aligns its cells to the left. */
    public Column left() {
        return new Column(name, value, derived, heading, cell, true, note);
    }

    /** Explains its heading below the table. */
    public Column note(String text) {
        return new Column(name, value, derived, heading, cell, words, text);
    }
}
