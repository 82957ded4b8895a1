package io.sluice.perf.options;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Option;

/**
 * How often ways to do a job take turns, and how much of each turn counts. Every other round goes through them
 * backwards, so that what drifts in the machine meets them alike.
 */
public final class Repetition {
    private static final int MAX_ROUNDS = 100;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            defaultValue = "2",
            description = "Turns of each way that is compared (${DEFAULT-VALUE}).")
    private int rounds;

    /**
     * What a turn does.
     *
     * @param <W> a way to do the job
     * @param <S> what is seen of it once
     */
    @FunctionalInterface
    public interface Turn<W, S> {
        /** Does it, and returns what counts. */
        List<S> of(W way) throws IOException, InterruptedException;
    }

    /** Refuses a number out of range. */
    public void check() {
        if (rounds < 1 || rounds > MAX_ROUNDS) {
            throw new IllegalArgumentException("--rounds is " + rounds + ", expected 1 to " + MAX_ROUNDS);
        }
    }

    /**
     * Gives every way its turns.
     *
     * @param ways in the order of the first round
     * @param turn of one
     * @return what was seen of each
     */
    public <W, S> Map<W, List<S>> takeTurns(List<W> ways, Turn<W, S> turn) throws IOException, InterruptedException {
        Map<W, List<S>> seen = new LinkedHashMap<>();
        ways.forEach(way -> seen.put(way, new ArrayList<>()));
        for (int round = 0; round < rounds; round++) {
            for (W way : round % 2 == 0 ? ways : ways.reversed()) {
                seen.get(way).addAll(turn.of(way));
            }
        }
        return seen;
    }
}
