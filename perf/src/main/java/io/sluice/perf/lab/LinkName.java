package io.sluice.perf.lab;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The name of a link: of a host to its switch, or of a rack's switch to the core.
 *
 * @param index index of the host or rack, from 0
 */
public record LinkName(boolean rack, int index) {
    private static final Pattern NAME = Pattern.compile("(host|rack)?(\\d{1,4})");

    public static LinkName host(int index) {
        return new LinkName(false, index);
    }

    /** The uplink of a rack. */
    public static LinkName rack(int index) {
        return new LinkName(true, index);
    }

    /**
     * Parses a name.
     *
     * @param text such as {@code 2} or {@code host2} for a host, {@code rack0} for a rack
     */
    public static LinkName parse(String setting, String text) {
        Matcher matcher = NAME.matcher(text.trim());
        if (!matcher.matches()) {
            throw new IllegalArgumentException(
                    setting + ": '" + text + "' is not a link, expected a host such as 2 or a rack such as rack0");
        }
        return new LinkName("rack".equals(matcher.group(1)), Integer.parseInt(matcher.group(2)));
    }

    @Override
    public String toString() {
        return (rack ? "rack" : "host") + index;
    }
}
