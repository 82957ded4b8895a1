package io.sluice.perf.managed;

import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.annotation.JsonNaming;

/**
 * One run; names in JSON are in snake case.
 *
 * @param method          for people
 * @param protocol        of the cluster
 * @param order           of slices
 * @param consistency     rule
 * @param workers         number of workers
 * @param servers         number of servers
 * @param budget          of each data link, bits per second
 * @param burst           bytes that a link may send at once
 * @param batches         mini-batches of a worker in a clock
 * @param loss            mean log-loss over all examples, before the first clock and after each
 * @param clocksToGoal    clocks until the loss was at most what end-of-clock communication ends with; null if never
 * @param secondsPerClock mean
 * @param bytesPushed     by all workers, as they lie in the logs
 * @param bytesBroadcast  by all servers, likewise
 * @param earlyPushed     share of the frames pushed that went before their clock ended
 * @param earlyBroadcast  share of the frames broadcast that went before their version was complete
 * @param aboveRate       bytes that the worst link was above its rate at most, in any span of time
 * @param bursts          the same in bursts: at most 1 by the budget's own clock
 * @param lateMs          by how much the media driver, who takes frames from the log after they were admitted, has to
 *                        have been late where {@code bursts} is above 1; else 0
 */
@JsonNaming(PropertyNamingStrategies.SnakeCaseStrategy.class)
record ManagedRow(
        String method,
        String protocol,
        String order,
        String consistency,
        int workers,
        int servers,
        long budget,
        int burst,
        int batches,
        double[] loss,
        Integer clocksToGoal,
        double secondsPerClock,
        long bytesPushed,
        long bytesBroadcast,
        double earlyPushed,
        double earlyBroadcast,
        double aboveRate,
        double bursts,
        double lateMs) {
    double finalLoss() {
        return loss[loss.length - 1];
    }

    /** The same row, beside what end-of-clock communication came to. */
    ManagedRow towards(double goal) {
        Integer clocks = null;
        for (int clock = loss.length - 1; clock >= 0 && loss[clock] <= goal; clock--) {
            clocks = clock;
        }
        return new ManagedRow(
                method,
                protocol,
                order,
                consistency,
                workers,
                servers,
                budget,
                burst,
                batches,
                loss,
                clocks,
                secondsPerClock,
                bytesPushed,
                bytesBroadcast,
                earlyPushed,
                earlyBroadcast,
                aboveRate,
                bursts,
                lateMs);
    }
}
