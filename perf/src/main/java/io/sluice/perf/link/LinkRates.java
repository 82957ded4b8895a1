package io.sluice.perf.link;

import io.sluice.perf.experiment.Parameter;
import java.util.ArrayList;
import java.util.List;

/**
 * The rates of an open loop, in frames per second.
 *
 * @param listed rates to measure, ascending, at least one
 * @param sweeps whether to double the rate after them, up to saturation
 */
record LinkRates(List<Double> listed, boolean sweeps) {
    private static final double DEFAULT = 10_000;
    private static final double LEAST = 100;
    private static final double MOST = 10_000_000;
    private static final String SWEEP = "sweep";

    /** Parses words, which are numbers and {@code sweep}; without words there is one default rate. */
    static LinkRates parse(LinkSpec.Mode mode, List<String> words) {
        if (!words.isEmpty() && mode != LinkSpec.Mode.OPEN_LOOP) {
            throw new IllegalArgumentException(
                    "--rate is for --mode open-loop, and the mode is " + Parameter.word(mode));
        }
        List<Double> rates = new ArrayList<>();
        for (String word : words) {
            if (!word.equals(SWEEP)) {
                rates.add(rate(word));
            }
        }
        if (rates.isEmpty()) {
            rates.add(DEFAULT);
        }
        return new LinkRates(rates.stream().distinct().sorted().toList(), words.contains(SWEEP));
    }

    private static double rate(String word) {
        double rate;
        try {
            rate = Double.parseDouble(word);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("--rate is '" + word + "', expected frames a second, or sweep", e);
        }
        if (!(rate >= LEAST && rate <= MOST)) {
            throw new IllegalArgumentException(
                    "--rate is " + rate + ", expected " + (int) LEAST + " to " + (int) MOST + " frames a second");
        }
        return rate;
    }

    double first() {
        return listed.getFirst();
    }

    /**
     * The rate to measure next.
     *
     * @param saturated whether the link fell far short of the rate that was measured last
     * @return the rate, or {@code null} after the last one
     */
    Double after(double rate, boolean saturated) {
        for (double next : listed) {
            if (next > rate) {
                return next;
            }
        }
        return sweeps && !saturated && 2 * rate <= MOST ? 2 * rate : null;
    }
}
