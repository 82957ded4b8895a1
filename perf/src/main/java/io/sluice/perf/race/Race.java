package io.sluice.perf.race;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Runs entrants against each other: all are warmed up first; then every round gives each one turn, beginning with
 * another one each time. The first round does not count.
 */
public final class Race {
    private final int rounds;
    private final Pace pace;
    private final boolean forked;

    /** Where a contestant runs. */
    private record Start(Lane lane, int place) {
        Turn turn() {
            return lane.turn(place);
        }
    }

    /**
     * Makes a race.
     *
     * @param rounds that count, from 1
     * @param pace of warm-up and turns
     * @param forked whether each group of entrants has a JVM of its own
     */
    public Race(int rounds, Pace pace, boolean forked) {
        if (rounds < 1) {
            throw new IllegalArgumentException("rounds is " + rounds + ", expected 1 or more");
        }
        this.rounds = rounds;
        this.pace = pace;
        this.forked = forked;
    }

    /** Calls of {@link Progress#step} in a run of so many entrants. */
    public int steps(int entrants) {
        return entrants * (rounds + 2);
    }

    /**
     * Runs.
     *
     * @param entrants in the order of the results
     * @param progress is told of every warm-up and every turn
     * @return a result for each
     * @throws IOException if a JVM cannot be started
     * @throws IllegalStateException if one dies
     */
    public <E extends Entrant> List<Result<E>> run(List<E> entrants, Progress progress) throws IOException {
        List<Lane> lanes = new ArrayList<>();
        try {
            return run(entrants, warmUp(entrants, lanes, progress), progress);
        } finally {
            lanes.forEach(Lane::close);
        }
    }

    /** One after the other: two that warm up at once on few cores both take longer to get warm. */
    private <E extends Entrant> Start[] warmUp(List<E> entrants, List<Lane> lanes, Progress progress)
            throws IOException {
        Map<String, List<Integer>> groups = new LinkedHashMap<>();
        for (int i = 0; i < entrants.size(); i++) {
            String group = forked ? entrants.get(i).group() : "";
            groups.computeIfAbsent(group, _ -> new ArrayList<>()).add(i);
        }
        Start[] starts = new Start[entrants.size()];
        for (List<Integer> group : groups.values()) {
            List<E> members = group.stream().map(entrants::get).toList();
            Lane lane = forked ? new ForkedLane(members, pace) : new LocalLane(members, pace);
            lanes.add(lane);
            for (int place = 0; place < members.size(); place++) {
                lane.warmUp(place);
                starts[group.get(place)] = new Start(lane, place);
                progress.step("warmed up " + members.get(place).name());
            }
        }
        return starts;
    }

    private <E extends Entrant> List<Result<E>> run(List<E> entrants, Start[] starts, Progress progress) {
        List<Result<E>> results = entrants.stream()
                .map(entrant -> new Result<>(entrant, new ArrayList<>()))
                .toList();
        for (int round = 0; round <= rounds; round++) {
            for (int i = 0; i < starts.length; i++) {
                int next = (i + round) % starts.length;
                Turn turn = starts[next].turn();
                if (round > 0) {
                    results.get(next).turns().add(turn);
                }
                progress.step("round " + round + " of " + rounds);
            }
        }
        return results;
    }
}
