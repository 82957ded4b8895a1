package io.sluice.codecs.spi;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * The text of a policy: {@code name[:argument[,argument]...][;option[=value]]...}, without blanks. Reads its parts, and
 * refuses a wrong part with a message that names the text, the part and the expected form.
 */
public final class PolicySpec {
    private static final double MIN_RATE = 1e3;
    private static final double MAX_RATE = 1e13;

    private final String kind;
    private final String text;
    private final String form;
    private final List<String> arguments;
    private final Map<String, String> options = new LinkedHashMap<>();

    /**
     * Splits a specification into its parts.
     *
     * @param kind kind of the policy, for messages: {@code filter}
     * @param text the text as it was written
     * @param form expected form, for messages
     * @throws IllegalArgumentException if an option has no name or is given twice
     */
    public PolicySpec(String kind, String text, String form) {
        this.kind = kind;
        this.text = text;
        this.form = form;
        String[] parts = text.split(";", -1);
        int colon = parts[0].indexOf(':');
        this.arguments =
                colon < 0 ? List.of() : List.of(parts[0].substring(colon + 1).split(",", -1));
        for (int i = 1; i < parts.length; i++) {
            int equals = parts[i].indexOf('=');
            String name = equals < 0 ? parts[i] : parts[i].substring(0, equals);
            String value = equals < 0 ? "" : parts[i].substring(equals + 1);
            if (name.isEmpty() || options.put(name, value) != null) {
                throw refusal("option '" + parts[i] + "' is given twice or has no name");
            }
        }
    }

    /**
     * The name with which a text begins.
     *
     * @param text a specification, well-formed or not
     * @return the text before the first colon or semicolon
     */
    public static String nameIn(String text) {
        return text.split("[:;]", 2)[0];
    }

    /** The original text. */
    public String text() {
        return text;
    }

    /**
     * Refuses any other number of arguments.
     *
     * @param count expected number of arguments
     * @return this
     */
    public PolicySpec requireArguments(int count) {
        return requireArguments(count, count);
    }

    /**
     * Refuses any other number of arguments.
     *
     * @param few  one expected number of arguments
     * @param many another expected number of arguments
     * @return this
     */
    public PolicySpec requireArguments(int few, int many) {
        if (arguments.size() != few && arguments.size() != many) {
            throw refusal("it has " + arguments.size() + (arguments.size() == 1 ? " argument" : " arguments"));
        }
        return this;
    }

    /** The number of arguments. */
    public int arguments() {
        return arguments.size();
    }

    /**
     * Refuses all other options.
     *
     * @param names names that are allowed
     * @return this
     */
    public PolicySpec allowOptions(String... names) {
        Set<String> allowed = Set.of(names);
        for (String name : options.keySet()) {
            if (!allowed.contains(name)) {
                throw refusal("there is no option '" + name + "'");
            }
        }
        return this;
    }

    /**
     * Reads an argument.
     *
     * @param index index of the argument, from 0
     * @return a number; not necessarily finite
     */
    public double number(int index) {
        String argument = arguments.get(index);
        try {
            return Double.parseDouble(argument);
        } catch (NumberFormatException e) {
            throw refusal("'" + argument + "' is not a number");
        }
    }

    /**
     * Reads a whole number.
     *
     * @param index index of the argument, from 0
     * @param least smallest value allowed, 0 or more
     * @param most  largest value allowed, below 1,000,000,000
     * @return from {@code least} to {@code most}
     */
    public int whole(int index, int least, int most) {
        String argument = arguments.get(index);
        int number = argument.matches("[0-9]{1,9}") ? Integer.parseInt(argument) : -1;
        if (number < least || number > most) {
            throw refusal("'" + argument + "' is not a whole number from " + least + " to " + most);
        }
        return number;
    }

    /**
     * Reads a threshold.
     *
     * @param index index of the argument, from 0
     * @return a finite f32 of 0 or more
     */
    public double threshold(int index) {
        double value = number(index);
        if (!(value >= 0 && value <= Float.MAX_VALUE)) {
            throw refusal(value + " is not a finite f32 of 0 or more");
        }
        return value;
    }

    /**
     * Reads a share of the elements.
     *
     * @param index index of the argument, from 0
     * @return above 0, at most 1
     */
    public double density(int index) {
        double value = number(index);
        if (!(value > 0 && value <= 1)) {
            throw refusal(value + " is not above 0 and at most 1");
        }
        return value;
    }

    /**
     * Reads a number of bytes: digits, perhaps with a fraction, and {@code b}, {@code kb}, {@code mb} or {@code gb}, of
     * 1,024 each; without a unit, bytes.
     *
     * @param index index of the argument, from 0
     * @return 1 or more
     */
    public long bytes(int index) {
        String argument = arguments.get(index).toLowerCase(Locale.ROOT);
        String digits = argument.replaceFirst("(?:[kmg]?b)$", "");
        String unit = argument.substring(digits.length());
        long scale = 1L << (unit.length() < 2 ? 0 : 10 * (1 + "kmg".indexOf(unit.charAt(0))));
        if (!digits.matches("[0-9]{1,15}(\\.[0-9]{1,9})?")) {
            throw refusal("'" + arguments.get(index) + "' is not a number of bytes such as 65536, 500kb or 1.5mb");
        }
        double bytes = Double.parseDouble(digits) * scale;
        if (!(bytes >= 1 && bytes <= 1L << 50)) {
            throw refusal("'" + arguments.get(index) + "' is not within 1 byte and 1048576 gb");
        }
        return (long) bytes;
    }

    /**
     * Whether an argument is a certain word.
     *
     * @param index index of the argument, from 0
     * @param word  word to compare with
     */
    public boolean says(int index, String word) {
        return arguments.get(index).equals(word);
    }

    /**
     * Reads a rate given as an option: digits, perhaps with a fraction, and {@code bit}, {@code kbit}, {@code mbit} or
     * {@code gbit} per second, of 1,000 each.
     *
     * @param name name of the option
     * @return bits per second, 1,000 or more; 0 if the option is not given
     */
    public long rate(String name) {
        String value = options.get(name);
        if (value == null) {
            return 0;
        }
        String lower = value.toLowerCase(Locale.ROOT);
        String digits = lower.replaceFirst("[kmg]?bit$", "");
        String unit = lower.substring(digits.length());
        if (unit.isEmpty() || !digits.matches("[0-9]{1,12}(\\.[0-9]{1,9})?")) {
            throw refusal("option " + name + " is '" + value + "', which is not a rate such as 50mbit");
        }
        double rate = Double.parseDouble(digits) * Math.pow(1_000, 1 + "kmg".indexOf(unit.charAt(0)));
        if (!(rate >= MIN_RATE && rate <= MAX_RATE)) {
            throw refusal("option " + name + " is '" + value + "', which is not within 1kbit and 10000gbit");
        }
        return (long) rate;
    }

    /**
     * Reads a share given as an option.
     *
     * @param name name of the option
     * @param byDefault value if the option is not given
     * @return from 0 to 1
     */
    public double share(String name, double byDefault) {
        String value = options.get(name);
        if (value == null) {
            return byDefault;
        }
        double share = value.matches("[0-9]{0,9}\\.?[0-9]{1,17}") ? Double.parseDouble(value) : -1;
        if (!(share >= 0 && share <= 1)) {
            throw refusal("option " + name + " is '" + value + "', which is not a number from 0 to 1");
        }
        return share;
    }

    /**
     * Reads a whole number given as an option.
     *
     * @param name name of the option
     * @param least smallest value allowed
     * @param byDefault value if the option is not given
     * @return up to 1,000,000,000
     */
    public int option(String name, int least, int byDefault) {
        String value = options.get(name);
        if (value == null) {
            return byDefault;
        }
        int number = value.matches("[0-9]{1,9}") ? Integer.parseInt(value) : -1;
        if (number < least) {
            throw refusal("option " + name + " is '" + value + "', which is not a whole number from " + least);
        }
        return number;
    }

    /**
     * Whether an option without a value is given.
     *
     * @param name name of the option
     */
    public boolean flag(String name) {
        String value = options.get(name);
        if (value != null && !value.isEmpty()) {
            throw refusal("option " + name + " is '" + value + "', which has no value");
        }
        return value != null;
    }

    /**
     * Creates the exception for a specification with a wrong part.
     *
     * @param reason clause that names the wrong part
     * @return the exception, for the caller to throw
     */
    public IllegalArgumentException refusal(String reason) {
        return new IllegalArgumentException(kind + " is '" + text + "', expected " + form + ": " + reason);
    }
}
