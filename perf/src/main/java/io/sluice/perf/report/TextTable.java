package io.sluice.perf.report;

import java.io.PrintWriter;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;

/** A table whose columns are as wide as their cells: words to the left, numbers to the right. */
public final class TextTable {
    private static final String GAP = "  ";
    private static final String MISSING = "-";

    private final List<String[]> lines = new ArrayList<>();
    private final int leftColumns;

    /**
     * Begins a table.
     *
     * @param leftColumns number of columns that are words
     */
    public TextTable(int leftColumns, String... headings) {
        this.leftColumns = leftColumns;
        lines.add(headings);
    }

    /** Adds a line, with as many cells as there are headings. */
    public void add(String... cells) {
        if (cells.length != lines.getFirst().length) {
            throw new IllegalArgumentException(cells.length + " cells under " + lines.getFirst().length + " headings");
        }
        lines.add(cells);
    }

    /** Formats a number, or a dash for none. */
    public static String cell(String format, Number value) {
        return value == null ? MISSING : String.format(format, value);
    }

    /** Formats a share with as few digits as possible, without an exponent. */
    public static String share(double value) {
        return BigDecimal.valueOf(value).stripTrailingZeros().toPlainString();
    }

    /** Prints all lines. */
    public void print(PrintWriter out) {
        int[] widths = new int[lines.getFirst().length];
        for (String[] line : lines) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], line[i].length());
            }
        }
        for (String[] line : lines) {
            StringBuilder text = new StringBuilder("  ");
            for (int i = 0; i < widths.length; i++) {
                String padding = " ".repeat(widths[i] - line[i].length());
                text.append(i < leftColumns ? line[i] + padding : padding + line[i])
                        .append(GAP);
            }
            out.println(text.toString().stripTrailing());
        }
    }
}
