package io.sluice.messaging.flow;

import io.aeron.CommonContext;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.UnicastFlowControl;
import io.aeron.driver.media.UdpChannel;
import io.aeron.logbuffer.LogBufferDescriptor;
import io.aeron.protocol.StatusMessageFlyweight;
import java.net.InetSocketAddress;
import org.agrona.SystemUtil;
import org.agrona.concurrent.status.AtomicCounter;
import org.agrona.concurrent.status.CountersManager;

/**
 * The flow control of a publication to one receiver, as Aeron's own, and two things more. It publishes what the
 * receiver has said, since with a window that changes (see {@link SharedWindows}) the sender's limit alone does not
 * tell it. And if it is paced, it lets the sender have the window in small parts, as fast as the host's network card
 * sends: a frame of 64 KiB that goes out at once keeps everything behind it in the card's queue waiting for the whole
 * of it, while between parts a control frame finds its way in.
 */
public final class LinkFlowControl extends UnicastFlowControl {
    /** Type of the counter that holds the position up to which a publication's receiver has consumed. */
    public static final int CONSUMED_TYPE_ID = 5_490;

    /** Type of the counter that holds the position up to which it takes more. */
    public static final int RECEIVER_LIMIT_TYPE_ID = 5_491;

    /** On each datagram: UDP, IPv4 and Ethernet. */
    private static final int NETWORK_HEADERS = 8 + 20 + 14;

    private final Egress egress;
    private AtomicCounter consumed;
    private AtomicCounter receiverLimit;
    private int turn;
    private double scale;

    /**
     * For one publication.
     *
     * @param egress of the host; null if the publication is not paced
     */
    LinkFlowControl(Egress egress) {
        this.egress = egress;
    }

    @Override
    public void initialize(
            MediaDriver.Context context,
            CountersManager counters,
            UdpChannel channel,
            int streamId,
            int sessionId,
            long registrationId,
            int initialTermId,
            int termLength) {
        super.initialize(context, counters, channel, streamId, sessionId, registrationId, initialTermId, termLength);
        consumed = counter(counters, CONSUMED_TYPE_ID, "rcv-consumed", registrationId);
        receiverLimit = counter(counters, RECEIVER_LIMIT_TYPE_ID, "rcv-limit", registrationId);
        String asked = channel.channelUri().get(CommonContext.MTU_LENGTH_PARAM_NAME);
        int mtu = null == asked
                ? context.mtuLength()
                : (int) SystemUtil.parseSize(CommonContext.MTU_LENGTH_PARAM_NAME, asked);
        scale = (double) (mtu + NETWORK_HEADERS) / mtu;
        turn = null == egress ? 0 : egress.turn(mtu);
    }

    private static AtomicCounter counter(CountersManager counters, int typeId, String name, long registrationId) {
        int id = counters.allocate(name + ": " + registrationId, typeId, key -> key.putLong(0, registrationId));
        counters.setCounterRegistrationId(id, registrationId);
        return new AtomicCounter(counters.valuesBuffer(), id, counters);
    }

    @Override
    public long onStatusMessage(
            StatusMessageFlyweight status,
            InetSocketAddress receiver,
            long senderLimit,
            int initialTermId,
            int positionBitsToShift,
            long timeNs) {
        long position = LogBufferDescriptor.computePosition(
                status.consumptionTermId(), status.consumptionTermOffset(), positionBitsToShift, initialTermId);
        // whoever sees a limit sees what was consumed before, so that a window is never seen too large
        consumed.proposeMaxRelease(position);
        receiverLimit.proposeMaxRelease(position + status.receiverWindowLength());
        return null == egress ? Math.max(senderLimit, receiverLimit.get()) : senderLimit;
    }

    @Override
    public long onIdle(long timeNs, long senderLimit, long senderPosition, boolean isEos) {
        if (null == egress) {
            return senderLimit;
        }
        long wanted = Math.min(senderPosition + turn, receiverLimit.get()) - senderLimit;
        return wanted <= 0 ? senderLimit : senderLimit + egress.take(timeNs, (int) wanted, scale);
    }

    @Override
    public void close() {
        consumed.close();
        receiverLimit.close();
        super.close();
    }
}
