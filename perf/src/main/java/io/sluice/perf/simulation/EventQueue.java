package io.sluice.perf.simulation;

import java.util.Arrays;

/**
 * A queue of events, the earliest first. It is a binary heap of primitives, because a simulation has tens of millions
 * of events.
 */
final class EventQueue {
    private double[] times = new double[1 << 10];
    private double[] ends = new double[1 << 10];
    private long[] events = new long[1 << 10];
    private int size;
    private double end;

    boolean isEmpty() {
        return size == 0;
    }

    /** Time of the earliest event. */
    double time() {
        return times[0];
    }

    /** The end of the event that was polled last, as it was added. */
    double end() {
        return end;
    }

    void add(double time, double until, long event) {
        if (size == times.length) {
            times = Arrays.copyOf(times, 2 * size);
            ends = Arrays.copyOf(ends, 2 * size);
            events = Arrays.copyOf(events, 2 * size);
        }
        int slot = size++;
        while (slot > 0 && times[(slot - 1) / 2] > time) {
            move((slot - 1) / 2, slot);
            slot = (slot - 1) / 2;
        }
        times[slot] = time;
        ends[slot] = until;
        events[slot] = event;
    }

    /** Removes the earliest event. */
    long poll() {
        long first = events[0];
        end = ends[0];
        size--;
        double time = times[size];
        int slot = 0;
        int child = smallerChild(0);
        while (child < size && times[child] < time) {
            move(child, slot);
            slot = child;
            child = smallerChild(slot);
        }
        move(size, slot);
        return first;
    }

    private int smallerChild(int slot) {
        int child = 2 * slot + 1;
        return child + 1 < size && times[child + 1] < times[child] ? child + 1 : child;
    }

    private void move(int from, int to) {
        times[to] = times[from];
        ends[to] = ends[from];
        events[to] = events[from];
    }
}
