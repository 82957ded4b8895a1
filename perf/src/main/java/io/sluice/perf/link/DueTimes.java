package io.sluice.perf.link;

import java.util.concurrent.TimeUnit;

/**
 * The due time of each frame of an open loop: at a fixed interval after the previous one, regardless of the delays of
 * earlier frames. Latencies count from the due time, not from the send time, so a stall counts for all frames
 * that it delays (no coordinated omission). The sender starts the times; the receiver, which gets the frames in order,
 * reads them.
 */
final class DueTimes {
    private final double intervalNs;
    private volatile long startNs;

    /** Makes due times of a number of frames per second. */
    DueTimes(double rate) {
        intervalNs = TimeUnit.SECONDS.toNanos(1) / rate;
    }

    /** Sets the due time of the first frame. Call it while no frame is in flight. */
    void begin(long firstNs) {
        startNs = firstNs;
    }

    /** The due time of a frame, counted from 0. */
    long of(long frame) {
        return startNs + (long) (frame * intervalNs);
    }
}
