package io.sluice.perf.broadcast;

/**
 * The plan of broadcasts, common to all ways to broadcast.
 *
 * @param elements number of f32 of a broadcast, spread evenly over the servers
 * @param warmup   number of warm-up broadcasts in each turn
 * @param counted  number of measured broadcasts in each turn
 */
public record BroadcastPlan(int servers, int workers, long elements, int warmup, int counted) {
    /** Number of broadcasts in each turn. */
    public int trials() {
        return warmup + counted;
    }

    public long bytes() {
        return elements * Float.BYTES;
    }
}
