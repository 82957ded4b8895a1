package io.sluice.perf.exchange;

import io.sluice.perf.cluster.Cost;
import java.util.List;
import java.util.function.Function;

/**
 * One clock of all workers, from when the first of them began to push; in seconds.
 *
 * @param seconds    until the last worker had applied the last slice
 * @param push       until the last link to a server had taken the last push
 * @param firstSlice until the last worker had applied the first slice
 * @param cost       what it took beside
 */
record NetworkClock(double seconds, double push, double firstSlice, Cost cost) {
    private static final double NS = 1e9;

    static NetworkClock of(List<NetworkExchangeTask.Times> workers, int clock, Cost cost) {
        long start = workers.stream()
                .mapToLong(times -> times.starts()[clock])
                .reduce((one, other) -> other - one < 0 ? other : one)
                .orElseThrow();
        return new NetworkClock(
                latest(workers, start, times -> times.ends()[clock]),
                latest(workers, start, times -> times.pushed()[clock]),
                latest(workers, start, times -> times.firsts()[clock]),
                cost);
    }

    private static double latest(
            List<NetworkExchangeTask.Times> workers, long start, Function<NetworkExchangeTask.Times, Long> moment) {
        return workers.stream()
                        .mapToLong(times -> moment.apply(times) - start)
                        .max()
                        .orElseThrow()
                / NS;
    }
}
