package io.sluice.perf.shared;

import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.annotation.JsonNaming;
import java.util.Arrays;
import java.util.List;

/**
 * What one threshold did in one phase, in all turns.
 *
 * @param threshold     word
 * @param filter        as {@code --filter} takes it
 * @param phase         before, cross or after
 * @param clocks        that were counted
 * @param clockMs       median time of a clock, of the slowest worker
 * @param clockP95Ms    95 of 100 take no longer
 * @param ratio         of the median to that before, same threshold
 * @param p95Ratio      of the 95 of 100 to those before
 * @param kept          share of elements pushed
 * @param bytesPerClock sent by all nodes, with Aeron's headers and retransmissions
 * @param retransmitted share of these bytes
 * @param dropped       packets that found a queue full, those of others included
 * @param leastRate     estimate of the slowest link at the end of the phase, bits per second
 */
@JsonNaming(PropertyNamingStrategies.SnakeCaseStrategy.class)
record SharedRow(
        String threshold,
        String filter,
        String phase,
        int clocks,
        double clockMs,
        double clockP95Ms,
        double ratio,
        double p95Ratio,
        double kept,
        double bytesPerClock,
        double retransmitted,
        long dropped,
        long leastRate) {
    private static final double MS = 1e3;
    private static final double MEDIAN = 0.5;
    private static final double P95 = 0.95;

    /** Sums up the turns of a threshold. */
    static SharedRow of(SharedPlan plan, Threshold threshold, Phase phase, List<Turn> turns) {
        double[] seconds = seconds(plan, phase, turns);
        double[] before = seconds(plan, Phase.BEFORE, turns);
        Traffic traffic = turns.stream()
                .map(turn -> turn.traffic().get(phase.ordinal()))
                .reduce(Traffic::and)
                .orElseThrow();
        return new SharedRow(
                threshold.configName(),
                threshold.filter(plan),
                phase.configName(),
                seconds.length,
                MS * at(seconds, MEDIAN),
                MS * at(seconds, P95),
                at(seconds, MEDIAN) / at(before, MEDIAN),
                at(seconds, P95) / at(before, P95),
                turns.stream()
                        .mapToDouble(turn -> turn.kept(plan, phase))
                        .average()
                        .orElseThrow(),
                (double) traffic.bytes() / seconds.length,
                (double) traffic.retransmitted() / traffic.bytes(),
                traffic.dropped(),
                traffic.leastRate());
    }

    private static double[] seconds(SharedPlan plan, Phase phase, List<Turn> turns) {
        return turns.stream()
                .flatMapToDouble(turn -> Arrays.stream(turn.seconds(plan, phase)))
                .sorted()
                .toArray();
    }

    private static double at(double[] sorted, double share) {
        return sorted[(int) Math.ceil(share * sorted.length) - 1];
    }
}
