package io.sluice.consistency.clock;

import io.sluice.consistency.spi.ConsistencyRule;

/**
 * SSP whose bound is between two numbers (Zhao et al. 2019, Dynamic Stale Synchronous Parallel): a worker that is LOW
 * clocks ahead computes further ones, up to HIGH, if it then meets the slowest worker after a shorter wait than now.
 * The worker predicts its own next pushes and those of the slowest worker from the last clock of each.
 */
final class DynamicStaleness implements ConsistencyRule {
    private final String name;
    private final int low;
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
        this.most = new StaleSynchronous(high);
    }

    @Override
    public long requiredVersion(long clock) {
        return most.requiredVersion(clock);
    }

    @Override
    public long requiredVersion(
            long clock, long version, double ownSeconds, double slowestSeconds, double sinceSeconds) {
        long least = requiredVersion(clock);
        boolean known = ownSeconds > 0 && slowestSeconds > 0;
        return known && version >= least && clocksToMeet(version - least, ownSeconds, slowestSeconds, sinceSeconds) > 0
                ? least
                : Math.max(0, clock - low);
    }

    /**
     * The number of further clocks after which this worker and the slowest one push at the nearest moments; the lowest
     * such number.
     */
    private static long clocksToMeet(long most, double ownSeconds, double slowestSeconds, double sinceSeconds) {
        long best = 0;
        double shortest = Double.MAX_VALUE;
        for (long clocks = 0; clocks <= most; clocks++) {
            double own = clocks * ownSeconds + sinceSeconds;
            double next = Math.max(1, Math.ceil(own / slowestSeconds)) * slowestSeconds;
            if (next - own < shortest) {
                shortest = next - own;
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
