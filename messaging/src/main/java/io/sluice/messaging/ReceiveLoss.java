package io.sluice.messaging;

import io.aeron.driver.ext.LossGenerator;
import io.aeron.driver.ext.RandomLossGenerator;
import io.sluice.messaging.driver.Driver;
import java.util.function.Supplier;

/** Drops a share of the data datagrams a driver receives, for tests. The same seed drops the same datagrams. */
final class ReceiveLoss {
    private ReceiveLoss() {}

    /** What loses an endpoint's datagrams, each endpoint by its own sequence; null if nothing is to be lost. */
    static Supplier<LossGenerator> of(Driver.Context context) {
        double rate = context.receiveLossRate();
        return rate > 0 ? () -> new RandomLossGenerator(rate, context.receiveLossSeed()) : null;
    }
}
