package io.sluice.perf.shared;

import java.util.Arrays;
import java.util.stream.Collectors;

/**
 * What one worker saw, for each clock of a turn.
 *
 * @param seconds  from the end of the clock before
 * @param kept     share of elements that it pushed
 * @param checksum of its replica at the end
 */
record Clocks(double[] seconds, double[] kept, int checksum) {
    String words() {
        return text(seconds) + " " + text(kept) + " " + checksum;
    }

    /** From the words of {@link #words}, behind the first. */
    static Clocks parse(String[] words) {
        return new Clocks(numbers(words[1]), numbers(words[2]), Integer.parseInt(words[3]));
    }

    private static String text(double[] numbers) {
        return Arrays.stream(numbers).mapToObj(Double::toString).collect(Collectors.joining(","));
    }

    private static double[] numbers(String text) {
        return Arrays.stream(text.split(",")).mapToDouble(Double::parseDouble).toArray();
    }
}
