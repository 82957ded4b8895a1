package io.sluice.messaging.udp;

import io.aeron.driver.DataPacketDispatcher;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ext.DebugReceiveChannelEndpoint;
import io.aeron.driver.ext.LossGenerator;
import io.aeron.driver.media.UdpChannel;
import io.aeron.protocol.RttMeasurementFlyweight;
import io.sluice.messaging.flow.SharedWindows;
import java.net.InetSocketAddress;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.AtomicCounter;

/**
 * Passes on to the windows how long the request of a round trip has waited, which the reply of an
 * {@link AnsweringSendEndpoint} states: Aeron only subtracts it.
 */
class AskingReceiveEndpoint extends DebugReceiveChannelEndpoint {
    private final SharedWindows windows;

    /**
     * Creates the endpoint of a channel.
     *
     * @param data    decides which data datagrams are lost
     * @param control decides which control datagrams are lost
     */
    AskingReceiveEndpoint(
            UdpChannel channel,
            DataPacketDispatcher dispatcher,
            AtomicCounter status,
            MediaDriver.Context context,
            LossGenerator data,
            LossGenerator control) {
        super(channel, dispatcher, status, context, data, control);
        windows = context.congestionControlSupplier() instanceof SharedWindows shared ? shared : null;
    }

    @Override
    public void onRttMeasurement(
            RttMeasurementFlyweight header, UnsafeBuffer buffer, int length, InetSocketAddress source, int transport) {
        if (windows != null) {
            windows.onAnswer(header.receptionDelta());
        }
        super.onRttMeasurement(header, buffer, length, source, transport);
    }
}
