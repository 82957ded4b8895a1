package io.sluice.perf.broadcast;

/**
 * The plan that all ways to broadcast share.
 *
 * @param elements f32 that are broadcast, spread evenly over the servers
 * @param warmup   broadcasts of a turn that do not count
 * @param counted  broadcasts of a turn that count
 */
public record BroadcastPlan(int servers, int workers, long elements, int warmup, int counted) {
    /** Broadcasts of a turn. */
    public int trials() {
        return warmup + counted;
    }

    public long bytes() {
        return elements * Float.BYTES;
    }
}
