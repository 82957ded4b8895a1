package io.sluice.consistency.worker;

import io.sluice.messaging.counters.CounterGroup;
import io.sluice.messaging.counters.CounterType;
import io.sluice.messaging.counters.DutyCycle;
import io.sluice.messaging.counters.SingleWriterCounter;

/**
 * What a worker has done so far. Written by the trainer's thread, to be read by it, or after it has ended; most of it
 * is also in the counters of its node, which other processes read meanwhile.
 */
public final class WorkerStats {
    /** Detail of what the trainer's thread counts, of things that a relay may do, too. */
    static final String TRAINER = "trainer";

    /** Detail of what the relay's thread counts. */
    static final String RELAY = "relay";

    private long framesPushed;
    private long framesTakenBack;
    private long framesEarly;
    private final SingleWriterCounter elementsOffered;
    private final SingleWriterCounter elementsKept;
    private final SingleWriterCounter elementsTakenBack;
    private final SingleWriterCounter decoded;
    private final SingleWriterCounter decodedByRelay;
    private final SingleWriterCounter pushNs;
    private final SingleWriterCounter waitNs;
    private final SingleWriterCounter threshold;
    private final DutyCycle pushes;
    private final DutyCycle waits;
    private long maxStaleness;
    private long lastStaleness;
    private float lastThreshold;

    WorkerStats(CounterGroup counters, DutyCycle pushes, DutyCycle waits) {
        elementsOffered = counters.counter(CounterType.NODE_ELEMENTS_OFFERED);
        elementsKept = counters.counter(CounterType.NODE_ELEMENTS_KEPT);
        elementsTakenBack = counters.counter(CounterType.NODE_ELEMENTS_TAKEN_BACK);
        decoded = counters.counter(CounterType.NODE_BYTES_DECODED, TRAINER);
        decodedByRelay = counters.counter(CounterType.NODE_BYTES_DECODED, RELAY);
        pushNs = counters.counter(CounterType.NODE_PUSH_TIME);
        waitNs = counters.counter(CounterType.NODE_WAIT_TIME);
        threshold = counters.counter(CounterType.NODE_THRESHOLD);
        this.pushes = pushes;
        this.waits = waits;
    }

    void onSlice(int elements, int kept) {
        elementsOffered.add(elements);
        elementsKept.add(kept);
        framesPushed += kept > 0 ? 1 : 0;
    }

    /** A part of a slice, whose elements are offered to the filter once more when the clock ends. */
    void onEarly(int kept) {
        elementsKept.add(kept);
        framesPushed++;
        framesEarly++;
    }

    void onTakenBack(int kept, boolean early) {
        elementsTakenBack.add(kept); // not taken off what was kept: a count never goes back
        framesPushed -= kept > 0 ? 1 : 0;
        framesEarly -= early ? 1 : 0;
        framesTakenBack++;
    }

    /** Another life has pushed so much up to the clock from which this one goes on. */
    void goOnFrom(long pushedBefore) {
        framesPushed += pushedBefore;
    }

    void onThreshold(float now) {
        lastThreshold = now;
        threshold.set((long) (now * 1e9));
    }

    /** Payloads of broadcasts. */
    void onDecoded(long bytes) {
        decoded.add(bytes);
    }

    void onWait(long ns) {
        waitNs.add(ns);
        waits.took(ns);
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
     * Data frames pushed since the training began, up to this clock, each once: a worker that goes on from a snapshot
     * goes on counting from there, and what it pushes once more to a server that is back does not count.
     *
     * @return frames
     */
    public long framesPushed() {
        return framesPushed;
    }

    /**
     * Data frames that still waited for their link when the next update of their slice came, and were merged with it.
     *
     * @return frames; not counted among {@link #framesPushed}
     */
    public long framesTakenBack() {
        return framesTakenBack;
    }

    /**
     * Data frames pushed before their clock ended.
     *
     * @return frames; counted among {@link #framesPushed}
     */
    public long framesEarly() {
        return framesEarly;
    }

    /**
     * Elements that went into the filter.
     *
     * @return elements, over all clocks
     */
    public long elementsOffered() {
        return elementsOffered.get();
    }

    /**
     * Elements that came out of the filter as values on the wire: without those that were taken back.
     *
     * @return elements, over all clocks
     */
    public long elementsKept() {
        return elementsKept.get() - elementsTakenBack.get();
    }

    /**
     * Payloads of broadcasts that the trainer's thread has decoded, to apply them.
     *
     * @return bytes, as they came
     */
    public long bytesDecoded() {
        return decoded.get();
    }

    /**
     * Payloads that the thread has decoded on which this worker passes broadcasts on: it looks at no more than headers.
     *
     * @return bytes; anything but 0 is a fault
     */
    public long bytesDecodedByRelay() {
        return decodedByRelay.get();
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
     * Time spent in {@code sync}, {@code drain} and in waiting for room to send.
     *
     * @return nanoseconds
     */
    public long waitNs() {
        return waitNs.get();
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
     * Clocks that the parameters were behind when the trainer was last given them.
     *
     * @return clocks
     */
    public long lastStaleness() {
        return lastStaleness;
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
