package io.sluice.consistency.membership;

import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Terms that a trainer declares by name: settings unknown to Sluice that all workers of a job must share, such as the
 * batch size. They are sent as text, one {@code name=value} a line, in the order of the names.
 */
public final class DeclaredTerms {
    /** Maximum length of all terms as text, in bytes. */
    static final int MAX_BYTES = 4_096;

    private static final char BETWEEN = '=';

    private final SortedMap<String, String> values = new TreeMap<>();

    /** Creates an empty set of terms. */
    public DeclaredTerms() {}

    /**
     * Adds a term.
     *
     * @throws IllegalArgumentException if the name is already declared, the name or value cannot be sent, or all terms
     *     together are too long
     */
    public void declare(String name, String value) {
        if (name.isBlank() || name.indexOf(BETWEEN) >= 0 || !isOneLine(name)) {
            throw new IllegalArgumentException(
                    "a term is named '" + name + "', expected one line of text without '" + BETWEEN + "'");
        }
        if (!isOneLine(value)) {
            throw new IllegalArgumentException("term " + name + " is '" + value + "', expected one line of text");
        }
        if (values.containsKey(name)) {
            throw new IllegalArgumentException(
                    "term " + name + " is declared twice: as " + values.get(name) + " and as " + value);
        }
        values.put(name, value);
        int bytes = text().getBytes(StandardCharsets.UTF_8).length;
        if (bytes > MAX_BYTES) {
            values.remove(name);
            throw new IllegalArgumentException(
                    "with " + name + " the declared terms have " + bytes + " bytes, expected at most " + MAX_BYTES);
        }
    }

    private static boolean isOneLine(String text) {
        return text.chars().noneMatch(Character::isISOControl);
    }

    /** The text of all terms, in the order of their names. */
    public String text() {
        StringBuilder lines = new StringBuilder();
        values.forEach((name, value) -> lines.append(lines.isEmpty() ? "" : "\n")
                .append(name)
                .append(BETWEEN)
                .append(value));
        return lines.toString();
    }

    /**
     * Reads a text from untrusted bytes, cuts it to the maximum length, and replaces control characters other than line
     * ends.
     */
    static String received(byte[] bytes, int from) {
        int length = Math.min(bytes.length - from, MAX_BYTES);
        String text = new String(bytes, from, length, StandardCharsets.UTF_8);
        return text.replaceAll("[\\p{Cc}&&[^\n]]", "?");
    }

    /**
     * Describes the first declared term in which two workers differ.
     *
     * @param worker   name of the worker that requests to join
     * @param declared terms of the worker, as text
     * @param other    name of a worker of the cluster
     * @param agreed   terms that the other worker has declared, as text
     * @return a sentence, or null if no term differs
     */
    static String disagreement(String worker, String declared, String other, String agreed) {
        SortedMap<String, String> mine = parse(declared);
        SortedMap<String, String> theirs = parse(agreed);
        TreeSet<String> names = new TreeSet<>(mine.keySet());
        names.addAll(theirs.keySet());
        for (String name : names) {
            if (!Objects.equals(mine.get(name), theirs.get(name))) {
                return worker + declares(name, mine.get(name)) + ", but " + other + declares(name, theirs.get(name))
                        + ": start all workers with the same " + name;
            }
        }
        return null;
    }

    private static String declares(String name, String value) {
        return " declares " + (null == value ? "no " + name : name + " " + value);
    }

    private static SortedMap<String, String> parse(String text) {
        SortedMap<String, String> terms = new TreeMap<>();
        text.lines().forEach(line -> {
            int between = line.indexOf(BETWEEN);
            terms.put(between < 0 ? line : line.substring(0, between), between < 0 ? "" : line.substring(between + 1));
        });
        return terms;
    }
}
