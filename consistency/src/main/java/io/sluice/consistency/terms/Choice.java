package io.sluice.consistency.terms;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** A setting with a fixed set of values: written as a word by people, sent as its ordinal. */
public interface Choice {

    /**
     * The value as people write it.
     *
     * @return its name in lower case, with hyphens
     */
    default String configName() {
        return ((Enum<?>) this).name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /**
     * Finds the value for a word.
     *
     * @param type    the setting
     * @param setting name of the setting, for the error
     * @param word    as the user wrote it
     * @param <E>     the setting's type
     * @return the value
     * @throws IllegalArgumentException if there is no such value, with the names of all values
     */
    static <E extends Enum<E> & Choice> E named(Class<E> type, String setting, String word) {
        for (E value : type.getEnumConstants()) {
            if (value.configName().equals(word)) {
                return value;
            }
        }
        String known =
                Arrays.stream(type.getEnumConstants()).map(Choice::configName).collect(Collectors.joining(", "));
        throw new IllegalArgumentException(setting + " is '" + word + "', expected one of " + known);
    }

    /**
     * Finds the value for an ordinal off the wire.
     *
     * @param type    the setting
     * @param setting name of the setting, for the error
     * @param ordinal what was sent
     * @param <E>     the setting's type
     * @return the value
     * @throws IllegalArgumentException if there is none
     */
    static <E extends Enum<E> & Choice> E coded(Class<E> type, String setting, int ordinal) {
        E[] values = type.getEnumConstants();
        if (ordinal < 0 || ordinal >= values.length) {
            throw new IllegalArgumentException(
                    setting + " has code " + ordinal + ", expected 0 to " + (values.length - 1));
        }
        return values[ordinal];
    }
}
