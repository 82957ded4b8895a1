package io.sluice.trials.chaos;

import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The numbers of data frames that each worker has pushed and each server has accepted in a whole job. A data frame is
 * one update of a slice by a worker at a clock. A node that is started again continues to count from its snapshot. So a
 * frame that it pushes or takes again counts once, and a frame after the snapshot counts only when it is pushed or
 * taken again.
 *
 * @param pushed frames pushed, by worker
 * @param taken frames accepted, by server
 */
record Counts(Map<Integer, Long> pushed, Map<Integer, Long> taken) {
    /** Copies the maps. */
    Counts {
        pushed = Map.copyOf(pushed);
        taken = Map.copyOf(taken);
    }

    /** The sum over all workers. */
    long allPushed() {
        return sum(pushed);
    }

    /** The sum over all servers. */
    long allTaken() {
        return sum(taken);
    }

    private static long sum(Map<Integer, Long> counts) {
        return counts.values().stream().mapToLong(Long::longValue).sum();
    }

    /**
     * The number of updates that another run of the same job lacks or has twice. The larger count, of workers or of
     * servers, decides, because a frame that was never pushed is never accepted.
     *
     * @param other a run that should have the same counts
     * @return 0 if no update is lost or duplicated
     */
    long lostIn(Counts other) {
        return Math.max(apart(pushed, other.pushed), apart(taken, other.taken));
    }

    private static long apart(Map<Integer, Long> here, Map<Integer, Long> there) {
        TreeSet<Integer> nodes = new TreeSet<>(here.keySet());
        nodes.addAll(there.keySet());
        return nodes.stream()
                .mapToLong(node -> Math.abs(here.getOrDefault(node, 0L) - there.getOrDefault(node, 0L)))
                .sum();
    }

    @Override
    public String toString() {
        return "pushed by workers " + new TreeMap<>(pushed) + ", taken by servers " + new TreeMap<>(taken);
    }
}
