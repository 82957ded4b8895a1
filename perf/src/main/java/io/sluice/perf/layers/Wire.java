package io.sluice.perf.layers;

import io.sluice.codecs.Frame;
import io.sluice.tree.planning.ClockEstimate;
import io.sluice.tree.planning.FlatPlanner;
import io.sluice.tree.spi.BroadcastJob;

/**
 * Transfer times of dense f32 slices on links of a rate, if all workers push to all servers at once and all servers
 * answer: each data link has its fair share of a host's link.
 *
 * @param rate rate of a host's link in each direction, bits per second, Ethernet headers included
 */
record Wire(long rate, int workers, int servers) {
    /** Payload and header of Aeron's datagrams between hosts with an MTU of 1,500. */
    private static final int PAYLOAD = 1_376;

    private static final int AERON_HEADER = 32;
    private static final int ALIGNMENT = 32;
    private static final int SMALLEST_BURST = 32 << 10;
    private static final double BITS = 8;

    /** Bits per second of the log of one data link. */
    long budget() {
        return (long) (ClockEstimate.USED * rate / Math.max(workers, servers));
    }

    /**
     * Number of bytes that a data link may send at once: the longest frame, or enough that a late thread loses no time.
     */
    int burst(int sliceElements) {
        return Math.max(SMALLEST_BURST, logBytes(sliceElements) + 2 * ALIGNMENT);
    }

    /**
     * Predicts the transfer of a model.
     *
     * @param bytes         bytes of all its slices
     * @param sliceElements parameters of a slice
     */
    ClockEstimate estimate(double bytes, int sliceElements) {
        double used = ClockEstimate.USED * rate / BITS;
        BroadcastJob job = ClockEstimate.atOneSwitch(servers, workers, used, 0, bytes, bytes, logBytes(sliceElements));
        return ClockEstimate.of(job, new FlatPlanner());
    }

    /** Bytes of the slices of a layer. */
    static double bytes(int elements, int sliceElements) {
        int rest = elements % sliceElements;
        return (double) (elements / sliceElements) * logBytes(sliceElements) + (rest > 0 ? logBytes(rest) : 0);
    }

    private static int logBytes(int elements) {
        int length = Frame.DATA_LENGTH + elements * Float.BYTES;
        int pieces = Math.ceilDiv(length, PAYLOAD);
        return Math.ceilDiv(length + pieces * AERON_HEADER, ALIGNMENT) * ALIGNMENT;
    }
}
