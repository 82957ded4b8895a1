package io.sluice.perf.experiment;

import io.sluice.perf.report.TextTable;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * How the rows of a scenario are made, shown and drawn.
 *
 * @param title   of a table, by its first row; rows with equal titles are in one table
 * @param columns in their order
 * @param curves  plots; those whose lower axis has one value are left out, but for the first if all are
 */
public record Layout(Function<Row, String> title, List<Column> columns, List<Curves> curves) {
    /** One without plots. */
    public Layout(Function<Row, String> title, List<Column> columns) {
        this(title, columns, List.of());
    }

    /** Makes rows of samples: one of all that have equal facts. */
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
        List<Column> shown =
                columns.stream().filter(column -> column.heading() != null).toList();
        int words = (int) shown.stream().takeWhile(Column::words).count();
        Map<String, List<Row>> tables = new LinkedHashMap<>();
        rows.forEach(row ->
                tables.computeIfAbsent(title.apply(row), _ -> new ArrayList<>()).add(row));
        tables.forEach((above, some) -> {
            out.println();
            out.println(above);
            TextTable table =
                    new TextTable(words, shown.stream().map(Column::heading).toArray(String[]::new));
            some.forEach(row -> table.add(
                    shown.stream().map(column -> column.cell().apply(row)).toArray(String[]::new)));
            table.print(out);
        });
        explain(shown, out);
        out.flush();
    }

    private static void explain(List<Column> shown, PrintWriter out) {
        List<Column> explained =
                shown.stream().filter(column -> column.note() != null).toList();
        int width = explained.stream()
                .mapToInt(column -> column.heading().length())
                .max()
                .orElse(0);
        if (width > 0) {
            out.println();
            explained.forEach(column -> out.println(
                    ("  " + column.heading() + " ".repeat(width)).substring(0, width + 2) + "  " + column.note()));
        }
    }
}
