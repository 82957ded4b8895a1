package io.sluice.messaging;

import java.math.BigDecimal;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The rate of a link as users write it: a number and {@code bit}, {@code kbit}, {@code mbit}, {@code gbit} or
 * {@code tbit} per second, in any case, in steps of 1,000; for instance {@code 1gbit}, {@code 2.5Gbit} or
 * {@code 200mbit}.
 */
public final class LinkRate {
    private static final Pattern RATE = Pattern.compile("(\\d{1,15}(?:\\.\\d{1,9})?) ?([kmgt]?)bit");
    private static final String STEPS = "kmgt";

    private LinkRate() {}

    /**
     * Reads a rate.
     *
     * @param setting name of the setting, for the error
     * @param text text to read
     * @return bits per second, rounded down
     * @throws IllegalArgumentException if the text is not a rate, or the rate exceeds 63 bits
     */
    public static long parse(String setting, String text) {
        Matcher matcher = RATE.matcher(text.trim().toLowerCase(Locale.ROOT));
        if (matcher.matches()) {
            int steps = matcher.group(2).isEmpty() ? 0 : STEPS.indexOf(matcher.group(2)) + 1;
            BigDecimal bits = new BigDecimal(matcher.group(1)).movePointRight(3 * steps);
            if (bits.compareTo(BigDecimal.valueOf(Long.MAX_VALUE)) <= 0) {
                return bits.longValue();
            }
        }
        throw new IllegalArgumentException(
                setting + " is '" + text + "', expected bits per second such as 1gbit or 200mbit");
    }
}
