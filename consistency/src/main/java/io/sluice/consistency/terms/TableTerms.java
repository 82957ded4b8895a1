package io.sluice.consistency.terms;

import io.sluice.codecs.api.ValueType;
import io.sluice.consistency.standard.UpdateRules;
import io.sluice.filter.policy.FilterPolicies;
import java.io.Serializable;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The terms that may differ from table to table.
 *
 * @param filter          specification of the filter of pushes, at most 200 characters
 * @param broadcastFilter specification of the filter of broadcasts, at most 200 characters
 * @param rule            specification of the update rule that servers apply to pushes, at most 200 characters
 * @param values          type in which values are sent; its rounding errors stay in the residual
 * @param sliceElements   floats in a slice, from 1 to 65,536
 */
public record TableTerms(String filter, String broadcastFilter, String rule, ValueType values, int sliceElements)
        implements Serializable {
    /** Name that means every table that no term names. */
    public static final String OTHERS = "*";

    /** Maximum length of the text of all tables' terms. */
    private static final int MAX_TEXT = 1 << 14;

    private static final int FIELDS = 6;

    /** Refuses a specification that names nothing, and values out of range. */
    public TableTerms {
        ClusterSettings.requireName("filter", filter);
        ClusterSettings.requireName("broadcast filter", broadcastFilter);
        ClusterSettings.requireName("rule", rule);
        ClusterSettings.require(null != values, "values", values, "a type of values");
        FilterPolicies.named(filter);
        FilterPolicies.named(broadcastFilter);
        UpdateRules.named(rule);
        ClusterSettings.require(
                sliceElements >= 1 && sliceElements <= TableSpec.MAX_SLICE_ELEMENTS,
                "slice elements",
                sliceElements,
                "1 to " + TableSpec.MAX_SLICE_ELEMENTS);
    }

    /** Terms under which pushes are exact bit for bit. */
    static TableTerms exact(int sliceElements) {
        return new TableTerms(
                ClusterSettingsBuilder.DEFAULT_FILTER,
                ClusterSettingsBuilder.DEFAULT_FILTER,
                UpdateRules.SUM,
                ValueType.F32,
                sliceElements);
    }

    /**
     * Writes the terms of all tables for the welcome.
     *
     * @param tables terms by table
     * @return a line for each
     * @throws IllegalArgumentException if the text is too long
     */
    static String text(Map<String, TableTerms> tables) {
        StringBuilder text = new StringBuilder();
        tables.forEach((name, terms) -> text.append(String.join(
                        "\t",
                        name,
                        terms.filter,
                        terms.broadcastFilter,
                        terms.rule,
                        terms.values.configName(),
                        Integer.toString(terms.sliceElements)))
                .append('\n'));
        requireShort(text);
        return text.toString();
    }

    /**
     * Reads the terms of all tables.
     *
     * @param text what {@link #text} has written
     * @return terms by table
     * @throws IllegalArgumentException if the text is malformed
     */
    public static Map<String, TableTerms> parse(String text) {
        requireShort(text);
        Map<String, TableTerms> tables = new LinkedHashMap<>();
        for (String line : text.split("\n")) {
            String[] fields = line.split("\t", -1);
            ClusterSettings.require(
                    fields.length == FIELDS && fields[FIELDS - 1].matches("[0-9]{1,9}"),
                    "line of tables",
                    "'" + line + "'",
                    "a name, two filters, a rule, a type of values and a number of floats");
            TableTerms terms = new TableTerms(
                    fields[1], fields[2], fields[3], ValueType.named(fields[4]), Integer.parseInt(fields[5]));
            ClusterSettings.require(null == tables.put(fields[0], terms), "table", fields[0], "one line");
        }
        return tables;
    }

    private static void requireShort(CharSequence text) {
        ClusterSettings.require(
                text.length() <= MAX_TEXT,
                "terms of tables",
                text.length() + " characters long, in the form that nodes exchange",
                "up to " + MAX_TEXT);
    }

    /**
     * Writes one term of all tables in the form of an option.
     *
     * @param tables terms by table
     * @param term   term to write
     * @return the term of the other tables, and {@code TABLE=TERM} after blanks for each table with a term of its own
     */
    static String summary(Map<String, TableTerms> tables, Function<TableTerms, String> term) {
        String others = term.apply(tables.get(OTHERS));
        String own = tables.entrySet().stream()
                .filter(table -> !term.apply(table.getValue()).equals(others))
                .map(table -> " " + table.getKey() + "=" + term.apply(table.getValue()))
                .collect(Collectors.joining());
        return others + own;
    }
}
