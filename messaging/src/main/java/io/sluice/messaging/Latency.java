package io.sluice.messaging;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The time from one host to another as users write it: {@code 50us}, {@code 1.5ms} or {@code 2s}. */
public final class Latency {
    private static final Pattern TIME = Pattern.compile("(\\d{1,9}(?:\\.\\d{1,9})?) ?(us|ms|s)");

    private Latency() {}

    /**
     * Reads a time.
     *
     * @param setting name of the setting, for the error
     * @param text text to read
     * @return seconds
     * @throws IllegalArgumentException if the text is not a time
     */
    public static double parse(String setting, String text) {
        Matcher time = TIME.matcher(text.trim());
        if (!time.matches()) {
            throw new IllegalArgumentException(setting + " is '" + text + "', expected a time such as 50us or 1.5ms");
        }
        double unit = switch (time.group(2)) {
            case "us" -> 1e-6;
            case "ms" -> 1e-3;
            default -> 1;
        };
        return Double.parseDouble(time.group(1)) * unit;
    }
}
