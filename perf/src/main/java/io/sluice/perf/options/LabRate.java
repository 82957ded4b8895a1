package io.sluice.perf.options;

import io.sluice.messaging.LinkRate;

/** The rate of a lab's links, as commands read it that fill them. */
public final class LabRate {
    /** Where a list of names is split: these have commas of their own, before numbers. */
    public static final String COMMA_BEFORE_WORD = ",(?=[a-z])";

    private static final long LEAST = 1_000_000;
    private static final long MOST = 10_000_000_000L;

    private LabRate() {}

    /**
     * Reads one.
     *
     * @param option that has it
     * @param text   such as {@code 200mbit}
     * @return bits per second
     * @throws IllegalArgumentException naming the option, if it is no rate or out of range
     */
    public static long parse(String option, String text) {
        long bits = LinkRate.parse(option, text);
        if (bits < LEAST || bits > MOST) {
            throw new IllegalArgumentException(option + " has '" + text + "', expected 1mbit to 10gbit");
        }
        return bits;
    }
}
