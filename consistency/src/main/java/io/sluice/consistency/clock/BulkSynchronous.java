package io.sluice.consistency.clock;

import io.sluice.consistency.spi.ConsistencyRule;

/**
 * BSP: every worker computes iteration t on version t - 1, which holds all updates of all workers before t (Parameter
 * Flow, section 2.3.1 and UCC-BSP in 3.2.1).
 *
 * <p>Pushes are summed in worker order. No worker can push a round before the last one is finalised, so the order adds
 * no waiting.
 */
public final class BulkSynchronous implements ConsistencyRule {

    @Override
    public long requiredVersion(long clock) {
        return clock;
    }

    @Override
    public boolean mayFinalise(long round, Clocks clocks, int slice) {
        return clocks.min(slice) >= round;
    }

    @Override
    public long latestRound(long version) {
        return version + 1;
    }

    @Override
    public boolean ordered() {
        return true;
    }

    @Override
    public String name() {
        return "bsp";
    }
}
