package io.sluice.consistency.clock;

import io.sluice.consistency.spi.ConsistencyRule;

/**
 * SSP with bound s: a worker may be up to s clocks ahead of the version that it computes on (Parameter Flow, UCC-SSP,
 * eq. 5).
 *
 * <p>A version t holds the <em>guaranteed</em> updates of all workers up to t, and <em>extra</em> ones of workers that
 * were ahead when it was finalised. The extra updates depend on timing, so a run cannot be reproduced bit for bit.
 * Replicas at the same version are identical, because all workers apply the same broadcasts.
 */
public final class StaleSynchronous implements ConsistencyRule {
    private final int staleness;

    /**
     * Creates the rule.
     *
     * @param staleness s, in clocks, at least 1 (0 is {@link BulkSynchronous})
     */
    public StaleSynchronous(int staleness) {
        if (staleness < 1) {
            throw new IllegalArgumentException("staleness is " + staleness + ", expected 1 or more (bsp is ssp:0)");
        }
        this.staleness = staleness;
    }

    @Override
    public long requiredVersion(long clock) {
        return Math.max(0, clock - staleness);
    }

    @Override
    public boolean mayFinalise(long round, Clocks clocks, int slice) {
        return clocks.min(slice) >= round;
    }

    @Override
    public long latestRound(long version) {
        return version + 1 + staleness;
    }

    @Override
    public int ownRoundsAhead() {
        return staleness + 1;
    }

    @Override
    public String name() {
        return "ssp:" + staleness;
    }
}
