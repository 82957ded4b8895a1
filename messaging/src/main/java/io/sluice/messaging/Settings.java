package io.sluice.messaging;

import io.sluice.messaging.api.MessagingException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.agrona.SystemUtil;

/**
 * Reads defaults from system properties and refuses values outside their range, with the name, the value and the
 * allowed range. The contexts of all modules share it, so that all messages have the same form.
 */
public final class Settings {
    private Settings() {}

    /**
     * A text property.
     *
     * @param property name, for instance {@code sluice.aeron.dir}.
     * @param fallback value when the property is not set or empty.
     * @return value of the property without surrounding white space, or the fallback.
     */
    public static String text(String property, String fallback) {
        String value = System.getProperty(property);
        return value == null || value.isBlank() ? fallback : value.trim();
    }

    /**
     * A whole number, written in digits.
     *
     * @param property name.
     * @param fallback value when the property is not set.
     * @return the number.
     * @throws MessagingException if the text is not a number or exceeds 32 bits.
     */
    public static int integer(String property, int fallback) {
        String value = text(property, null);
        try {
            return value == null ? fallback : Integer.parseInt(value);
        } catch (NumberFormatException e) {
            throw new MessagingException(property + "=" + value + " is not a whole number such as 4", e);
        }
    }

    /**
     * A size in bytes, written as {@code 65536}, {@code 64k}, {@code 4m} or {@code 1g}.
     *
     * @param property name.
     * @param fallback value in bytes when the property is not set.
     * @return the size in bytes.
     * @throws MessagingException if the text is not a size.
     */
    public static long size(String property, long fallback) {
        String value = text(property, null);
        if (value == null) {
            return fallback;
        }
        try {
            return SystemUtil.parseSize(property, value);
        } catch (NumberFormatException e) {
            throw new MessagingException(property + "=" + value + " is not a size such as 65536, 64k, 4m or 1g", e);
        }
    }

    /**
     * A size in bytes below 2 GiB, written as for {@link #size}.
     *
     * @param property name.
     * @param fallback value in bytes when the property is not set.
     * @return the size in bytes.
     * @throws MessagingException if the text is not a size, or too large a one.
     */
    public static int intSize(String property, int fallback) {
        return (int) inRange(property, size(property, fallback), 0, Integer.MAX_VALUE);
    }

    /**
     * A duration, written with its unit: {@code 500us}, {@code 20ms}, {@code 5s}; a plain number is nanoseconds.
     *
     * @param property name.
     * @param fallbackNs value in nanoseconds when the property is not set.
     * @return the duration in nanoseconds.
     * @throws MessagingException if the text is not a duration.
     */
    public static long duration(String property, long fallbackNs) {
        String value = text(property, null);
        if (value == null) {
            return fallbackNs;
        }
        try {
            return SystemUtil.parseDuration(property, value);
        } catch (NumberFormatException e) {
            throw new MessagingException(property + "=" + value + " is not a duration such as 500us, 20ms or 5s", e);
        }
    }

    /**
     * Bits per second, written as {@link LinkRate} reads them: {@code 200mbit}, {@code 1gbit}.
     *
     * @param property name.
     * @param fallback value in bits per second when the property is not set.
     * @return the rate in bits per second.
     * @throws MessagingException if the text is not a rate.
     */
    public static long rate(String property, long fallback) {
        String value = text(property, null);
        try {
            return value == null ? fallback : LinkRate.parse(property, value);
        } catch (IllegalArgumentException e) {
            throw new MessagingException(e.getMessage(), e);
        }
    }

    /**
     * A yes or no, written as {@code true} or {@code false}.
     *
     * @param property name.
     * @param fallback value when the property is not set.
     * @return the value.
     * @throws MessagingException if the text is neither of the two.
     */
    public static boolean flag(String property, boolean fallback) {
        String value = text(property, String.valueOf(fallback));
        return switch (value) {
            case "true" -> true;
            case "false" -> false;
            default -> throw new MessagingException(property + "=" + value + " is not one of true, false");
        };
    }

    /**
     * One of an enum's constants, written as {@link #constant} reads it.
     *
     * @param property name.
     * @param fallback value when the property is not set.
     * @param type the enum.
     * @param <E> the enum.
     * @return the constant.
     * @throws MessagingException if the text names no constant.
     */
    public static <E extends Enum<E>> E choice(String property, E fallback, Class<E> type) {
        String value = text(property, null);
        if (value == null) {
            return fallback;
        }
        try {
            return constant(property, value, type);
        } catch (IllegalArgumentException e) {
            throw new MessagingException(e.getMessage(), e);
        }
    }

    /**
     * One of an enum's constants, in any case, with hyphens or underscores between words.
     *
     * @param name name of the property or option.
     * @param value its text; null is refused.
     * @param type the enum.
     * @param <E> the enum.
     * @return the constant.
     * @throws IllegalArgumentException if the text names no constant.
     */
    public static <E extends Enum<E>> E constant(String name, String value, Class<E> type) {
        List<String> texts =
                Arrays.stream(type.getEnumConstants()).map(Settings::configName).toList();
        int index = null == value
                ? -1
                : texts.indexOf(value.toLowerCase(Locale.ROOT).replace('_', '-'));
        if (index < 0) {
            throw new IllegalArgumentException(name + " is " + (null == value ? "null" : "'" + value + "'")
                    + ", expected one of " + String.join(", ", texts));
        }
        return type.getEnumConstants()[index];
    }

    /**
     * The text of one of an enum's constants, which {@link #constant} reads.
     *
     * @param constant the constant.
     * @return its name in lower case, with hyphens.
     */
    public static String configName(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /**
     * Returns the value if it is within its range.
     *
     * @param name name of the setting.
     * @param value value of the setting.
     * @param min lowest value allowed.
     * @param max highest value allowed.
     * @return {@code value}.
     * @throws MessagingException if it is outside.
     */
    public static long inRange(String name, long value, long min, long max) {
        if (value < min || value > max) {
            throw new MessagingException(name + "=" + value + " is outside the allowed range " + min + " to " + max);
        }
        return value;
    }

    /**
     * Returns the value if it is within its range and is a multiple of a unit.
     *
     * @param name name of the setting.
     * @param value value of the setting.
     * @param min lowest value allowed.
     * @param max highest value allowed.
     * @param unit unit of which the value must be a multiple.
     * @return {@code value}.
     * @throws MessagingException if it is outside or is not a multiple.
     */
    public static int multipleInRange(String name, int value, int min, int max, int unit) {
        inRange(name, value, min, max);
        if (value % unit != 0) {
            throw new MessagingException(name + "=" + value + " is not a multiple of " + unit + " (allowed range " + min
                    + " to " + max + ")");
        }
        return value;
    }

    /**
     * Returns the value if it is a power of two within its range.
     *
     * @param name name of the setting.
     * @param value value of the setting.
     * @param min lowest value allowed.
     * @param max highest value allowed.
     * @return {@code value}.
     * @throws MessagingException if it is outside or is not a power of two.
     */
    public static int powerOfTwoInRange(String name, int value, int min, int max) {
        inRange(name, value, min, max);
        if (Integer.bitCount(value) != 1) {
            throw new MessagingException(
                    name + "=" + value + " is not a power of two (allowed range " + min + " to " + max + ")");
        }
        return value;
    }

    /**
     * Returns the value if it is not null.
     *
     * @param name name of the setting.
     * @param value value of the setting.
     * @param <T> its type.
     * @return {@code value}.
     * @throws MessagingException if it is null.
     */
    public static <T> T present(String name, T value) {
        if (value == null) {
            throw new MessagingException(name + " is null where a value is expected");
        }
        return value;
    }
}
