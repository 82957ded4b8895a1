package io.sluice.messaging.flow;

import io.aeron.CommonContext;
import io.aeron.driver.DefaultUnicastFlowControlSupplier;
import io.aeron.driver.FlowControl;
import io.aeron.driver.FlowControlSupplier;
import io.aeron.driver.media.UdpChannel;

/**
 * Gives each UDP publication of a media driver a {@link LinkFlowControl}. Bulk channels ({@link #PACED}) share the
 * host's rate, if that is known; see {@link Egress}.
 */
public final class LinkFlowControls implements FlowControlSupplier {
    /** Parameter of a channel's URI: {@code true} if its datagrams are to be spread. Other drivers ignore it. */
    public static final String PACED = "sluice-paced";

    private final FlowControlSupplier others = new DefaultUnicastFlowControlSupplier();
    private final Egress egress;

    /**
     * For one driver.
     *
     * @param rate of the host's network card, bits per second; 0 if it is not known, and nothing is paced
     */
    public LinkFlowControls(long rate) {
        egress = new Egress(rate);
    }

    /** A channel that names a flow control of its own has that. */
    @Override
    public FlowControl newInstance(UdpChannel channel, int streamId, long registrationId) {
        if (null != channel.channelUri().get(CommonContext.FLOW_CONTROL_PARAM_NAME)) {
            return others.newInstance(channel, streamId, registrationId);
        }
        boolean paced =
                egress.isBounded() && Boolean.parseBoolean(channel.channelUri().get(PACED));
        return new LinkFlowControl(paced ? egress : null);
    }
}
