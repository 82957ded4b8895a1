package io.sluice.messaging.bandwidth;

/**
 * What a receiver saw of one stream.
 *
 * @param delays   one-way delays of the steps whose last datagram arrived, in the order of sending, in nanoseconds
 *                 over an unknown offset
 * @param received datagrams that arrived
 * @param spanNs   from the first arrival to the last
 * @param sendNs   that sending took
 * @param spoiled  whether the sender fell so far behind its schedule that the stream did not have its rate
 */
record StreamArrival(int[] delays, int received, long spanNs, long sendNs, boolean spoiled) {
    double loss(StreamShape shape) {
        return 1 - (double) received / shape.datagrams();
    }
}
