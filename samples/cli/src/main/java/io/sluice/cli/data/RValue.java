package io.sluice.cli.data;

import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * A value of the language R.
 *
 * @param content {@code int[]}, {@code double[]}, {@code String[]}, a list of values, or null for R's NULL
 * @param attributes attributes of the value by name, such as the names of a list's elements
 */
record RValue(Object content, Map<String, RValue> attributes) {
    /** R's NULL. */
    static final RValue NULL = new RValue(null, Map.of());

    /**
     * An element of a list whose elements have names.
     *
     * @param name name of the element
     * @param type type of its content
     * @return its content
     * @throws IllegalArgumentException if there is no such element, or it is of a different type
     */
    <T> T get(String name, Class<T> type) {
        RValue found = get(name);
        if (!type.isInstance(found.content)) {
            throw new IllegalArgumentException("the element " + name + " is not of the type " + type.getSimpleName());
        }
        return type.cast(found.content);
    }

    /**
     * An element of a list whose elements have names.
     *
     * @param name name of the element
     * @return the element
     * @throws IllegalArgumentException if there is no such element
     */
    RValue get(String name) {
        RValue names = attributes.getOrDefault("names", NULL);
        if (content instanceof List<?> elements && names.content instanceof String[] texts) {
            int at = Arrays.asList(texts).indexOf(name);
            if (at >= 0 && at < elements.size() && elements.get(at) instanceof RValue found) {
                return found;
            }
        }
        throw new IllegalArgumentException("there is no element " + name);
    }
}
