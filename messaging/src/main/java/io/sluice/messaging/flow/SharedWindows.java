package io.sluice.messaging.flow;

import io.aeron.CommonContext;
import io.aeron.driver.Configuration;
import io.aeron.driver.CongestionControl;
import io.aeron.driver.CongestionControlSupplier;
import io.aeron.driver.DefaultCongestionControlSupplier;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.media.UdpChannel;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Map;
import org.agrona.concurrent.NanoClock;
import org.agrona.concurrent.status.CountersManager;

/**
 * Gives all bulk streams into one socket a single window to share. Their bytes in flight then fit the socket's buffer,
 * however many streams send at once. Otherwise workers that all push at the end of a clock (incast) to a host that
 * pauses for a moment would overflow the buffer, and their retransmissions would overflow it again.
 *
 * <p>A stream starts with a window of {@link #FIRST}, enough for one long frame. Once half of that has arrived within a
 * second, it counts until it ends, and its window is the socket's divided by the number of streams that count. So
 * streams of a few small frames take nothing from the others, and a stream that pauses between two clocks keeps its
 * share.
 *
 * <p>Where no rate is known, the window follows the stream's own rate within these bounds; see {@link MeasuredWindow}.
 *
 * <p>One for each media driver. Its conductor's thread makes windows; its receiver's thread records round trips.
 */
public final class SharedWindows implements CongestionControlSupplier {
    /** Window of a stream until it counts, in bytes. */
    static final int FIRST = 128 << 10;

    private final CongestionControlSupplier others = new DefaultCongestionControlSupplier();
    private final Map<String, WindowShare> sockets = new HashMap<>();
    private final boolean measures;

    /** How long the request of the reply being handled had waited; used only by the receiver's thread. */
    private long waitedNs;

    /**
     * Creates windows without streams.
     *
     * @param measures whether no rate is known, so that windows follow the measured rates of their streams
     */
    public SharedWindows(boolean measures) {
        this.measures = measures;
    }

    /** Creates the window of a stream. A channel that states a congestion control keeps it. */
    @Override
    public CongestionControl newInstance(
            long registrationId,
            UdpChannel channel,
            int streamId,
            int sessionId,
            int termLength,
            int mtu,
            InetSocketAddress control,
            InetSocketAddress source,
            NanoClock clock,
            MediaDriver.Context context,
            CountersManager counters) {
        if (null != channel.channelUri().get(CommonContext.CONGESTION_CONTROL_PARAM_NAME)) {
            return others.newInstance(
                    registrationId,
                    channel,
                    streamId,
                    sessionId,
                    termLength,
                    mtu,
                    control,
                    source,
                    clock,
                    context,
                    counters);
        }
        int asked = channel.receiverWindowLength();
        int whole = Configuration.receiverWindowLength(termLength, asked != 0 ? asked : context.initialWindowLength());
        sockets.values().removeIf(WindowShare::isUnused);
        return new SharedWindow(
                sockets.computeIfAbsent(channel.canonicalForm(), socket -> new WindowShare()),
                whole,
                mtu,
                measures ? new MeasuredWindow(mtu, whole) : null,
                this);
    }

    /**
     * Sets how long the request of the next reply has waited, as the sender states it. The receiver's thread handles
     * that reply next.
     */
    public void onAnswer(long waitedNs) {
        this.waitedNs = waitedNs;
    }

    /** How long the request has waited: the time that Aeron has subtracted from the round trip. */
    long waitedNs() {
        return waitedNs;
    }
}
