package io.sluice.perf.link;

import java.util.concurrent.TimeUnit;

/**
 * When each frame of an open loop is to be sent: at a fixed distance from the one before, whatever became of that one.
 * Latencies count from here and not from when the sender got round to it, so that a stall is charged to all frames that
 * it held up (no coordinated omission). The sender begins; the receiver, who sees the frames in order, reads.
 */
final class DueTimes {
    private final double intervalNs;
    private volatile long startNs;

    /** @param rate frames a second. */
    DueTimes(double rate) {
        intervalNs = TimeUnit.SECONDS.toNanos(1) / rate;
    }

    /** The first frame is due at this time. To be called while none is on its way. */
    void begin(long firstNs) {
        startNs = firstNs;
    }

    /**
     * When a frame is due.
     *
     * @param frame counted from 0
     * @return nanoseconds of the clock that {@link #begin} was told of
     */
    long of(long frame) {
        return startNs + (long) (frame * intervalNs);
    }
}
