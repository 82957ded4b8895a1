package io.sluice.messaging.udp;

import io.aeron.driver.media.UdpChannelTransport;
import java.io.IOException;
import java.net.InetSocketAddress;
import org.agrona.ErrorHandler;
import org.agrona.concurrent.UnsafeBuffer;

/** Sends batches through one connected socket, in trains until the path refuses one. For the sender's thread. */
final class BatchSender {
    /** The result if no data follows the datagram, so that there is no batch. */
    static final int SINGLE = -1;

    private final SenderResources shared;
    private final int descriptor;
    private final ErrorHandler errorHandler;
    private boolean trains;

    /**
     * Creates the sender of a socket.
     *
     * @param descriptor descriptor of the socket
     * @param trains whether the kernel supports trains
     * @param errorHandler receives the failures that Aeron would report
     */
    BatchSender(SenderResources shared, int descriptor, boolean trains, ErrorHandler errorHandler) {
        this.shared = shared;
        this.descriptor = descriptor;
        this.trains = trains;
        this.errorHandler = errorHandler;
    }

    /**
     * Sends the next datagram of a publication and the data that follows it.
     *
     * @param publication publication of which Aeron sends a datagram
     * @param term        term that holds the datagram
     * @param offset      offset of the datagram
     * @param length      length of the datagram in bytes
     * @param peer        peer of the socket
     * @return {@code length}; 0 if nothing was sent, so that Aeron offers it again; {@link #SINGLE}
     */
    int send(PublicationPosition publication, UnsafeBuffer term, int offset, int length, InetSocketAddress peer) {
        SendBatch batch = shared.batch();
        batch.collect(term, offset, length, publication.window(), publication.mtu(), trains);
        if (batch.isSingle()) {
            return SINGLE;
        }
        int sent = batch.send(shared.calls(), descriptor);
        if (batch.isTrain(0) && isRefusalOfTrains(sent)) {
            trains = false;
            shared.onTrainRefused(-sent, peer, errorHandler);
            batch.collect(term, offset, length, publication.window(), publication.mtu(), false);
            sent = batch.send(shared.calls(), descriptor);
        }
        if (sent <= 0) {
            onFailure(-sent, peer);
            return 0;
        }
        if (sent < batch.messages()) {
            shared.counters().sentInPart();
        }
        shared.counters().sent(batch.datagrams(sent));
        publication.sent(batch.firstEnd(), batch.end(sent - 1));
        shared.turns().ahead(publication);
        return length;
    }

    /**
     * Whether an error means that the path does not take trains: devices without checksum offload, tunnels that
     * encrypt, segments longer than the route's packets.
     */
    private static boolean isRefusalOfTrains(int sent) {
        return sent == -SocketCalls.EIO || sent == -SocketCalls.EINVAL || sent == -SocketCalls.EMSGSIZE;
    }

    private void onFailure(int error, InetSocketAddress peer) {
        switch (error) {
            case SocketCalls.EAGAIN -> shared.counters().socketFull();
            case SocketCalls.ECONNREFUSED ->
                shared.counters().otherFailure(); // Aeron does not report this error either
            default -> {
                shared.counters().otherFailure();
                IOException cause = new IOException("error " + error + " of sendmmsg");
                UdpChannelTransport.onSendError(cause, peer, errorHandler);
            }
        }
    }
}
