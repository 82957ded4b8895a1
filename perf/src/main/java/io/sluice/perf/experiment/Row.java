package io.sluice.perf.experiment;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import io.sluice.perf.report.TextTable;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;

/**
 * Values by column name, as in the JSON.
 *
 * @param values texts, numbers, booleans, lists of numbers; {@code null} where a column does not apply
 */
public record Row(@JsonValue Map<String, Object> values) {
    /** Keeps the values without copying them. */
    @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
    public Row {}

    static Row empty() {
        return new Row(new LinkedHashMap<>());
    }

    /** Whether a column applies. */
    public boolean has(String column) {
        return values.get(column) != null;
    }

    public Object get(String column) {
        return values.get(column);
    }

    /** A number; NaN if the column does not apply. */
    public double number(String column) {
        return values.get(column) instanceof Number number ? number.doubleValue() : Double.NaN;
    }

    /** A text, or a number as it is written; empty if the column does not apply. */
    public String text(String column) {
        Object value = values.get(column);
        return value == null ? "" : String.valueOf(value);
    }

    /** A rate in bits per second as text; a rate that is not whole has a fraction. */
    public String mbit(String column) {
        return TextTable.share(number(column) / 1e6) + " Mbit/s";
    }

    /** Whether another row has the same values in some columns. */
    public boolean agrees(Row other, String... columns) {
        for (String column : columns) {
            if (!Objects.equals(values.get(column), other.values.get(column))) {
                return false;
            }
        }
        return true;
    }

    /**
     * The row with which this row is compared.
     *
     * @param which condition on the row, such as being a baseline
     * @param same  columns in which it has the values of this row
     * @return the first such row; one without values if there is none
     */
    public Row partner(List<Row> rows, Predicate<Row> which, String... same) {
        return rows.stream()
                .filter(other -> which.test(other) && agrees(other, same))
                .findFirst()
                .orElseGet(Row::empty);
    }

    /** The number of a column, divided by that of another row. */
    public double over(Row other, String column) {
        return number(column) / other.number(column);
    }

    /** The numbers of a column; none if it does not apply. */
    public double[] numbers(String column) {
        return switch (values.get(column)) {
            case null -> new double[0];
            case List<?> list ->
                list.stream().mapToDouble(each -> ((Number) each).doubleValue()).toArray();
            default -> new double[] {number(column)};
        };
    }
}
