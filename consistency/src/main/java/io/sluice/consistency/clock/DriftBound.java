package io.sluice.consistency.clock;

import io.sluice.consistency.spi.ConsistencyRule;

/**
 * BSP in which a worker pushes a table only when its residual has drifted far enough, and at least once in a number of
 * rounds (Modularized Parameter Server, figure 2.3 d: criterion-driven sending). Rounds close as under BSP, because
 * round commits are always sent. A replica is at most D times its own norm from the sum of all updates, for each
 * worker, but for what a filter withholds.
 */
final class DriftBound implements ConsistencyRule {
    private final String name;
    private final double share;
    private final int rounds;
    private final BulkSynchronous bulk = new BulkSynchronous();

    /**
     * Creates the rule.
     *
     * @param name   text of the rule in the terms, such as {@code drift:0.1,10}
     * @param share  D: share of the replica's norm that the residual's may reach, 0 or more
     * @param rounds every round whose number this divides is pushed, 1 or more
     */
    DriftBound(String name, double share, int rounds) {
        this.name = name;
        this.share = share;
        this.rounds = rounds;
    }

    @Override
    public boolean withholds() {
        return true;
    }

    /** The number of the round decides, not the rounds since the last push, so a restored run decides alike. */
    @Override
    public boolean pushes(long round, double residual, double replica) {
        return residual > share * replica || round % rounds == 0;
    }

    @Override
    public long requiredVersion(long clock) {
        return bulk.requiredVersion(clock);
    }

    @Override
    public boolean mayFinalise(long round, Clocks clocks, int slice) {
        return bulk.mayFinalise(round, clocks, slice);
    }

    @Override
    public long latestRound(long version) {
        return bulk.latestRound(version);
    }

    @Override
    public boolean ordered() {
        return true;
    }

    @Override
    public String name() {
        return name;
    }
}
