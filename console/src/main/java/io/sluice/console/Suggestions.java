package io.sluice.console;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Finds the names that resemble an unknown one. */
public final class Suggestions {
    private static final int MOST = 3;

    private Suggestions() {}

    /**
     * Creates a question to append to the message about an unknown name.
     *
     * @param unknown what the user wrote
     * @param known   the names that exist
     * @return a text such as {@code ; did you mean train?}, with up to three equally similar names; empty if no name is
     *     similar
     */
    public static String question(String unknown, Collection<String> known) {
        return question(similar(unknown, known));
    }

    /** A question about the given names; empty if there are none. */
    static String question(List<String> names) {
        return names.isEmpty() ? "" : "; did you mean " + String.join(" or ", names) + "?";
    }

    /** The names that differ from the unknown one in the fewest letters, and in at most a third of them. */
    static List<String> similar(String unknown, Collection<String> known) {
        Map<Integer, List<String>> byDistance = known.stream()
                .distinct()
                .filter(name -> resembles(unknown, name))
                .collect(Collectors.groupingBy(
                        name -> distance(letters(unknown), letters(name)), TreeMap::new, Collectors.toList()));
        return byDistance.values().stream()
                .limit(1)
                .flatMap(List::stream)
                .limit(MOST)
                .toList();
    }

    private static boolean resembles(String unknown, String name) {
        int longer = Math.max(letters(unknown).length(), letters(name).length());
        return 3 * distance(letters(unknown), letters(name)) <= longer;
    }

    /** Removes the hyphens of an option, which would count as equal letters. */
    private static String letters(String name) {
        return name.replaceFirst("^-+", "");
    }

    /** Minimum number of letters to insert, delete, replace, or swap with the next one. */
    private static int distance(String one, String other) {
        int[][] steps = new int[one.length() + 1][other.length() + 1];
        for (int i = 0; i <= one.length(); i++) {
            for (int j = 0; j <= other.length(); j++) {
                steps[i][j] = Math.min(i, j) == 0 ? Math.max(i, j) : least(one, i, other, j, steps);
            }
        }
        return steps[one.length()][other.length()];
    }

    private static int least(String one, int i, String other, int j, int[][] steps) {
        int replace = steps[i - 1][j - 1] + (one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1);
        int least = Math.min(replace, Math.min(steps[i - 1][j], steps[i][j - 1]) + 1);
        boolean swapped =
                i > 1 && j > 1 && one.charAt(i - 1) == other.charAt(j - 2) && one.charAt(i - 2) == other.charAt(j - 1);
        return swapped ? Math.min(least, steps[i - 2][j - 2] + 1) : least;
    }
}
