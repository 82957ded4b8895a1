package io.sluice.perf.broadcast;

/**
 * Broadcasts of one size to some workers on one host.
 *
 * @param workers  workers that receive
 * @param elements f32 that are broadcast
 * @param warmup   broadcasts of a turn that do not count
 * @param counted  broadcasts of a turn that count
 */
public record OneHostPlan(int workers, long elements, int warmup, int counted) {
    /** Workers of a Sluice cluster: one pushes the update, another one starts the broadcast. */
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
