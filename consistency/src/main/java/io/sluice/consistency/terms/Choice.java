package io.sluice.consistency.terms;

import java.util.Locale;

/** A setting with a fixed set of values: users write its name, and frames carry its ordinal. */
public interface Choice {

    /**
     * The value as users write it.
     *
     * @return its name in lower case, with hyphens
     */
    default String configName() {
        return ((Enum<?>) this).name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /**
     * Finds the value for an ordinal that a frame carries.
     *
     * @param type    type of the setting
     * @param setting name of the setting, for the error
     * @param ordinal ordinal in the frame
     * @param <E>     the setting's type
     * @return the constant with that ordinal
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
