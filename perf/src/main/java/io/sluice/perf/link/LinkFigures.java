package io.sluice.perf.link;

import io.sluice.perf.race.Quartiles;
import io.sluice.perf.race.Result;
import io.sluice.perf.race.Turn;
import org.HdrHistogram.Histogram;

/**
 * What a race has shown of one stack.
 *
 * @param result of the race
 * @param main what {@code ours} and {@code raw} stand for: MB/s, or the median latency in us
 * @param latencies of all rounds in nanoseconds; {@code null} for throughput
 */
record LinkFigures(Result<LinkEntrant> result, Quartiles main, Histogram latencies) {
    private static final double MEGA = 1e6;
    private static final double NS_PER_US = 1e3;
    private static final double NS_PER_SECOND = 1e9;

    /** An open loop this much slower than asked for has not kept its rate. */
    private static final double RATE_SLACK = 0.99;

    private static final double SATURATED = 0.8;

    /**
     * Takes the figures of a result.
     *
     * @throws IllegalStateException if fewer or more bytes arrived than were sent
     */
    static LinkFigures of(Result<LinkEntrant> result) {
        LinkTrial trial = result.entrant().trial();
        for (Turn turn : result.turns()) {
            requireAllArrived(turn, result.entrant());
        }
        if (!trial.mode().recordsLatencies()) {
            return new LinkFigures(result, scaled(result.elementsPerSecond(), trial.frameLength() / MEGA), null);
        }
        return new LinkFigures(result, scaled(result.latencyNanos(50), 1 / NS_PER_US), result.latencies());
    }

    /** Senders count frames as values, receivers count bytes. */
    private static void requireAllArrived(Turn turn, LinkEntrant entrant) {
        long sent = turn.values() * entrant.trial().frameLength();
        if (turn.values() != turn.passes() * entrant.elements() || turn.bytes() != sent) {
            throw new IllegalStateException(
                    entrant.name() + ": " + turn.bytes() + " bytes arrived of " + sent + " sent");
        }
    }

    private static Quartiles scaled(Quartiles quartiles, double factor) {
        return new Quartiles(quartiles.low() * factor, quartiles.median() * factor, quartiles.high() * factor);
    }

    LinkTrial trial() {
        return result.entrant().trial();
    }

    /** A percentile over all rounds in microseconds; {@code null} for throughput. */
    Double percentileUs(double percentile) {
        return latencies == null ? null : latencies.getValueAtPercentile(percentile) / NS_PER_US;
    }

    /** The median over the rounds of a percentile, in microseconds; {@code null} for throughput. */
    Double medianOfPercentileUs(double percentile) {
        return latencies == null ? null : result.latencyNanos(percentile).median() / NS_PER_US;
    }

    /** Frames received in a second, over all rounds. */
    double framesPerSecond() {
        long frames = result.turns().stream().mapToLong(Turn::values).sum();
        return frames
                * NS_PER_SECOND
                / result.turns().stream().mapToLong(Turn::nanos).sum();
    }

    /** Whether an open loop was so much slower than asked for that no stall of the machine explains it. */
    boolean isSaturated() {
        return framesPerSecond() < SATURATED * trial().rate();
    }

    /** Whether an open loop kept its rate; {@code null} for other modes. */
    Boolean rateMet() {
        return trial().mode() == LinkMode.OPEN_LOOP ? framesPerSecond() >= RATE_SLACK * trial().rate() : null;
    }
}
