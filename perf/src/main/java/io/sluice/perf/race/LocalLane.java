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
    private final List<? extends Entrant> entrants;
    private final Pace pace;
    private final List<Crew> crews = new ArrayList<>();
    private final int[] passes;

    LocalLane(List<? extends Entrant> entrants, Pace pace) {
        this.entrants = entrants;
        this.pace = pace;
        passes = new int[entrants.size()];
    }

    @Override
    public void warmUp(int place) {
        Entrant entrant = entrants.get(place);
        Crew crew = new Crew(entrant);
        crews.add(crew);
        long begin = System.nanoTime();
        Turn last;
        int runs = 0;
        do {
            last = crew.run(1);
            runs++;
        } while (System.nanoTime() - begin < pace.warmUpNanos()
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
