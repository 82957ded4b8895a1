package io.sluice.consistency.worker;

import io.sluice.messaging.counters.CounterGroup;
import io.sluice.messaging.counters.CounterType;
import io.sluice.messaging.counters.DutyCycle;
import io.sluice.messaging.counters.SingleWriterCounter;

/**
 * Counters of a worker. The trainer's thread writes them; other threads may read them after it has ended. Most are also
 * counters of the node, which other processes can read at any time.
 */
public final class WorkerStats {
    /** Detail of counters of the trainer's thread that the relay also has. */
    static final String TRAINER = "trainer";

    /** Detail of counters of the relay's thread. */
    static final String RELAY = "relay";

    private long framesPushed;
    private long framesTakenBack;
    private long framesEarly;
    private final SingleWriterCounter elementsOffered;
    private final SingleWriterCounter elementsKept;
    private final SingleWriterCounter elementsTakenBack;
    private final SingleWriterCounter decoded;
    private final SingleWriterCounter pushNs;
    private final SingleWriterCounter waitNs;
    private final SingleWriterCounter threshold;
    private final DutyCycle pushes;
    private final DutyCycle waits;
    private long waitStartNs;
    private long waitCountedNs;
    private long maxStaleness;
    private long lastStaleness;
    private float lastThreshold;
    private long thresholdRound;

    WorkerStats(CounterGroup counters, DutyCycle pushes, DutyCycle waits) {
        elementsOffered = counters.counter(CounterType.NODE_ELEMENTS_OFFERED);
        elementsKept = counters.counter(CounterType.NODE_ELEMENTS_KEPT);
        elementsTakenBack = counters.counter(CounterType.NODE_ELEMENTS_TAKEN_BACK);
        decoded = counters.counter(CounterType.NODE_BYTES_DECODED, TRAINER);
        pushNs = counters.counter(CounterType.NODE_PUSH_TIME);
        waitNs = counters.counter(CounterType.NODE_WAIT_TIME);
        threshold = counters.counter(CounterType.NODE_THRESHOLD);
        this.pushes = pushes;
        this.waits = waits;
    }

    void onWithheld(long elements) {
        elementsOffered.add(elements);
    }

    void onSlice(int elements, int kept, boolean sent) {
        elementsOffered.add(elements);
        elementsKept.add(kept);
        framesPushed += sent ? 1 : 0;
    }

    /**
     * Counts a part of a slice that was sent early; its elements are offered to the filter again at the end of the
     * clock.
     */
    void onEarly(int kept) {
        elementsKept.add(kept);
        framesPushed++;
        framesEarly++;
    }

    void onTakenBack(int kept, boolean early) {
        elementsTakenBack.add(kept); // a separate counter, because counters never decrease
        framesPushed -= kept > 0 ? 1 : 0;
        framesEarly -= early ? 1 : 0;
        framesTakenBack++;
    }

    /**
     * Continues the count of frames that an earlier incarnation had pushed at the clock from which this one continues.
     */
    void continueFrom(long pushedBefore) {
        framesPushed += pushedBefore;
    }

    void onThreshold(long round, float now) {
        lastThreshold = round == thresholdRound ? Math.max(lastThreshold, now) : now;
        thresholdRound = round;
        threshold.set((long) (lastThreshold * 1e9));
    }

    /** Counts payloads of broadcasts. */
    void onDecoded(long bytes) {
        decoded.add(bytes);
    }

    /** Begins a wait; waits do not overlap. */
    void beginWait(long nowNs) {
        waitStartNs = nowNs;
        waitCountedNs = nowNs;
    }

    /** Counts a wait up to now: the reader of a counter sees a long wait grow, and not its whole time at its end. */
    void continueWait(long nowNs) {
        waitNs.add(nowNs - waitCountedNs);
        waitCountedNs = nowNs;
    }

    void endWait(long nowNs) {
        continueWait(nowNs);
        waits.took(nowNs - waitStartNs);
        waits.worked(1);
    }

    void onPush(long ns) {
        pushNs.add(ns);
        pushes.took(ns);
        pushes.worked(1);
    }

    void onSync(long staleness) {
        lastStaleness = staleness;
        maxStaleness = Math.max(maxStaleness, staleness);
    }

    /**
     * Number of data frames pushed since the start of the training. A worker that continues from a snapshot continues
     * its count, and frames that it repeats for a rejoined server do not count again.
     *
     * @return frames
     */
    public long framesPushed() {
        return framesPushed;
    }

    /**
     * Number of data frames that still waited for their link at the next update of their slice, and were merged with
     * it.
     *
     * @return frames; not counted among {@link #framesPushed}
     */
    public long framesTakenBack() {
        return framesTakenBack;
    }

    /**
     * Number of data frames pushed before their clock ended.
     *
     * @return frames; counted among {@link #framesPushed}
     */
    public long framesEarly() {
        return framesEarly;
    }

    /**
     * Number of elements offered to the filter.
     *
     * @return elements, over all clocks
     */
    public long elementsOffered() {
        return elementsOffered.get();
    }

    /**
     * Number of elements that the filter kept and that were sent, without those taken back.
     *
     * @return elements, over all clocks
     */
    public long elementsKept() {
        return elementsKept.get() - elementsTakenBack.get();
    }

    /**
     * Payloads of broadcasts that the trainer's thread has decoded and applied.
     *
     * @return bytes, as received
     */
    public long bytesDecoded() {
        return decoded.get();
    }

    /**
     * Time spent in {@code update} and {@code clock} on filtering, framing and sending, without waits.
     *
     * @return nanoseconds
     */
    public long pushNs() {
        return pushNs.get();
    }

    /**
     * Time spent in {@code sync}, in {@code drain}, and waiting until a frame could be sent or queued.
     *
     * @return nanoseconds
     */
    public long waitNs() {
        return waitNs.get();
    }

    /**
     * Largest staleness of the parameters at a {@code sync}.
     *
     * @return clocks
     */
    public long maxStaleness() {
        return maxStaleness;
    }

    /**
     * Staleness of the parameters at the last {@code sync}.
     *
     * @return clocks
     */
    public long lastStaleness() {
        return lastStaleness;
    }

    /**
     * Threshold of the last update.
     *
     * @return 0 without a filter
     */
    public float lastThreshold() {
        return lastThreshold;
    }
}
