package io.sluice.trials.chaos;

import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * How many data frames each worker has pushed and each server has taken in a whole job: each frame once, which is one
 * update of a slice by a worker at a clock. A node that was started again goes on counting from its snapshot, so what
 * it computes, pushes or takes once more is not counted twice, and what of an earlier life is in no snapshot is not
 * counted at all before it is done again.
 *
 * @param pushed by worker
 * @param taken by server
 */
record Counts(Map<Integer, Long> pushed, Map<Integer, Long> taken) {
    /** Copies. */
    Counts {
        pushed = Map.copyOf(pushed);
        taken = Map.copyOf(taken);
    }

    /** All that workers have pushed. */
    long allPushed() {
        return sum(pushed);
    }

    /** All that servers have taken. */
    long allTaken() {
        return sum(taken);
    }

    private static long sum(Map<Integer, Long> counts) {
        return counts.values().stream().mapToLong(Long::longValue).sum();
    }

    /**
     * How many updates another run of the same job lacks, or has too often: at the nodes that should have taken them,
     * or at those that should have pushed them, whichever is more, since what was never pushed was not taken either.
     *
     * @param other a run that should have the same
     * @return 0 if no update is lost, and none doubled
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
