package io.sluice.messaging.flow;

import io.aeron.CommonContext;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.UnicastFlowControl;
import io.aeron.driver.media.UdpChannel;
import io.aeron.logbuffer.LogBufferDescriptor;
import io.aeron.protocol.StatusMessageFlyweight;
import java.net.InetSocketAddress;
import org.agrona.SystemUtil;
import org.agrona.concurrent.NanoClock;
import org.agrona.concurrent.status.AtomicCounter;
import org.agrona.concurrent.status.CountersManager;

/**
 * Flow control of a publication to one receiver: Aeron's unicast flow control with two additions. It publishes the
 * receiver's position and window as counters, since with a window that changes (see {@link SharedWindows}) the sender's
 * limit alone does not reveal them. And if the publication is paced, it opens the window in small steps at the rate of
 * the host's network card: a frame of 64 KiB sent at once would make everything behind it in the card's queue wait,
 * while between two steps a control frame gets through.
 */
public final class LinkFlowControl extends UnicastFlowControl {
    /** Type of the counter that holds the position up to which a publication's receiver has consumed. */
    public static final int CONSUMED_TYPE_ID = 5_490;

    /** Type of the counter that holds the position up to which the receiver accepts data. */
    public static final int RECEIVER_LIMIT_TYPE_ID = 5_491;

    /** Header bytes of each datagram: UDP, IPv4 and Ethernet. */
    private static final int NETWORK_HEADERS = 8 + 20 + 14;

    private static final int MIN_TURN_DATAGRAMS = 2;

    private final CardTurns card;
    private final Resends resends;
    private NanoClock clock;
    private int receiverWindow;
    private AtomicCounter consumed;
    private AtomicCounter receiverLimit;
    private int turn;
    private double scale;
    private double credit;

    /**
     * Creates the flow control of one publication.
     *
     * @param card divides the bytes that the host's card sends; null if the publication is not paced
     * @param turn bytes that the publication may send before others get a turn
     * @param resends decides what is sent again; null to send all that is missing
     */
    LinkFlowControl(CardTurns card, int turn, Resends resends) {
        this.card = card;
        this.turn = turn;
        this.resends = resends;
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
        clock = context.senderCachedNanoClock();
        scale = (double) (mtu + NETWORK_HEADERS) / mtu;
        turn = Math.max(turn, MIN_TURN_DATAGRAMS * mtu);
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
        // written before the limit: a reader of the new limit and the old position would compute too large a window
        consumed.proposeMaxRelease(position);
        receiverLimit.proposeMaxRelease(position + status.receiverWindowLength());
        receiverWindow = status.receiverWindowLength();
        if (resends != null) {
            resends.onComplete(position, timeNs);
        }
        return null == card ? Math.max(senderLimit, receiverLimit.get()) : senderLimit;
    }

    @Override
    public int maxRetransmissionLength(int termOffset, int length, int termLength, int mtu) {
        int most = super.maxRetransmissionLength(termOffset, length, termLength, mtu);
        if (resends == null) {
            return most;
        }
        long complete = consumed.get();
        long gap = complete + (termOffset - complete & termLength - 1);
        return resends.admit(gap, most, receiverWindow, mtu, clock.nanoTime());
    }

    @Override
    public long onIdle(long timeNs, long senderLimit, long senderPosition, boolean isEos) {
        if (null == card) {
            return senderLimit;
        }
        long wanted = Math.min(senderPosition + turn, receiverLimit.get()) - senderLimit;
        if (wanted <= 0) {
            return senderLimit;
        }
        credit += card.take(this, (int) Math.ceil((wanted - credit) * scale), timeNs) / scale;
        long granted = Math.min(wanted, (long) credit);
        credit -= granted;
        return senderLimit + granted;
    }

    @Override
    public void close() {
        consumed.close();
        receiverLimit.close();
        super.close();
    }
}
