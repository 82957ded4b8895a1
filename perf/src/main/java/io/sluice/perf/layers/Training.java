package io.sluice.perf.layers;

import java.io.Serializable;
import java.util.Arrays;
import java.util.stream.DoubleStream;

/**
 * What one worker saw in one turn, for each iteration that counts; in seconds.
 *
 * @param iterations from the end of one backward pass to that of the next
 * @param delays     of it before the first layer was there, which P3 calls the delay between iterations
 * @param waits      of it before any layer was there, the delay included
 */
record Training(double[] iterations, double[] delays, double[] waits) implements Serializable {
    /** The iterations of both, one after another. */
    Training and(Training other) {
        return new Training(
                joined(iterations, other.iterations), joined(delays, other.delays), joined(waits, other.waits));
    }

    private static double[] joined(double[] one, double[] other) {
        return DoubleStream.concat(Arrays.stream(one), Arrays.stream(other)).toArray();
    }
}
