package io.sluice.consistency.clock;

/**
 * TAP: no worker ever waits for another.
 *
 * <p>A version goes out for every n rounds pushed, of whichever worker, so there are as many broadcasts as under BSP.
 * When all n workers have pushed N rounds, exactly N versions are due: nothing is left behind at the end. A worker that
 * is lost counts with the rounds that it has pushed, or as many as the version has if that is more, so that its death
 * delays no version and the others' N rounds make N versions too.
 */
public final class TotallyAsynchronous implements ConsistencyRule {

    @Override
    public long requiredVersion(long clock) {
        return 0;
    }

    @Override
    public boolean mayFinalise(long round, SliceClocks clocks, int slice) {
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
    public String name() {
        return "tap";
    }
}
