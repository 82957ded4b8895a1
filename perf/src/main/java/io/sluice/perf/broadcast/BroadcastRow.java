package io.sluice.perf.broadcast;

import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.annotation.JsonNaming;
import io.sluice.perf.race.Quartiles;
import java.util.List;

/**
 * What one way to broadcast took. All but {@code dropped} and what was asked for are medians over the broadcasts that
 * count.
 *
 * @param shape              how it was sent
 * @param workers            number of workers
 * @param servers            number of servers
 * @param bytes              of the parameters
 * @param rate               of each host's link, bits per second
 * @param kept               share of the elements that filters let pass
 * @param seconds            until the last worker had applied the last byte
 * @param secondsLow         lower quartile
 * @param secondsHigh        upper quartile
 * @param ratioToWire        seconds over those that the bytes alone take on one link
 * @param cpuSeconds         of all nodes and media drivers
 * @param maxUplinkBytes     that one host has sent, with all headers
 * @param uplinkRatio        those over the bytes
 * @param wireBytes          that all hosts have sent
 * @param dropped            packets that links had no room for, in all broadcasts
 * @param broadcasts         that count
 * @param simulatedSeconds   what {@link LabSimulation} says; {@code null} if it was not asked
 * @param simulationError    of that, as a share of the seconds
 */
@JsonNaming(PropertyNamingStrategies.SnakeCaseStrategy.class)
record BroadcastRow(
        String shape,
        int workers,
        int servers,
        long bytes,
        long rate,
        double kept,
        double seconds,
        double secondsLow,
        double secondsHigh,
        double ratioToWire,
        double cpuSeconds,
        long maxUplinkBytes,
        double uplinkRatio,
        long wireBytes,
        long dropped,
        int broadcasts,
        Double simulatedSeconds,
        Double simulationError) {
    /** Sums up the broadcasts that count. */
    static BroadcastRow of(BroadcastPlan plan, String shape, double kept, List<Broadcast> seen) {
        Quartiles seconds =
                Quartiles.of(seen.stream().mapToDouble(Broadcast::seconds).toArray());
        double uplink = Quartiles.of(seen.stream()
                        .mapToDouble(broadcast -> broadcast.cost().maxUplinkBytes())
                        .toArray())
                .median();
        double wire = Quartiles.of(seen.stream()
                        .mapToDouble(broadcast -> broadcast.cost().wireBytes())
                        .toArray())
                .median();
        return new BroadcastRow(
                shape,
                plan.star().workers(),
                plan.star().servers(),
                plan.bytes(),
                plan.star().rate(),
                kept,
                seconds.median(),
                seconds.low(),
                seconds.high(),
                seconds.median() / plan.star().wireSeconds(plan.bytes()),
                Quartiles.of(seen.stream()
                                .mapToDouble(broadcast -> broadcast.cost().cpuSeconds())
                                .toArray())
                        .median(),
                (long) uplink,
                uplink / plan.bytes(),
                (long) wire,
                seen.stream().mapToLong(broadcast -> broadcast.cost().dropped()).sum(),
                seen.size(),
                null,
                null);
    }

    /** The same beside a simulation of it. */
    BroadcastRow beside(double simulated) {
        return new BroadcastRow(
                shape,
                workers,
                servers,
                bytes,
                rate,
                kept,
                seconds,
                secondsLow,
                secondsHigh,
                ratioToWire,
                cpuSeconds,
                maxUplinkBytes,
                uplinkRatio,
                wireBytes,
                dropped,
                broadcasts,
                simulated,
                simulated / seconds - 1);
    }
}
