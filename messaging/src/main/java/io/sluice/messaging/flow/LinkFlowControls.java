package io.sluice.messaging.flow;

import io.aeron.CommonContext;
import io.aeron.driver.DefaultUnicastFlowControlSupplier;
import io.aeron.driver.FlowControl;
import io.aeron.driver.FlowControlSupplier;
import io.aeron.driver.media.UdpChannel;

/**
 * Gives each UDP publication of a media driver a {@link LinkFlowControl}. If the rate of the host's network card is
 * known, bulk channels ({@link #PACED}) share it; if it is not, what is sent again is bounded ({@link Resends}).
 */
public final class LinkFlowControls implements FlowControlSupplier {
    /** Parameter of a channel's URI: {@code true} if its datagrams must be paced. Other drivers ignore it. */
    public static final String PACED = "sluice-paced";

    private static final int BITS = 8;

    /** Multiple of the card's rate at which the sender thread catches up after a pause; budgets bound the average. */
    private static final double HEADROOM = 1.05;

    /**
     * Seconds of the rate that may be sent at once after silence: the longest queue behind which other traffic waits in
     * the card.
     */
    private static final double BURST_S = 2e-3;

    /** Minimum burst, one datagram: with less, rounding would reduce the rate. */
    private static final int MIN_BURST = 1_500;

    private static final int MAX_BURST = 1 << 28;

    /** Seconds of the rate that one stream sends before others get a turn. */
    private static final double TURN_S = 0.5e-3;

    private final FlowControlSupplier others = new DefaultUnicastFlowControlSupplier();
    private final CardTurns card;
    private final int turn;

    /**
     * Creates the supplier of one driver.
     *
     * @param rate    rate of the host's network card in bits per second; 0 if it is not known, and nothing is paced
     * @param batches whether a publication sends several datagrams with one system call, so that granting only whole
     *     turns saves calls
     */
    public LinkFlowControls(long rate, boolean batches) {
        double paced = HEADROOM * rate;
        int burst = (int) Math.clamp(paced / BITS * BURST_S, MIN_BURST, MAX_BURST);
        card = rate > 0 ? new CardTurns(new TokenBucket((long) paced, burst), batches) : null;
        turn = (int) Math.min(paced / BITS * TURN_S, MAX_BURST);
    }

    /** Whether a publication waits for its turn, or did since the last call. For the sender's thread. */
    public boolean isPacing() {
        return null != card && card.haveRefused();
    }

    /** Creates the flow control of a publication. A channel that states one keeps it. */
    @Override
    public FlowControl newInstance(UdpChannel channel, int streamId, long registrationId) {
        if (null != channel.channelUri().get(CommonContext.FLOW_CONTROL_PARAM_NAME)) {
            return others.newInstance(channel, streamId, registrationId);
        }
        boolean paced = Boolean.parseBoolean(channel.channelUri().get(PACED));
        return new LinkFlowControl(paced ? card : null, turn, card == null ? new Resends() : null);
    }
}
