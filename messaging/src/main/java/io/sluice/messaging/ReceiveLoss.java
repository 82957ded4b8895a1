package io.sluice.messaging;

import io.aeron.driver.ext.LossGenerator;
import io.aeron.driver.ext.RandomLossGenerator;
import io.sluice.messaging.driver.Driver;
import java.util.function.Supplier;

/** Drops a share of the data datagrams that a driver receives, for tests. The same seed drops the same datagrams. */
final class ReceiveLoss {
    private ReceiveLoss() {}

    /** Creates the generator that drops datagrams of an endpoint, one sequence per endpoint; null for no loss. */
    static Supplier<LossGenerator> of(Driver.Context context) {
        double rate = context.receiveLossRate();
        return rate > 0 ? () -> new RandomLossGenerator(rate, context.receiveLossSeed()) : null;
    }
}
