package io.sluice.consistency.server;

/** Counts what a server's shard sends. Written by the server's thread. */
final class ShardStats {
    private final int receivers;
    private long frames;
    private float lastThreshold;

    /**
     * Creates counters.
     *
     * @param receivers workers that each broadcast frame reaches
     */
    ShardStats(int receivers) {
        this.receivers = receivers;
    }

    void onBroadcast() {
        frames += receivers;
    }

    void onReply() {
        frames++;
    }

    void onThreshold(float threshold) {
        lastThreshold = threshold;
    }

    /** Data frames sent, counted once for each worker that receives them. */
    long frames() {
        return frames;
    }

    /** Threshold of the last round closed; 0 where nothing is filtered. */
    float lastThreshold() {
        return lastThreshold;
    }
}
