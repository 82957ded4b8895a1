package io.sluice.messaging.bandwidth;

/**
 * The arrivals of one stream at its receiver.
 *
 * @param delays   one-way delays of the steps whose last datagram arrived, in the order of sending, in nanoseconds
 *                 over an unknown offset
 * @param received datagrams that arrived
 * @param spanNs   nanoseconds from the first arrival to the last
 * @param sendNs   nanoseconds that sending took
 * @param spoiled  whether the sender fell so far behind its schedule that the stream did not have its rate
 */
record StreamArrival(int[] delays, int received, long spanNs, long sendNs, boolean spoiled) {
    double loss(StreamShape shape) {
        return 1 - (double) received / shape.datagrams();
    }
}
