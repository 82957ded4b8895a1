package io.sluice.consistency.clock;

import io.sluice.consistency.spi.ConsistencyRule;

/**
 * TAP: no worker waits for another.
 *
 * <p>A version is complete with every n rounds pushed by any workers, so there are as many broadcasts as under BSP.
 * When all n workers have pushed N rounds, exactly N versions are complete, with no rest at the end. A lost worker
 * counts with the rounds that it has pushed, or as many as the version has if that is more, so its death delays no
 * version, and N rounds of the others still make N versions.
 */
public final class TotallyAsynchronous implements ConsistencyRule {

    @Override
    public long requiredVersion(long clock) {
        return 0;
    }

    @Override
    public boolean mayFinalise(long round, Clocks clocks, int slice) {
        return clocks.roundsPushed(slice, round) >= clocks.workers() * (round + 1);
    }

    @Override
    public long latestRound(long version) {
        return Long.MAX_VALUE;
    }

    @Override
    public boolean isBounded() {
        return false;
    }

    @Override
    public int ownRoundsAhead() {
        return Integer.MAX_VALUE;
    }

    @Override
    public String name() {
        return "tap";
    }
}
