package io.sluice.messaging.bandwidth;

import java.io.IOException;

/** A path for streams of probes and the clock of their schedule: that of a network, or simulated. */
interface ProbePath {
    /**
     * Sends one stream and waits for its receiver's report.
     *
     * @param shape shape of the stream
     * @return the arrivals, or {@code null} if the receiver does not answer
     * @throws IOException if nothing can be sent
     */
    StreamArrival send(StreamShape shape) throws IOException;

    /** Lets time pass without sending; returns early if interrupted. */
    void pause(long ns);

    /** The time in nanoseconds. */
    long nanoTime();

    /** Longest payload of a datagram that the path carries in one piece, in bytes. */
    int longestDatagram();
}
