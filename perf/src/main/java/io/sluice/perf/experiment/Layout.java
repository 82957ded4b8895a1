package io.sluice.perf.experiment;

import io.sluice.perf.report.TextTable;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/**
 * Declares how the rows of a scenario are made, shown and drawn.
 *
 * @param title   title of a table, by its first row; rows with equal titles are in one table
 * @param columns columns in their order; a table leaves out those that apply to none of its rows
 * @param curves  plots; a plot whose lower axis has one value is left out, unless no plot would remain: then the plots
 *     over the axis of the first one stay
 * @param lines   lines of tables that a row makes; none if it is not shown
 */
public record Layout(
        Function<Row, String> title,
        List<Column> columns,
        List<Curves> curves,
        Function<Row, List<Row>> lines,
        Comparator<Row> order,
        List<String> legend) {
    private static final String MISSING = "-";

    /** Creates a layout whose lines are the rows, in their order. */
    public Layout(Function<Row, String> title, List<Column> columns, List<Curves> curves) {
        this(title, columns, curves, List::of, (one, other) -> 0, List.of());
    }

    /** Creates a layout without plots. */
    public Layout(Function<Row, String> title, List<Column> columns) {
        this(title, columns, List.of());
    }

    /** Creates a layout that shows other lines in place of the rows, in an order of its own. */
    public Layout showing(Function<Row, List<Row>> others, Comparator<Row> ordered) {
        return new Layout(title, columns, curves, others, ordered, legend);
    }

    /** Explains the terms of the tables below them. */
    public Layout legend(String... sentences) {
        return new Layout(title, columns, curves, lines, order, List.of(sentences));
    }

    /** Creates a row of all samples with equal facts, for each group of such samples. */
    public List<Row> rows(List<Sample> samples) {
        Map<Map<String, Object>, List<Sample>> byFacts = new LinkedHashMap<>();
        samples.forEach(sample ->
                byFacts.computeIfAbsent(sample.facts(), _ -> new ArrayList<>()).add(sample));
        Map<Row, List<Sample>> sources = new IdentityHashMap<>();
        List<Row> rows = new ArrayList<>();
        byFacts.values().forEach(some -> {
            Row row = Row.empty();
            rows.add(row);
            sources.put(row, some);
        });
        List<Column> kept =
                columns.stream().filter(column -> column.name() != null).toList();
        for (Row row : rows) { // keys in the order of the columns
            kept.forEach(column -> row.values().put(column.name(), null));
        }
        for (boolean derived : new boolean[] {false, true}) {
            for (Column column : kept) {
                for (Row row : rows) {
                    if (column.derived() == derived) {
                        row.values().put(column.name(), column.value().of(sources.get(row), row, rows));
                    }
                }
            }
        }
        return rows;
    }

    /** Prints the tables. */
    void print(List<Row> rows, PrintWriter out) {
        Map<String, List<Row>> tables = new LinkedHashMap<>();
        rows.stream()
                .flatMap(row -> lines.apply(row).stream())
                .forEach(row -> tables.computeIfAbsent(title.apply(row), _ -> new ArrayList<>())
                        .add(row));
        Set<Column> explained = new LinkedHashSet<>();
        tables.forEach((above, some) -> {
            some.sort(order);
            List<Column> headed = columns.stream()
                    .filter(column -> column.heading() != null
                            && some.stream()
                                    .anyMatch(row -> !column.cell().apply(row).equals(MISSING)))
                    .toList();
            out.println();
            out.println(above);
            TextTable table = new TextTable(
                    (int) headed.stream().takeWhile(Column::words).count(),
                    headed.stream().map(Column::heading).toArray(String[]::new));
            some.forEach(row -> table.add(
                    headed.stream().map(column -> column.cell().apply(row)).toArray(String[]::new)));
            table.print(out);
            headed.stream().filter(column -> column.note() != null).forEach(explained::add);
        });
        explain(explained, out);
        out.flush();
    }

    private void explain(Set<Column> explained, PrintWriter out) {
        if (!explained.isEmpty() || !legend.isEmpty()) {
            out.println();
        }
        legend.forEach(line -> out.println("  " + line));
        int width = explained.stream()
                .mapToInt(column -> column.heading().length())
                .max()
                .orElse(0);
        explained.forEach(column -> out.printf("  %-" + width + "s  %s%n", column.heading(), column.note()));
    }
}
