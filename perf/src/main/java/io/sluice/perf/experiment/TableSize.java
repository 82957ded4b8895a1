package io.sluice.perf.experiment;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The length of a table: {@code 64mib} of f32, {@code 2^24} elements, or {@code 1000000} elements. */
public record TableSize(long elements) {
    private static final Pattern BYTES = Pattern.compile("(\\d{1,7})(kib|mib|gib)");
    private static final Pattern POWER = Pattern.compile("2\\^(\\d{1,2})");
    private static final Pattern ELEMENTS = Pattern.compile("\\d{1,10}");
    private static final long LEAST = 1 << 10;
    private static final long MOST = 1L << 28;

    /**
     * Reads a size.
     *
     * @throws IllegalArgumentException that names the option, if the text is not a size
     */
    public static TableSize parse(String option, String text) {
        long elements = elements(text.toLowerCase(Locale.ROOT));
        if (elements < LEAST || elements > MOST) {
            throw new IllegalArgumentException(option + " is " + text
                    + ", expected 4kib to 1gib, or 2^10 to 2^28 elements, such as 64mib or 2^24");
        }
        return new TableSize(elements);
    }

    /** The number of elements, or -1 if the text is not a size. */
    private static long elements(String text) {
        Matcher bytes = BYTES.matcher(text);
        if (bytes.matches()) {
            int shift = switch (bytes.group(2)) {
                case "kib" -> 10;
                case "mib" -> 20;
                default -> 30;
            };
            return (Long.parseLong(bytes.group(1)) << shift) / Float.BYTES;
        }
        Matcher power = POWER.matcher(text);
        if (power.matches()) {
            int exponent = Integer.parseInt(power.group(1));
            return exponent < Long.SIZE - 1 ? 1L << exponent : -1;
        }
        return ELEMENTS.matcher(text).matches() ? Long.parseLong(text) : -1;
    }

    /** The size in its usual notation. */
    public String words() {
        long bytes = elements * Float.BYTES;
        return bytes % (1 << 20) == 0 ? (bytes >> 20) + "mib" : elements + " elements";
    }
}
