package io.sluice.messaging;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A number of bytes as users write it: {@code 65536}, {@code 64KiB}, {@code 64MiB} or {@code 2GiB}, in any case. */
public final class ByteSize {
    private static final Pattern SIZE = Pattern.compile("(\\d{1,12}) ?(kib|mib|gib|b|)");

    private ByteSize() {}

    /**
     * Reads a number of bytes.
     *
     * @param setting name of the setting, for the error
     * @param text text to read
     * @param most maximum number of bytes
     * @return 1 to {@code most}
     * @throws IllegalArgumentException if the text is not a number of bytes or is out of range
     */
    public static long parse(String setting, String text, long most) {
        Matcher size = SIZE.matcher(text.trim().toLowerCase(Locale.ROOT));
        if (size.matches()) {
            int shift = switch (size.group(2)) {
                case "kib" -> 10;
                case "mib" -> 20;
                case "gib" -> 30;
                default -> 0;
            };
            long number = Long.parseLong(size.group(1));
            if (number >= 1 && number <= most >> shift) {
                return number << shift;
            }
        }
        throw new IllegalArgumentException(
                setting + " is '" + text + "', expected bytes such as 65536 or 64MiB, 1 to " + most);
    }
}
