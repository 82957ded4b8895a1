package io.sluice.consistency.membership;

import io.sluice.consistency.node.NodeContext;
import io.sluice.messaging.Channels;
import io.sluice.messaging.Transport;

/** The connection of a node to its media driver. */
public final class NodeTransport {
    private NodeTransport() {}

    /**
     * Connects a node to its media driver.
     *
     * @param context context of the node
     * @param conductorInvoked whether the node's own thread runs Aeron's client conductor
     * @return the transport
     * @throws io.sluice.messaging.api.MessagingException if there is no driver
     */
    public static Transport connect(NodeContext<?> context, boolean conductorInvoked) {
        return Transport.connect(new Transport.Context()
                .directory(context.aeronDirectory())
                .channels(new Channels(context.channels()))
                .errorHandler(context.errorHandler())
                .conductorInvoked(conductorInvoked));
    }
}
