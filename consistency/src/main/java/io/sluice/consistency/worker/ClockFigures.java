package io.sluice.consistency.worker;

import java.util.Locale;
import java.util.function.LongSupplier;

/**
 * Measurements of one clock of a worker, from the end of the previous clock, or the start, to the end of this one. If a
 * separate thread sends, bytes count in the clock in which they reach their link.
 *
 * <p>For the thread that calls {@link Worker#clock()}. Allocates nothing but the text of {@link #toString()}.
 */
public final class ClockFigures {
    private static final double PERCENT = 100;
    private static final double NS_PER_MS = 1e6;

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

    /** Starts at zero; {@code pushed} supplies the bytes pushed so far. */
    ClockFigures(WorkerStats stats, LongSupplier pushed) {
        this.stats = stats;
        this.pushed = pushed;
    }

    /** Computes the differences since the end of the previous clock. */
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

    /** Number of bytes sent to servers, counted in the Aeron log with headers and alignment. */
    public long bytesPushed() {
        return bytesPushed;
    }

    /** Payloads of applied broadcasts, in bytes as received. */
    public long bytesReceived() {
        return bytesReceived;
    }

    /** Number of elements offered to the filter. */
    public long elementsOffered() {
        return elementsOffered;
    }

    /**
     * Number of elements that the filter kept, less those taken back from the queue; the difference may be negative.
     */
    public long elementsKept() {
        return elementsKept;
    }

    /**
     * The density: the share of elements that the filter kept.
     *
     * @return 0 if the filter was offered none
     */
    public double keptShare() {
        return 0 == elementsOffered ? 0 : elementsKept / (double) elementsOffered;
    }

    /** Time spent in {@code sync}, and waiting until a frame could be sent or queued, in nanoseconds. */
    public long waitNs() {
        return waitNs;
    }

    /** Time spent on filtering, framing and sending, without waits, in nanoseconds. */
    public long pushNs() {
        return pushNs;
    }

    /** Number of clocks by which the parameters were behind at the last {@code sync}. */
    public long staleness() {
        return stats.lastStaleness();
    }

    /** Threshold of the last update; 0 without a filter. */
    public float threshold() {
        return stats.lastThreshold();
    }

    /** All figures in one line for people. */
    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "clock %d: %,d bytes pushed, %,d received; %.3f %% of %,d elements kept, threshold %.3g; %.1f ms"
                        + " waiting, %.1f ms pushing; %d clocks stale",
                clock,
                bytesPushed,
                bytesReceived,
                PERCENT * keptShare(),
                elementsOffered,
                threshold(),
                waitNs / NS_PER_MS,
                pushNs / NS_PER_MS,
                staleness());
    }
}
