package io.sluice.messaging;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Host names that differ in a number, as users write them: {@code rack1-[01-40]} is {@code rack1-01} to
 * {@code rack1-40}. All numbers have at least as many digits as the first.
 */
public final class HostRange {
    private static final Pattern RANGE = Pattern.compile("([^\\[\\]]*)\\[(\\d{1,9})-(\\d{1,9})]([^\\[\\]]*)");
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._:-]{0,62}");

    private HostRange() {}

    /**
     * The names that a text describes.
     *
     * @param text one name, or names with one range
     * @param most maximum number of names
     * @return the names, in ascending order
     * @throws IllegalArgumentException if it is neither, or the range ends before it begins or has too many names
     */
    public static List<String> expand(String text, int most) {
        Matcher range = RANGE.matcher(text);
        if (!range.matches()) {
            return List.of(checked(text, text));
        }
        int first = Integer.parseInt(range.group(2));
        int last = Integer.parseInt(range.group(3));
        if (last < first) {
            throw new IllegalArgumentException("host range '" + text + "' ends before it begins");
        }
        if (last - first >= most) {
            throw new IllegalArgumentException(
                    "host range '" + text + "' has " + ((long) last - first + 1) + " hosts, expected 1 to " + most);
        }
        String form = "%0" + range.group(2).length() + "d";
        List<String> names = new ArrayList<>();
        for (int number = first; number <= last; number++) {
            names.add(checked(range.group(1) + String.format(Locale.ROOT, form, number) + range.group(4), text));
        }
        return names;
    }

    private static String checked(String name, String text) {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "host '" + text + "' is not a name, expected up to 63 letters, digits, dots, "
                            + "colons, hyphens and underscores, or a range such as rack1-[01-40]");
        }
        return name;
    }
}
