package io.sluice.consistency.server;

import io.sluice.messaging.counters.CounterGroup;
import io.sluice.messaging.counters.CounterType;
import io.sluice.messaging.counters.SingleWriterCounter;

/** Counters of the frames that a shard sends. Written by the server's thread. */
final class ShardStats {
    private int receivers;
    private long frames;
    private long framesEarly;
    private final SingleWriterCounter elementsOffered;
    private final SingleWriterCounter elementsKept;
    private final SingleWriterCounter threshold;
    private float lastThreshold;
    private long thresholdRound;

    /**
     * Creates counters.
     *
     * @param receivers workers that each broadcast frame reaches
     * @param counters  counters of the server's node
     */
    ShardStats(int receivers, CounterGroup counters) {
        this.receivers = receivers;
        elementsOffered = counters.counter(CounterType.NODE_ELEMENTS_OFFERED);
        elementsKept = counters.counter(CounterType.NODE_ELEMENTS_KEPT);
        threshold = counters.counter(CounterType.NODE_THRESHOLD);
    }

    void onSlice(int elements, int kept) {
        elementsOffered.add(elements);
        elementsKept.add(kept);
    }

    /** Sets the number of workers that each broadcast frame reaches from now on. */
    void receivers(int count) {
        receivers = count;
    }

    void onBroadcast() {
        frames += receivers;
    }

    void onEarly(int kept) {
        elementsKept.add(kept);
        frames += receivers;
        framesEarly += receivers;
    }

    void onReply() {
        frames++;
    }

    void onThreshold(long round, float now) {
        lastThreshold = round == thresholdRound ? Math.max(lastThreshold, now) : now;
        thresholdRound = round;
        threshold.set((long) (lastThreshold * 1e9));
    }

    /** Number of data frames sent, counted once for each worker that receives them. */
    long frames() {
        return frames;
    }

    /** Number of data frames that were sent before their version was complete. */
    long framesEarly() {
        return framesEarly;
    }

    /** Threshold of the last closed round; 0 without a filter. */
    float lastThreshold() {
        return lastThreshold;
    }
}
