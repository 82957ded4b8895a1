package io.sluice.messaging;

import io.aeron.driver.ReceiveChannelEndpointSupplier;
import io.aeron.driver.ext.DebugReceiveChannelEndpoint;
import io.aeron.driver.ext.LossGenerator;
import io.aeron.driver.ext.RandomLossGenerator;

/** Drops a share of the data datagrams a driver receives, for tests. The same seed drops the same datagrams. */
final class ReceiveLoss {
    private static final LossGenerator NO_LOSS = (address, buffer, length) -> false;

    private ReceiveLoss() {}

    /**
     * Supplies endpoints that lose data but no control messages.
     *
     * @param rate share lost, 0 to 1.
     * @param seed of the generator; each endpoint of the driver draws its own sequence from it.
     */
    static ReceiveChannelEndpointSupplier endpoints(double rate, long seed) {
        return (channel, dispatcher, status, context) -> new DebugReceiveChannelEndpoint(
                channel, dispatcher, status, context, new RandomLossGenerator(rate, seed), NO_LOSS);
    }
}
