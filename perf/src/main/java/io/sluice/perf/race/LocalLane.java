package io.sluice.perf.race;

import java.util.ArrayList;
import java.util.List;

/**
 * Contestants in this JVM.
 *
 * <p>The warm-up also finds how many passes make a turn that a clock can measure. A turn begins with a pass that is not
 * timed: others have had the caches since the last one.
 */
final class LocalLane implements Lane {
    /** A pass that takes less than this share of the fastest so far shows that the compiler is still at work. */
    private static final double IMPROVEMENT = 0.9;

    /** Most times over that a warm-up may be prolonged. */
    private static final int LONGEST = 10;

    private final List<? extends Entrant> entrants;
    private final Pace pace;
    private final List<Crew> crews = new ArrayList<>();
    private final int[] passes;

    LocalLane(List<? extends Entrant> entrants, Pace pace) {
        this.entrants = entrants;
        this.pace = pace;
        passes = new int[entrants.size()];
    }

    /**
     * Goes on until nothing has got faster for a while: small tables take many passes until the loops that few of them
     * need are compiled.
     */
    @Override
    public void warmUp(int place) {
        Entrant entrant = entrants.get(place);
        Crew crew = new Crew(entrant);
        crews.add(crew);
        long begin = System.nanoTime();
        long improved = begin;
        long least = Long.MAX_VALUE;
        Turn last;
        int runs = 0;
        do {
            last = crew.run(1);
            runs++;
            long now = System.nanoTime();
            improved = last.nanos() < IMPROVEMENT * least ? now : improved;
            least = Math.min(least, last.nanos());
        } while (System.nanoTime() - improved < pace.warmUpNanos() && improved - begin < LONGEST * pace.warmUpNanos()
                || runs < pace.warmUpPasses()
                || runs < entrant.cycle());
        int wanted = Math.clamp(pace.turnNanos() / Math.max(1, last.nanos()), 1, pace.maxPasses());
        passes[place] = (wanted + entrant.cycle() - 1) / entrant.cycle() * entrant.cycle();
    }

    @Override
    public Turn turn(int place) {
        Crew crew = crews.get(place);
        crew.run(1);
        return crew.run(passes[place]);
    }

    @Override
    public void close() {
        crews.forEach(Crew::close);
    }
}
