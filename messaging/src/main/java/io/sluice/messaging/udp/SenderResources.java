package io.sluice.messaging.udp;

import io.aeron.exceptions.AeronEvent;
import io.aeron.exceptions.AeronException;
import java.net.InetSocketAddress;
import org.agrona.ErrorHandler;

/** What the sending sockets of a driver share. For the sender's thread. */
final class SenderResources {
    private final SocketCalls calls;
    private final SenderTurns turns;
    private final UdpCounters counters;
    private final SendBatch batch = new SendBatch();
    private boolean told;

    /**
     * Of a driver.
     *
     * @param calls not used by other threads
     */
    SenderResources(SocketCalls calls, SenderTurns turns, UdpCounters counters) {
        this.calls = calls;
        this.turns = turns;
        this.counters = counters;
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

    /** Counts a refusal, and tells of the first. */
    void onTrainRefused(int error, InetSocketAddress peer, ErrorHandler errorHandler) {
        counters.trainRefused();
        if (!told) {
            told = true;
            errorHandler.onError(new AeronEvent(
                    "the way to " + peer + " does not take datagrams in trains (error " + error
                            + " of sendmmsg): they are sent one by one there",
                    AeronException.Category.WARN));
        }
    }
}
