package io.sluice.perf.race;

import java.util.List;

/**
 * What a race has shown of one contestant.
 *
 * @param entrant who
 * @param turns one for each round that counts, at least one
 */
public record Result<E extends Entrant>(E entrant, List<Turn> turns) {
    /** Elements a second, over the rounds. */
    public Quartiles elementsPerSecond() {
        double perNano = entrant.elements() * 1e9;
        return Quartiles.of(turns.stream()
                .mapToDouble(turn -> perNano / turn.nanosPerPass())
                .toArray());
    }

    /** Bytes made by one pass, on average. */
    public double bytes() {
        return perPass(turns.stream().mapToLong(Turn::bytes).sum());
    }

    /** Values in them, on average. */
    public double values() {
        return perPass(turns.stream().mapToLong(Turn::values).sum());
    }

    /** A bit for each block format that occurred. */
    public int formats() {
        return turns.stream().mapToInt(Turn::formats).reduce(0, (a, b) -> a | b);
    }

    private double perPass(long sum) {
        return (double) sum / turns.stream().mapToInt(Turn::passes).sum();
    }
}
