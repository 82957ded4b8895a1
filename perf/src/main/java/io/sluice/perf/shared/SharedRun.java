package io.sluice.perf.shared;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Runs the job with each threshold. They take turns, and every other round goes through them backwards, so that what
 * drifts in the machine meets them alike.
 */
final class SharedRun {
    /** A phase that takes so many times what it should at the worst, and the start besides, hangs. */
    private static final int PATIENCE = 20;

    private static final long LEAST_PATIENCE_S = 60;
    private static final double NS = 1e9;

    private final SharedPlan plan;
    private final List<Threshold> thresholds;
    private final int rounds;

    SharedRun(SharedPlan plan, List<Threshold> thresholds, int rounds) {
        this.plan = plan;
        this.thresholds = thresholds;
        this.rounds = rounds;
    }

    /**
     * Runs it.
     *
     * @param progress told of each turn that is over
     * @return the turns of each threshold
     */
    Map<Threshold, List<Turn>> run(Consumer<String> progress) throws IOException, InterruptedException {
        Map<Threshold, List<Turn>> turns = new TreeMap<>();
        try (SharedLab lab = SharedLab.start(plan)) {
            for (int round = 0; round < rounds; round++) {
                for (Threshold threshold : round % 2 == 0 ? thresholds : thresholds.reversed()) {
                    turns.computeIfAbsent(threshold, fresh -> new ArrayList<>()).add(lab.turn(threshold, patience()));
                    progress.accept("round " + (round + 1) + " of " + rounds + ": " + threshold.configName());
                }
            }
        }
        return turns;
    }

    private long patience() {
        return LEAST_PATIENCE_S + (long) (PATIENCE * plan.allClocks() * plan.computeNs() / NS);
    }

    /** The rows of all turns, by threshold and phase. */
    List<SharedRow> rows(Map<Threshold, List<Turn>> turns) {
        List<SharedRow> rows = new ArrayList<>();
        turns.forEach((threshold, ofIt) -> {
            for (Phase phase : Phase.values()) {
                rows.add(SharedRow.of(plan, threshold, phase, ofIt));
            }
        });
        return rows;
    }
}
