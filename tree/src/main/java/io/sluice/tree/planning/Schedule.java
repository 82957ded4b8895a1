package io.sluice.tree.planning;

import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.PriorityQueue;

/**
 * Predicts the duration of iterations: workers in lockstep, layers with given times, and two channels, to the server
 * and back, each of which transfers one slice at a time. P3's figures 4 and 6 are such schedules.
 *
 * <p>The transfer of a slice is not interrupted. Servers add in no time. A slice that has returned reaches the last
 * worker a few seconds later. A layer computes when it has the slices of the iteration before, less the iterations by
 * which it may be stale. Runs once.
 */
final class Schedule {
    private static final double NEVER = Double.POSITIVE_INFINITY;

    private final double[] forward;
    private final double[] backward;
    private final double[][] slices;
    private final double back;
    private final double fill;
    private final int staleness;
    private final int[] missing;
    private final Deque<Arrival> forwarded = new ArrayDeque<>();
    private final Channel up;
    private final Channel down;
    private double now;
    private double computed = NEVER;
    private int step;
    private int handedOver;

    private record Slice(int layer, int place, double time) {}

    /** A slice that the last relay forwards. */
    private record Arrival(int layer, double time) {}

    /**
     * Prepares a run.
     *
     * @param slices    slices for each layer, the transfer time of each of its slices to the server
     * @param back      ratio of the transfer time from the server to that to the server
     * @param fill      seconds until the last worker has a slice that has left the channel from the server
     * @param byLayer   whether slices of the first layer overtake others; otherwise slices are sent in the order of
     *     gradients
     * @param staleness iterations whose updates a worker need not have
     */
    Schedule(
            double[] forward,
            double[] backward,
            double[][] slices,
            double back,
            double fill,
            boolean byLayer,
            int staleness) {
        this.forward = forward.clone();
        this.backward = backward.clone();
        this.slices = slices.clone();
        this.back = back;
        this.fill = fill;
        this.staleness = staleness;
        this.missing = new int[slices.length];
        Comparator<Slice> asTheyCome = Comparator.comparingInt(Slice::place);
        Comparator<Slice> order =
                byLayer ? Comparator.comparingInt(Slice::layer).thenComparing(asTheyCome) : asTheyCome;
        this.up = new Channel(order);
        this.down = new Channel(order);
    }

    /**
     * Runs the schedule.
     *
     * @param iterations number of iterations, at least 2
     * @return mean time of the iterations in the second half
     */
    double run(int iterations) {
        double[] ends = new double[iterations];
        int steps = 2 * slices.length;
        for (int done = 0; done < iterations; ) {
            begin();
            now = Math.min(Math.min(computed, arrives()), Math.min(up.end, down.end));
            if (computed <= now) {
                finishStep();
                if (step == steps) {
                    step = 0;
                    ends[done++] = now;
                }
            }
            if (up.end <= now) {
                Slice slice = up.finish();
                down.waiting.add(new Slice(slice.layer, slice.place, slice.time * back));
            }
            if (down.end <= now) {
                forwarded.add(new Arrival(down.finish().layer, now + fill));
            }
            while (arrives() <= now) {
                missing[forwarded.remove().layer]--;
            }
        }
        int half = iterations / 2;
        return (ends[iterations - 1] - ends[half - 1]) / (iterations - half);
    }

    private double arrives() {
        return forwarded.isEmpty() ? NEVER : forwarded.element().time;
    }

    private void begin() {
        if (computed == NEVER) {
            int layers = slices.length;
            if (step >= layers) {
                computed = now + backward[2 * layers - 1 - step];
            } else if (missing[step] <= staleness * slices[step].length) {
                computed = now + forward[step];
            }
        }
        up.begin(now);
        down.begin(now);
    }

    private void finishStep() {
        computed = NEVER;
        int layers = slices.length;
        if (step >= layers) {
            int layer = 2 * layers - 1 - step;
            missing[layer] += slices[layer].length;
            for (double time : slices[layer]) {
                up.waiting.add(new Slice(layer, handedOver++, time));
            }
        }
        step++;
    }

    /** Transfers one slice at a time. */
    private static final class Channel {
        private final PriorityQueue<Slice> waiting;
        private Slice carried;
        private double end = NEVER;

        Channel(Comparator<Slice> order) {
            waiting = new PriorityQueue<>(order);
        }

        void begin(double now) {
            if (carried == null && !waiting.isEmpty()) {
                carried = waiting.poll();
                end = now + carried.time;
            }
        }

        Slice finish() {
            Slice done = carried;
            carried = null;
            end = NEVER;
            return done;
        }
    }
}
