package io.sluice.messaging.udp;

import io.aeron.driver.DataPacketDispatcher;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ext.LossGenerator;
import io.aeron.driver.media.UdpChannel;
import io.aeron.driver.status.SystemCounterDescriptor;
import io.aeron.logbuffer.FrameDescriptor;
import io.aeron.protocol.DataHeaderFlyweight;
import io.aeron.protocol.HeaderFlyweight;
import io.aeron.protocol.RttMeasurementFlyweight;
import io.aeron.protocol.SetupFlyweight;
import io.sluice.messaging.idle.Sockets;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.AtomicCounter;

/**
 * Receives datagrams in batches. Aeron's poller takes one datagram from each call: the endpoint passes on all datagrams
 * of a call itself, as the poller would, and then gives the poller their length with no datagram.
 *
 * <p>Loss generators get each datagram, as with Aeron's endpoint for tests.
 */
final class BatchingReceiveEndpoint extends AskingReceiveEndpoint implements TrainReceiver.Handler {
    private static final int TRANSPORT = 0;

    private final TrainReceiver receiver;
    private final BatchSockets sockets;
    private final Sockets watched;
    private final AtomicCounter bytesReceived;
    private final DataHeaderFlyweight data = new DataHeaderFlyweight();
    private final SetupFlyweight setup = new SetupFlyweight();
    private final RttMeasurementFlyweight roundTrip = new RttMeasurementFlyweight();
    private int descriptor = Descriptors.NONE;
    private boolean isWatched;
    private boolean isPassedOn;

    /**
     * Creates the endpoint of a channel.
     *
     * @param data     decides which data datagrams are lost
     * @param control  decides which control datagrams are lost
     * @param receiver objects shared with the other endpoints of the driver
     * @param sockets  sockets of the driver
     * @param watched  sockets for which the receiver's thread waits
     */
    BatchingReceiveEndpoint(
            UdpChannel channel,
            DataPacketDispatcher dispatcher,
            AtomicCounter status,
            MediaDriver.Context context,
            LossGenerator data,
            LossGenerator control,
            TrainReceiver receiver,
            BatchSockets sockets,
            Sockets watched) {
        super(channel, dispatcher, status, context, data, control);
        this.receiver = receiver;
        this.sockets = sockets;
        this.watched = watched;
        bytesReceived = context.systemCounters().get(SystemCounterDescriptor.BYTES_RECEIVED);
    }

    @Override
    public void openChannel() {
        super.openChannel();
        if (receiveDatagramChannel != null) { // with several destinations, each has its own socket, which Aeron reads
            descriptor = sockets.descriptor(receiveDatagramChannel, errorHandler);
        }
        if (descriptor != Descriptors.NONE && sockets.trains()) {
            sockets.receiveTrains(descriptor, errorHandler);
        }
        watched.add(descriptor);
        isWatched = true;
    }

    @Override
    public void close() {
        if (isWatched) {
            isWatched = false;
            watched.remove(descriptor);
        }
        descriptor =
                sockets.close(descriptor); // closed before the channel, whose port another process may use afterwards
        super.close();
    }

    @Override
    public InetSocketAddress receive(ByteBuffer buffer) {
        if (descriptor == Descriptors.NONE) {
            return super.receive(buffer);
        }
        buffer.clear();
        int bytes = receiver.receive(descriptor, this);
        if (bytes == 0) {
            return null;
        }
        int counted = Math.min(bytes, buffer.capacity());
        bytesReceived.getAndAddRelease(bytes - counted);
        buffer.position(counted);
        isPassedOn = true;
        return receiver.source();
    }

    /** Whether a frame is valid. If this endpoint has passed on all datagrams, the poller holds none. */
    @Override
    public boolean isValidFrame(UnsafeBuffer buffer, int length) {
        if (isPassedOn) {
            isPassedOn = false;
            return false;
        }
        return super.isValidFrame(buffer, length);
    }

    @Override
    public void onDatagram(UnsafeBuffer packet, int length, InetSocketAddress source) {
        try {
            if (super.isValidFrame(packet, length)) {
                receiveHook(packet, length, source);
                passOn(packet, length, source);
            }
        } catch (Exception e) { // Aeron also throws checked exceptions
            errorHandler.onError(e); // handled as Aeron's poller does; the other datagrams are not lost
        }
    }

    private void passOn(UnsafeBuffer packet, int length, InetSocketAddress source) {
        switch (FrameDescriptor.frameType(packet, 0)) {
            case HeaderFlyweight.HDR_TYPE_DATA, HeaderFlyweight.HDR_TYPE_PAD -> {
                data.wrap(packet);
                onDataPacket(data, packet, length, source, TRANSPORT);
            }
            case HeaderFlyweight.HDR_TYPE_SETUP -> {
                setup.wrap(packet);
                onSetupMessage(setup, packet, length, source, TRANSPORT);
            }
            case HeaderFlyweight.HDR_TYPE_RTTM -> {
                roundTrip.wrap(packet);
                onRttMeasurement(roundTrip, packet, length, source, TRANSPORT);
            }
            default -> {
                // Aeron's poller also ignores this error.
            }
        }
    }
}
