package io.sluice.perf.broadcast;

import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.annotation.JsonNaming;
import io.sluice.perf.race.Quartiles;
import java.util.List;

/**
 * What one way to broadcast on one host took. Medians over the broadcasts that count, but for processor time.
 *
 * @param shape              how it was sent
 * @param workers            that received it
 * @param servers            one
 * @param bytes              of the parameters
 * @param seconds            until the last worker had applied the last byte
 * @param secondsLow         lower quartile
 * @param secondsHigh        upper quartile
 * @param deliveredPerSecond bytes times workers over seconds
 * @param ratioToMpi         seconds over those of Open MPI in the same run; {@code null} where it is not installed
 * @param cpuSeconds         mean, of all nodes and the media driver, or of all ranks
 * @param broadcasts         that count
 */
@JsonNaming(PropertyNamingStrategies.SnakeCaseStrategy.class)
record OneHostRow(
        String shape,
        int workers,
        int servers,
        long bytes,
        double seconds,
        double secondsLow,
        double secondsHigh,
        double deliveredPerSecond,
        Double ratioToMpi,
        double cpuSeconds,
        int broadcasts) {
    /** Sums up the broadcasts that count; the ratio is not known yet. */
    static OneHostRow of(OneHostPlan plan, String shape, List<Broadcast> seen) {
        Quartiles seconds =
                Quartiles.of(seen.stream().mapToDouble(Broadcast::seconds).toArray());
        // Of our process the system tells in steps of several milliseconds.
        double cpu = seen.stream()
                .mapToDouble(broadcast -> broadcast.cost().cpuSeconds())
                .average()
                .orElseThrow();
        return new OneHostRow(
                shape,
                plan.workers(),
                1,
                plan.bytes(),
                seconds.median(),
                seconds.low(),
                seconds.high(),
                plan.bytes() * plan.workers() / seconds.median(),
                null,
                cpu,
                seen.size());
    }

    /** The same beside Open MPI. */
    OneHostRow beside(OneHostRow mpi) {
        return new OneHostRow(
                shape,
                workers,
                servers,
                bytes,
                seconds,
                secondsLow,
                secondsHigh,
                deliveredPerSecond,
                seconds / mpi.seconds,
                cpuSeconds,
                broadcasts);
    }
}
