package io.sluice.perf.broadcast;

/**
 * Broadcasts of one size to so many workers on one host.
 *
 * @param workers  that receive
 * @param elements f32 that are broadcast
 * @param warmup   broadcasts of a turn that do not count
 * @param counted  broadcasts of a turn that do
 */
public record OneHostPlan(int workers, long elements, int warmup, int counted) {
    private static final int MAX_WORKERS = 64;
    private static final int MAX_BROADCASTS = 10_000;

    /** Refuses what is out of range, naming the option. */
    public OneHostPlan {
        require(workers >= 1 && workers <= MAX_WORKERS, "--workers", workers, "1 to " + MAX_WORKERS);
        require(counted >= 1 && counted <= MAX_BROADCASTS, "--broadcasts", counted, "1 to " + MAX_BROADCASTS);
        require(warmup >= 0 && warmup <= MAX_BROADCASTS, "--warmup", warmup, "0 to " + MAX_BROADCASTS);
    }

    private static void require(boolean sound, String option, int value, String expected) {
        if (!sound) {
            throw new IllegalArgumentException(option + " is " + value + ", expected " + expected);
        }
    }

    /** Workers of a cluster of ours: one that pushes what is broadcast, and another that gives the word. */
    int nodes() {
        return Math.max(2, workers);
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
