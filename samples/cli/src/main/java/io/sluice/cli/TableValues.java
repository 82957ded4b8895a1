package io.sluice.cli;

import io.sluice.consistency.terms.TableTerms;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The values of an option of the form {@code [TABLE=]VALUE}, by table; {@link TableTerms#OTHERS} has the value without
 * a table. The name of a table has no colon and no semicolon, while values do.
 */
final class TableValues {
    private TableValues() {}

    /**
     * Splits the values.
     *
     * @param option name of the option
     * @param given values of the option, each for one table or for all others
     * @throws IllegalArgumentException if a table is named twice
     */
    static Map<String, String> parse(String option, List<String> given) {
        Map<String, String> values = new LinkedHashMap<>();
        for (String each : given) {
            boolean hasTable = each.matches("[^=:;]+=.*");
            String table = hasTable ? each.substring(0, each.indexOf('=')) : TableTerms.OTHERS;
            if (values.put(table, hasTable ? each.substring(each.indexOf('=') + 1) : each) != null) {
                throw new IllegalArgumentException(option + " is " + String.join(" and ", given)
                        + ", expected one value for " + (hasTable ? "table " + table : "all tables"));
            }
        }
        return values;
    }

    /** A value in the form in which users give it. */
    static String text(String table, String value) {
        return TableTerms.OTHERS.equals(table) ? value : table + "=" + value;
    }
}
