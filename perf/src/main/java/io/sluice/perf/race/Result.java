package io.sluice.perf.race;

import java.util.List;
import java.util.function.ToDoubleFunction;
import org.HdrHistogram.Histogram;

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
        return over(turn -> perNano / turn.nanosPerPass());
    }

    /**
     * A percentile of the latencies, over the rounds.
     *
     * @param percentile 0 to 100
     * @return nanoseconds; to be asked only of a contestant that records latencies
     */
    public Quartiles latencyNanos(double percentile) {
        return over(turn -> turn.latencies().getValueAtPercentile(percentile));
    }

    /** The latencies of all rounds together, in nanoseconds; {@code null} if none were recorded. */
    public Histogram latencies() {
        if (turns.getFirst().latencies() == null) {
            return null;
        }
        Histogram all = turns.getFirst().latencies().copy();
        turns.stream().skip(1).forEach(turn -> all.add(turn.latencies()));
        return all;
    }

    /** Bytes on the heap that one element took, on average; negative if the JVM does not tell. */
    public double allocatedPerElement() {
        return perPass(turns.stream().mapToLong(Turn::allocatedBytes).sum()) / entrant.elements();
    }

    private Quartiles over(ToDoubleFunction<Turn> figure) {
        return Quartiles.of(turns.stream().mapToDouble(figure).toArray());
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
