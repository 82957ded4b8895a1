package io.sluice.perf.layers;

import java.io.Serializable;
import java.util.Arrays;
import java.util.stream.DoubleStream;

/**
 * The measurements of one worker in one turn, for each measured iteration, in seconds.
 *
 * @param iterations iterations from the end of one backward pass to that of the next
 * @param delays     part of each iteration before the first layer had arrived, P3's delay between iterations
 * @param waits      part of each iteration before any layer had arrived, the delay included
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
