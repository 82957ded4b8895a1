package io.sluice.consistency.clock;

import io.sluice.consistency.spi.ConsistencyRule;

/**
 * Wraps a rule so that pushes are summed in the order of arrival.
 *
 * @param rule decides which versions are needed and when they are complete
 */
public record AnyOrder(ConsistencyRule rule) implements ConsistencyRule {
    @Override
    public long requiredVersion(long clock) {
        return rule.requiredVersion(clock);
    }

    @Override
    public long requiredVersion(
            long clock, long version, double ownSeconds, double slowestSeconds, double sinceSeconds) {
        return rule.requiredVersion(clock, version, ownSeconds, slowestSeconds, sinceSeconds);
    }

    @Override
    public boolean mayFinalise(long round, Clocks clocks, int slice) {
        return rule.mayFinalise(round, clocks, slice);
    }

    @Override
    public long latestRound(long version) {
        return rule.latestRound(version);
    }

    @Override
    public boolean isBounded() {
        return rule.isBounded();
    }

    @Override
    public int backups() {
        return rule.backups();
    }

    @Override
    public String name() {
        return rule.name();
    }
}
