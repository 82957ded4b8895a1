package io.sluice.consistency.worker;

import java.util.function.LongSupplier;

/**
 * What one clock of a worker came to: from the end of the clock before, or the start, to the end of this one. Where a
 * thread of its own sends, bytes count in the clock in which they reach their link.
 *
 * <p>For the thread that calls {@link Worker#clock()}. Allocates nothing.
 */
public final class ClockFigures {
    private final WorkerStats stats;
    private final LongSupplier pushed;
    private long clock;
    private long bytesPushed;
    private long bytesReceived;
    private long elementsOffered;
    private long elementsKept;
    private long waitNs;
    private long pushNs;
    private long pushedBefore;
    private long receivedBefore;
    private long offeredBefore;
    private long keptBefore;
    private long waitNsBefore;
    private long pushNsBefore;

    /** Begins with nothing; {@code pushed} counts bytes. */
    ClockFigures(WorkerStats stats, LongSupplier pushed) {
        this.stats = stats;
        this.pushed = pushed;
    }

    /** Takes the differences to the end of the clock before. */
    void end(long endedClock) {
        clock = endedClock;
        long pushedNow = pushed.getAsLong();
        long receivedNow = stats.bytesDecoded();
        long offeredNow = stats.elementsOffered();
        long keptNow = stats.elementsKept();
        long waitNsNow = stats.waitNs();
        long pushNsNow = stats.pushNs();
        bytesPushed = pushedNow - pushedBefore;
        bytesReceived = receivedNow - receivedBefore;
        elementsOffered = offeredNow - offeredBefore;
        elementsKept = keptNow - keptBefore;
        waitNs = waitNsNow - waitNsBefore;
        pushNs = pushNsNow - pushNsBefore;
        pushedBefore = pushedNow;
        receivedBefore = receivedNow;
        offeredBefore = offeredNow;
        keptBefore = keptNow;
        waitNsBefore = waitNsNow;
        pushNsBefore = pushNsNow;
    }

    /** The clock that has ended, from 1. */
    public long clock() {
        return clock;
    }

    /** Bytes sent to servers, as they lie in the Aeron log with headers and alignment. */
    public long bytesPushed() {
        return bytesPushed;
    }

    /** Payloads of broadcasts that were applied, in bytes as they came. */
    public long bytesReceived() {
        return bytesReceived;
    }

    /** Elements that went into the filter. */
    public long elementsOffered() {
        return elementsOffered;
    }

    /** Elements that the filter has kept as values on the wire, less those taken back; may be below 0 for that. */
    public long elementsKept() {
        return elementsKept;
    }

    /**
     * The share of elements that the filter has kept.
     *
     * @return 0 if none went into it
     */
    public double keptShare() {
        return 0 == elementsOffered ? 0 : elementsKept / (double) elementsOffered;
    }

    /** Time spent in {@code sync} and in waiting for room to send, in nanoseconds. */
    public long waitNs() {
        return waitNs;
    }

    /** Time spent on filtering, framing and sending, without waits, in nanoseconds. */
    public long pushNs() {
        return pushNs;
    }

    /** Clocks that the parameters were behind at the last {@code sync}. */
    public long staleness() {
        return stats.lastStaleness();
    }

    /** Threshold of the last update; 0 where nothing is filtered. */
    public float threshold() {
        return stats.lastThreshold();
    }
}
