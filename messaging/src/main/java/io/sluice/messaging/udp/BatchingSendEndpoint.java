package io.sluice.messaging.udp;

import io.aeron.driver.MediaDriver;
import io.aeron.driver.NetworkPublication;
import io.aeron.driver.media.UdpChannel;
import io.aeron.logbuffer.FrameDescriptor;
import io.aeron.protocol.DataHeaderFlyweight;
import io.aeron.protocol.HeaderFlyweight;
import io.aeron.protocol.NakFlyweight;
import io.aeron.protocol.SetupFlyweight;
import io.sluice.messaging.idle.Sockets;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.agrona.collections.Hashing;
import org.agrona.collections.Long2ObjectHashMap;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.AtomicCounter;

/**
 * Sends the data of publications to one address in batches. When Aeron sends a datagram, the endpoint also sends the
 * data that follows it in the term, as far as flow control allows, with one system call and without a copy; then the
 * publication's position catches up (see {@link SenderTurns}). If the socket takes nothing, Aeron offers the datagram
 * again.
 *
 * <p>Everything else is sent as Aeron sends it: single datagrams, control frames, data that is sent again, data to
 * several destinations or to a group, and data that contains its send time.
 */
final class BatchingSendEndpoint extends AnsweringSendEndpoint {
    private final SenderResources shared;
    private final BatchSockets sockets;
    private final Sockets watched;
    private final boolean batches;
    private final Long2ObjectHashMap<PublicationPosition> publications = new Long2ObjectHashMap<>();
    private final UnsafeBuffer term = new UnsafeBuffer();
    private final SetupFlyweight setup = new SetupFlyweight();
    private int descriptor = Descriptors.NONE;
    private boolean isWatched;
    private BatchSender sender;

    /**
     * Creates the endpoint of a channel.
     *
     * @param shared  objects shared with the other endpoints of the driver
     * @param sockets sockets of the driver
     * @param watched sockets for which the sender's thread waits
     */
    BatchingSendEndpoint(
            UdpChannel channel,
            AtomicCounter status,
            MediaDriver.Context context,
            SenderResources shared,
            BatchSockets sockets,
            Sockets watched) {
        super(channel, status, context);
        this.shared = shared;
        this.sockets = sockets;
        this.watched = watched;
        batches = connectAddress != null && !channel.isMulticast() && !channel.isChannelSendTimestampEnabled();
    }

    @Override
    public void openChannel() {
        super.openChannel();
        if (batches) {
            descriptor = sockets.descriptor(sendDatagramChannel, errorHandler);
            renewSender();
        }
        watched.add(descriptor);
        isWatched = true;
    }

    /** Resets the sender, because the path to another address may support trains again. */
    @Override
    public void resolutionChange(String endpoint, InetSocketAddress newAddress) {
        super.resolutionChange(endpoint, newAddress);
        renewSender();
    }

    private void renewSender() {
        sender = descriptor == Descriptors.NONE
                ? null
                : new BatchSender(shared, descriptor, sockets.trains(), errorHandler);
    }

    @Override
    public void close() {
        sender = null;
        if (isWatched) {
            isWatched = false;
            watched.remove(descriptor);
        }
        descriptor =
                sockets.close(descriptor); // closed before the channel, whose port another process may use afterwards
        super.close();
    }

    @Override
    public void registerForSend(NetworkPublication publication) {
        super.registerForSend(publication);
        if (sender != null) {
            PublicationPosition position =
                    PublicationPosition.of(publication.subscribableRegistrationId(), context.countersManager());
            if (position != null) {
                publications.put(Hashing.compoundKey(publication.sessionId(), publication.streamId()), position);
            }
        }
    }

    @Override
    public void unregisterForSend(NetworkPublication publication) {
        super.unregisterForSend(publication);
        publications.remove(Hashing.compoundKey(publication.sessionId(), publication.streamId()));
    }

    /**
     * Catches up first: a receiver may miss a datagram of a batch of this cycle, which Aeron does not count yet and
     * would not send again.
     */
    @Override
    public void onNakMessage(NakFlyweight nak, UnsafeBuffer buffer, int length, InetSocketAddress source) {
        shared.turns().catchUp();
        super.onNakMessage(nak, buffer, length, source);
    }

    @Override
    public int send(ByteBuffer buffer) {
        PublicationPosition publication = sender == null || !sendDatagramChannel.isConnected() ? null : next(buffer);
        int sent = publication == null
                ? BatchSender.SINGLE
                : sender.send(publication, term, buffer.position(), buffer.remaining(), connectAddress);
        if (sent == BatchSender.SINGLE) {
            sent = super.send(buffer);
            if (sent > 0) {
                shared.counters().sent(1);
            } else {
                shared.counters().singleNotSent();
            }
        }
        return sent;
    }

    /** The publication whose next data is in the buffer; null for any other frame. */
    private PublicationPosition next(ByteBuffer buffer) {
        int offset = buffer.position();
        if (buffer.remaining() < DataHeaderFlyweight.HEADER_LENGTH) {
            return null;
        }
        term.wrap(buffer);
        int type = FrameDescriptor.frameType(term, offset);
        boolean isSetup = type == HeaderFlyweight.HDR_TYPE_SETUP;
        if (!isSetup && type != HeaderFlyweight.HDR_TYPE_DATA && type != HeaderFlyweight.HDR_TYPE_PAD) {
            return null;
        }
        PublicationPosition publication = publications.get(Hashing.compoundKey(
                term.getInt(offset + DataHeaderFlyweight.SESSION_ID_FIELD_OFFSET, ByteOrder.LITTLE_ENDIAN),
                term.getInt(offset + DataHeaderFlyweight.STREAM_ID_FIELD_OFFSET, ByteOrder.LITTLE_ENDIAN)));
        if (publication != null && isSetup) {
            setup.wrap(buffer, offset, SetupFlyweight.HEADER_LENGTH);
            publication.mtu(setup.mtuLength());
        }
        return publication != null && !isSetup && publication.isNext(offset, buffer.capacity()) ? publication : null;
    }
}
