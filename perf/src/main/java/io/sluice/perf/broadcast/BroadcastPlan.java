package io.sluice.perf.broadcast;

import io.sluice.perf.cluster.Star;

/**
 * What all ways to broadcast have in common.
 *
 * @param star     the hosts
 * @param elements f32 that are broadcast, spread evenly over the servers
 * @param warmup   broadcasts of a turn that do not count
 * @param counted  broadcasts of a turn that do
 */
public record BroadcastPlan(Star star, long elements, int warmup, int counted) {
    static final int MAX_BROADCASTS = 100;

    /** Refuses what is out of range, naming the option. */
    public BroadcastPlan {
        require(star.workers() >= 2, "--workers", star.workers(), "2 or more");
        require(counted >= 1 && counted <= MAX_BROADCASTS, "--broadcasts", counted, "1 to " + MAX_BROADCASTS);
        require(warmup >= 0 && warmup <= MAX_BROADCASTS, "--warmup", warmup, "0 to " + MAX_BROADCASTS);
    }

    private static void require(boolean sound, String option, int value, String expected) {
        if (!sound) {
            throw new IllegalArgumentException(option + " is " + value + ", expected " + expected);
        }
    }

    /** Broadcasts of a turn. */
    public int trials() {
        return warmup + counted;
    }

    /** Bytes of a broadcast. */
    public long bytes() {
        return elements * Float.BYTES;
    }
}
