package io.sluice.perf.link;

import io.sluice.perf.race.Contestant;
import io.sluice.perf.race.Tally;

/** A contestant whose thread binds itself to a core before the first pass. */
final class BoundContestant implements Contestant {
    private final Contestant contestant;
    private final int core;

    /**
     * Makes one.
     *
     * @param core ordinal, see {@link CoreAffinity#bind}
     */
    BoundContestant(Contestant contestant, int core) {
        this.contestant = contestant;
        this.core = core;
    }

    @Override
    public void attach() {
        CoreAffinity.bind(core);
        contestant.attach();
    }

    @Override
    public void pass(Tally tally) {
        contestant.pass(tally);
    }

    @Override
    public void close() {
        contestant.close();
    }
}
