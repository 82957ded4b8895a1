package io.sluice.messaging.api;

import io.sluice.messaging.LinkRate;
import java.io.Serializable;

/**
 * A bound on what is sent: a rate and a burst, or no bound.
 *
 * @param rate  bits per second, 1 kbit/s to 100 Gbit/s, or 0 for no bound
 * @param burst bytes that may be sent at once, at least the longest frame; 0 if there is no bound
 */
public record Budget(long rate, int burst) implements Serializable {
    /** No bound. */
    public static final Budget NONE = new Budget(0, 0);

    /** The default burst: four frames of 64 KiB. */
    public static final int DEFAULT_BURST = 256 << 10;

    /** Minimum rate, in bits per second. */
    public static final long MIN_RATE = 1_000;

    /** Maximum rate, in bits per second. */
    public static final long MAX_RATE = 100_000_000_000L;

    /** Maximum burst, in bytes. */
    public static final int MAX_BURST = 1 << 28;

    /** Checks the ranges, unless both are 0. */
    public Budget {
        if (rate != 0 || burst != 0) {
            requireInRange("budget rate", rate, MIN_RATE, MAX_RATE, "bits per second");
            requireInRange("budget burst", burst, 1, MAX_BURST, "bytes");
        }
    }

    private static void requireInRange(String name, long value, long min, long max, String unit) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(name + " is " + value + ", expected " + min + " to " + max + " " + unit);
        }
    }

    /**
     * Reads a budget.
     *
     * @param setting name of the setting, for the error
     * @param text    {@code none}, or a rate as {@link LinkRate} reads it
     * @param burst   burst in bytes
     * @return the budget
     * @throws IllegalArgumentException naming the setting, if the text is neither or the rate is out of range
     */
    public static Budget parse(String setting, String text, int burst) {
        if (text.equals("none")) {
            return NONE;
        }
        long rate = LinkRate.parse(setting, text);
        try {
            return new Budget(rate, burst);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(setting + " is '" + text + "': " + e.getMessage(), e);
        }
    }

    /** Whether there is a bound. */
    public boolean isBound() {
        return rate != 0;
    }
}
