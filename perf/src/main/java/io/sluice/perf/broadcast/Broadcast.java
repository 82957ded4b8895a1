package io.sluice.perf.broadcast;

import io.sluice.perf.cluster.Cost;
import java.util.ArrayList;
import java.util.List;

/**
 * One broadcast.
 *
 * @param seconds seconds from the last push that servers wait for until the last worker has applied the last byte
 */
public record Broadcast(double seconds, Cost cost) {
    private static final double NS = 1e9;

    /**
     * Computes broadcasts from the times that each sender and receiver recorded ({@link System#nanoTime}).
     *
     * @return for each trial, the broadcast from the first start to the last end
     */
    public static List<Broadcast> between(List<long[]> starts, List<long[]> ends, List<Cost> costs) {
        List<Broadcast> broadcasts = new ArrayList<>();
        for (int i = 0; i < costs.size(); i++) {
            int trial = i;
            long any = starts.getFirst()[trial];
            long start =
                    starts.stream().mapToLong(times -> times[trial] - any).min().orElseThrow();
            long end =
                    ends.stream().mapToLong(times -> times[trial] - any).max().orElseThrow();
            broadcasts.add(new Broadcast((end - start) / NS, costs.get(trial)));
        }
        return broadcasts;
    }
}
