package io.sluice.perf.hops;

import io.sluice.perf.cluster.Star;
import java.util.concurrent.TimeUnit;

/**
 * What is measured.
 *
 * @param star         one server and a chain of workers
 * @param warmup       broadcasts of one frame that do not count
 * @param frames       those that do
 * @param bulkElements f32 of a long broadcast
 * @param bulks        long broadcasts
 * @param asks         control frames while nothing else is on its way
 * @param everyNs      distance of control frames
 */
record HopsPlan(Star star, int warmup, int frames, long bulkElements, int bulks, int asks, long everyNs) {
    /** Floats of a slice, whose frame is as long as one piece of shared memory may be. */
    static final int FRAME_ELEMENTS = 16_320;

    /** Code is compiled meanwhile. */
    static final int COUNTED_PER_WARMUP = 5;

    private static final int MAX = 10_000;

    /** Refuses what is out of range, naming the option. */
    HopsPlan {
        require(star.workers() >= 2, "--workers", star.workers(), "2 or more");
        require(bulks >= 1 && bulks <= MAX, "--broadcasts", bulks, "1 to " + MAX);
        require(asks >= 1 && asks <= MAX, "--asks", asks, "1 to " + MAX);
        long everyMs = TimeUnit.NANOSECONDS.toMillis(everyNs);
        require(everyMs >= 1 && everyMs <= MAX, "--every", everyMs, "1 to " + MAX);
    }

    private static void require(boolean sound, String option, long value, String expected) {
        if (!sound) {
            throw new IllegalArgumentException(option + " is " + value + ", expected " + expected);
        }
    }

    /** All frames, a pause in which control frames go alone, all long broadcasts. */
    int trials() {
        return warmup + frames + 1 + bulks;
    }
}
