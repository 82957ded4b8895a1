package io.sluice.consistency.worker;

/**
 * What a worker has done so far. Written by the trainer's thread, to be read by it, or after it has ended.
 */
public final class WorkerStats {
    private long framesPushed;
    private long elementsOffered;
    private long elementsKept;
    private long pushNs;
    private long waitNs;
    private long maxStaleness;
    private float lastThreshold;

    WorkerStats() {}

    void onSlice(int elements, int kept) {
        elementsOffered += elements;
        elementsKept += kept;
        framesPushed += kept > 0 ? 1 : 0;
    }

    void onThreshold(float threshold) {
        lastThreshold = threshold;
    }

    void onWait(long ns) {
        waitNs += ns;
    }

    void onPush(long ns) {
        pushNs += ns;
    }

    void onSync(long staleness) {
        maxStaleness = Math.max(maxStaleness, staleness);
    }

    /**
     * Data frames pushed.
     *
     * @return frames
     */
    public long framesPushed() {
        return framesPushed;
    }

    /**
     * Elements that went into the filter.
     *
     * @return elements, over all clocks
     */
    public long elementsOffered() {
        return elementsOffered;
    }

    /**
     * Elements that came out of the filter as values on the wire.
     *
     * @return elements, over all clocks
     */
    public long elementsKept() {
        return elementsKept;
    }

    /**
     * Time spent in {@code update} and {@code clock} on filtering, framing and sending, without waits.
     *
     * @return nanoseconds
     */
    public long pushNs() {
        return pushNs;
    }

    /**
     * Time spent in {@code sync}, {@code drain} and in waiting for room to send.
     *
     * @return nanoseconds
     */
    public long waitNs() {
        return waitNs;
    }

    /**
     * Most clocks that the parameters were behind when the trainer was given them.
     *
     * @return clocks
     */
    public long maxStaleness() {
        return maxStaleness;
    }

    /**
     * Threshold of the last update.
     *
     * @return 0 where nothing is filtered
     */
    public float lastThreshold() {
        return lastThreshold;
    }
}
