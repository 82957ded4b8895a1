package io.sluice.messaging.outbox;

import io.sluice.messaging.LinkRate;

/**
 * What may be sent: a rate and a burst, or no bound.
 *
 * @param rate  bits per second, 1 kbit/s to 100 Gbit/s, or 0 for no bound
 * @param burst bytes that may go at once, with which the longest frame must fit; 0 if there is no bound
 */
public record Budget(long rate, int burst) {
    /** No bound. */
    public static final Budget NONE = new Budget(0, 0);

    /** Four frames of 64 KiB. */
    public static final int DEFAULT_BURST = 256 << 10;

    /** Refuses what {@link LeakyBucket} refuses. */
    public Budget {
        if (rate != 0 || burst != 0) {
            new LeakyBucket(rate, burst);
        }
    }

    /**
     * Reads a budget.
     *
     * @param setting name of the setting, for the error
     * @param text    {@code none}, or a rate as {@link LinkRate} reads it
     * @param burst   in bytes
     * @return the budget
     * @throws IllegalArgumentException naming the setting, if it is neither, or out of range
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
