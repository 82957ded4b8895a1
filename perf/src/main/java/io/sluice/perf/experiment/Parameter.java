package io.sluice.perf.experiment;

import io.sluice.messaging.LinkRate;
import io.sluice.perf.lab.LabEvent;
import java.lang.reflect.Field;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.DoublePredicate;

/**
 * A parameter of a scenario, declared once for the command line, the scenario file and the message about a wrong value.
 *
 * @param name  name in lower case, with hyphens; the option has two more in front
 * @param value default text; {@code null} for none
 * @param help  meaning, without the default
 * @param flag  whether the option takes no value on the command line
 */
public record Parameter<T>(String name, String label, String value, String help, boolean flag, Reader<T> reader) {
    private static final long LEAST_RATE = 1_000_000;
    private static final long MOST_RATE = 10_000_000_000L;

    /** Reads texts. */
    @FunctionalInterface
    public interface Reader<T> {
        /**
         * Reads a text.
         *
         * @throws IllegalArgumentException that names the option, the text and what was expected
         */
        T read(String option, String text);
    }

    /** An integer between two others. */
    public static Parameter<Integer> whole(String name, int value, int least, int most) {
        return of(name, "N", Integer.toString(value), (option, text) -> {
            try {
                return requireRange(option, Integer.parseInt(text), least, most);
            } catch (NumberFormatException e) {
                throw refusal(option, text, least + " to " + most);
            }
        });
    }

    /**
     * Checks an integer.
     *
     * @return {@code value}
     * @throws IllegalArgumentException if it is less than {@code least} or more than {@code most}
     */
    public static int requireRange(String option, int value, int least, int most) {
        if (value < least || value > most) {
            throw refusal(option, value, least + " to " + most);
        }
        return value;
    }

    /** A number that satisfies a condition, which the message states. */
    public static Parameter<Double> number(String name, double value, DoublePredicate condition, String expected) {
        return of(name, "X", shortest(value), (option, text) -> {
            try {
                double number = Double.parseDouble(text);
                if (condition.test(number)) {
                    return number;
                }
            } catch (NumberFormatException e) {
                // Refused below like a number out of range.
            }
            throw refusal(option, text, expected);
        });
    }

    /** A number above 0. */
    public static Parameter<Double> positive(String name, double value) {
        return number(name, value, number -> number > 0 && number < Double.POSITIVE_INFINITY, "a positive number");
    }

    /** A finite number, 0 or more. */
    public static Parameter<Double> notNegative(String name, double value) {
        return number(name, value, number -> number >= 0 && number < Double.POSITIVE_INFINITY, "0 or more");
    }

    /** A share of the elements that passes filters, above 0 and up to 1. */
    public static Parameter<Double> share(String name, double value) {
        return number(name, value, share -> share > 0 && share <= 1, "more than 0, up to 1");
    }

    /** The rate of links, in bits per second. */
    public static Parameter<Long> rate(String name, String value) {
        return of(name, "RATE", value, (option, text) -> {
            long bits = LinkRate.parse(option, text);
            if (bits < LEAST_RATE || bits > MOST_RATE) {
                throw refusal(option, text, "1mbit to 10gbit");
            }
            return bits;
        });
    }

    /** A time, in nanoseconds. */
    public static Parameter<Long> time(String name, String value, Duration most) {
        return of(name, "TIME", value, (option, text) -> {
            Duration time = LabEvent.time(option, text);
            if (time.compareTo(most) > 0) {
                throw refusal(option, text, "up to " + most.toSeconds() + "s");
            }
            return time.toNanos();
        });
    }

    /** The length of a table of f32. */
    public static Parameter<TableSize> size(String name, String value) {
        return of(name, "SIZE", value, TableSize::parse);
    }

    /** One of some words. */
    public static Parameter<String> choice(String name, String value, List<String> words) {
        return of(name, "NAME", value, (option, text) -> {
            return words.stream()
                    .filter(text::equalsIgnoreCase)
                    .findFirst()
                    .orElseThrow(() -> refusal(option, text, String.join(" or ", words)));
        });
    }

    /** One of some constants, by their {@linkplain #word words}. */
    public static <E extends Enum<E>> Parameter<E> constant(String name, E value, String help) {
        E[] all = value.getDeclaringClass().getEnumConstants();
        List<String> words = Arrays.stream(all).map(Parameter::word).toList();
        Parameter<String> word = choice(name, word(value), words);
        return of(name, "NAME", word.value, (option, text) -> all[words.indexOf(word.reader.read(option, text))])
                .help(help + ": " + String.join(", ", words));
    }

    /** The word for a constant: its name in lower case, with hyphens. */
    public static String word(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Text that the scenario itself reads. */
    public static Parameter<String> text(String name, String label, String value) {
        return of(name, label, value, (option, text) -> text);
    }

    /** A path; {@code null} if it is not given. */
    public static Parameter<Path> path(String name, String label) {
        return of(name, label, null, (option, text) -> Path.of(text));
    }

    /** A choice that is off by default. */
    public static Parameter<Boolean> flag(String name) {
        return new Parameter<>(name, "", "false", "", true, (option, text) -> {
            if (!text.equals("true") && !text.equals("false")) {
                throw refusal(option, text, "true or false");
            }
            return text.equals("true");
        });
    }

    /**
     * Any other parameter.
     *
     * @param value default text; {@code null} if there is none
     */
    public static <T> Parameter<T> of(String name, String label, String value, Reader<T> reader) {
        return new Parameter<>(name, label, value, "", false, reader);
    }

    /** The parameters that are constants of a scenario's class, in their order, and others. */
    public static List<Parameter<?>> declaredBy(Class<?> scenario, Parameter<?>... others) {
        List<Parameter<?>> all = new ArrayList<>();
        try {
            for (Field field : scenario.getDeclaredFields()) {
                if (field.getType() == Parameter.class) {
                    field.setAccessible(true);
                    all.add((Parameter<?>) field.get(null));
                }
            }
        } catch (IllegalAccessException e) {
            throw new IllegalStateException("the parameters of " + scenario + " cannot be read", e);
        }
        all.addAll(List.of(others));
        return all;
    }

    /** Explains it: the meaning, without the default. */
    public Parameter<T> help(String text) {
        return new Parameter<>(name, label, value, text, flag, reader);
    }

    /** Accepts several values, separated by commas. */
    public Parameter<List<T>> several() {
        return several(",", value);
    }

    /**
     * Takes several values.
     *
     * @param separator regular expression of the separator
     */
    public Parameter<List<T>> several(String separator, String values) {
        return of(
                        name,
                        label,
                        values,
                        (option, text) -> Arrays.stream(text.split(separator))
                                .map(each -> reader.read(option, each.strip()))
                                .toList())
                .help(help);
    }

    /** Accepts several values, separated by commas, with several default values. */
    public Parameter<List<T>> several(String values) {
        return several(",", values);
    }

    /** The option on the command line. */
    public String option() {
        return "--" + name;
    }

    T read(String text) {
        return text == null ? null : reader.read(option(), text);
    }

    /** The error for an invalid value. */
    public static IllegalArgumentException refusal(String option, Object value, String expected) {
        return new IllegalArgumentException(option + " is " + value + ", expected " + expected);
    }

    private static String shortest(double value) {
        return value == Math.rint(value) ? Long.toString((long) value) : Double.toString(value);
    }
}
