package io.sluice.perf.report;

import java.util.Arrays;

/** Median and quartiles of a sample, by linear interpolation between its ordered values. */
public record Quartiles(double low, double median, double high) {
    /**
     * Orders a sample.
     *
     * @param sample at least one value, none of them NaN
     */
    public static Quartiles of(double... sample) {
        if (sample.length == 0) {
            throw new IllegalArgumentException("a sample of 0 values has no quartiles");
        }
        double[] ordered = sample.clone();
        Arrays.sort(ordered);
        return new Quartiles(at(ordered, 0.25), at(ordered, 0.5), at(ordered, 0.75));
    }

    private static double at(double[] ordered, double share) {
        double place = share * (ordered.length - 1);
        int below = (int) place;
        int above = Math.min(below + 1, ordered.length - 1);
        return ordered[below] + (place - below) * (ordered[above] - ordered[below]);
    }
}
