package io.sluice.messaging.udp;

import io.aeron.exceptions.AeronEvent;
import io.aeron.exceptions.AeronException;
import java.net.InetSocketAddress;
import org.agrona.ErrorHandler;

/** The objects that the sending sockets of a driver share. For the sender's thread. */
final class SenderResources {
    private final SocketCalls calls;
    private final SenderTurns turns;
    private final UdpCounters counters;
    private final SendBatch batch = new SendBatch();
    private boolean reported;

    /**
     * Creates the resources of a driver.
     *
     * @param calls system calls, not used by other threads
     */
    SenderResources(SocketCalls calls, SenderTurns turns, UdpCounters counters) {
        this.calls = calls;
        this.turns = turns;
        this.counters = counters;
        turns.countWith(counters);
    }

    SocketCalls calls() {
        return calls;
    }

    SenderTurns turns() {
        return turns;
    }

    UdpCounters counters() {
        return counters;
    }

    SendBatch batch() {
        return batch;
    }

    /** Counts a refusal, and reports the first. */
    void onTrainRefused(int error, InetSocketAddress peer, ErrorHandler errorHandler) {
        counters.trainRefused();
        if (!reported) {
            reported = true;
            errorHandler.onError(new AeronEvent(
                    "the path to " + peer + " does not support UDP_SEGMENT (error " + error
                            + "): the driver sends it datagrams one by one",
                    AeronException.Category.WARN));
        }
    }
}
