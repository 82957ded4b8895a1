package io.sluice.cli.stat;

import java.util.Locale;

/** Formats numbers in few columns. */
final class Amount {
    private static final String STEPS = " kMGTPE";

    private Amount() {}

    /**
     * Formats a number in up to 6 columns, in steps of 1,000: {@code 999}, {@code 1.23k}, {@code 12.3M}; a dash for an
     * unknown number.
     */
    static String of(double value) {
        if (Double.isNaN(value)) {
            return "-";
        }
        double left = Math.abs(value);
        int step = 0;
        while (left >= 999.5 && step < STEPS.length() - 1) {
            left /= 1_000;
            step++;
        }
        String sign = value < 0 ? "-" : "";
        if (step == 0) {
            return sign + (left == Math.rint(left) ? "%.0f" : "%.1f").formatted(left);
        }
        String digits = left >= 99.95 ? "%.0f" : left >= 9.995 ? "%.1f" : "%.2f";
        return sign + String.format(Locale.ROOT, digits, left) + STEPS.charAt(step);
    }

    /** Formats a time: {@code 12 us}, {@code 3.4 ms}, {@code 5.6 s}. */
    static String time(long ns) {
        if (ns < 1_000_000) {
            return ns / 1_000 + " us";
        }
        return ns < 1_000_000_000
                ? String.format(Locale.ROOT, "%.1f ms", ns / 1e6)
                : String.format(Locale.ROOT, "%.1f s", ns / 1e9);
    }
}
