package io.sluice.consistency.clock;

import io.sluice.consistency.spi.ConsistencyRule;

/**
 * SSP whose bound is between two numbers (Zhao et al. 2019, Dynamic Stale Synchronous Parallel): a worker that is LOW
 * clocks ahead computes further ones, up to HIGH, if it then pushes nearer to a push of the slowest worker than now.
 * The worker predicts its own next pushes and those of the slowest worker from the last clock of each.
 */
final class DynamicStaleness implements ConsistencyRule {
    private final String name;
    private final int low;
    private final int high;
    private final StaleSynchronous most;

    /**
     * Creates the rule.
     *
     * @param name the rule as it is written
     * @param low  staleness that is always allowed, 0 or more
     * @param high staleness that is never exceeded, above {@code low}
     */
    DynamicStaleness(String name, int low, int high) {
        this.name = name;
        this.low = low;
        this.high = high;
        this.most = new StaleSynchronous(high);
    }

    @Override
    public long requiredVersion(long clock) {
        return most.requiredVersion(clock);
    }

    @Override
    public long requiredVersion(
            long clock, long version, double ownSeconds, double slowestSeconds, double sinceSeconds) {
        long more = high - (clock - version);
        boolean known = ownSeconds > 0 && slowestSeconds > 0;
        return known && more > 0 && clocksToMeet(more, ownSeconds, slowestSeconds, sinceSeconds) > 0
                ? requiredVersion(clock)
                : Math.max(0, clock - low);
    }

    /**
     * The number of further clocks after which this worker pushes nearest to a push of the slowest one; the lowest such
     * number. With no further clock it waits for the slowest worker's next push.
     */
    private static long clocksToMeet(long most, double ownSeconds, double slowestSeconds, double sinceSeconds) {
        long best = 0;
        double nearest = Math.max(0, slowestSeconds - sinceSeconds);
        for (long clocks = 1; clocks <= most; clocks++) {
            double own = clocks * ownSeconds + sinceSeconds;
            double push = Math.max(1, Math.rint(own / slowestSeconds)) * slowestSeconds;
            if (Math.abs(push - own) < nearest) {
                nearest = Math.abs(push - own);
                best = clocks;
            }
        }
        return best;
    }

    @Override
    public boolean mayFinalise(long round, Clocks clocks, int slice) {
        return most.mayFinalise(round, clocks, slice);
    }

    @Override
    public long latestRound(long version) {
        return most.latestRound(version);
    }

    @Override
    public int ownRoundsAhead() {
        return most.ownRoundsAhead();
    }

    @Override
    public String name() {
        return name;
    }
}
