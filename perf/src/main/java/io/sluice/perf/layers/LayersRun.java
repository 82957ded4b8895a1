package io.sluice.perf.layers;

import io.sluice.perf.race.Quartiles;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Trains by all methods over links of one rate after another. Methods take turns, and every other round goes through
 * them backwards, so that what drifts in the machine meets them alike.
 */
final class LayersRun {
    /** A turn that takes so many times what it should with nothing at the same time, and the start besides, hangs. */
    private static final int PATIENCE = 10;

    private static final long START_S = 60;

    private final TrainingPlan plan;
    private final List<SyncMethod> methods;
    private final int rounds;
    private final int batch;

    /**
     * Plans a run.
     *
     * @param plan    of all turns
     * @param methods to compare, the baseline first
     * @param rounds  turns of each method at each rate
     * @param batch   samples of a worker in an iteration
     */
    LayersRun(TrainingPlan plan, List<SyncMethod> methods, int rounds, int batch) {
        this.plan = plan;
        this.methods = methods;
        this.rounds = rounds;
        this.batch = batch;
    }

    /**
     * Runs it.
     *
     * @param rates  of the links, bits per second
     * @param onRate given the rows of each rate as soon as they are there
     * @return the rows of all rates
     */
    List<LayersRow> run(List<Long> rates, Consumer<List<LayersRow>> onRate) throws IOException, InterruptedException {
        List<LayersRow> all = new ArrayList<>();
        try (LayersLab lab = LayersLab.start(plan, rates.getFirst())) {
            for (long rate : rates) {
                lab.rate(rate);
                List<LayersRow> rows = run(lab, rate);
                onRate.accept(rows);
                all.addAll(rows);
            }
        }
        return all;
    }

    private List<LayersRow> run(LayersLab lab, long rate) throws InterruptedException {
        Map<SyncMethod, Seen> seen = new LinkedHashMap<>();
        methods.forEach(method -> seen.put(method, new Seen()));
        for (int round = 0; round < rounds; round++) {
            for (SyncMethod method : round % 2 == 0 ? methods : methods.reversed()) {
                seen.get(method).add(lab.turn(method, rate, patience(method, rate)));
            }
        }
        double baseline = seen.get(methods.getFirst()).median();
        return methods.stream()
                .map(method -> LayersRow.of(
                        plan, method, rate, batch, seen.get(method).training, seen.get(method).dropped, baseline))
                .toList();
    }

    private long patience(SyncMethod method, long rate) {
        double seconds = Forecast.of(plan, method, rate).serial() * plan.clocks();
        return START_S + (long) (PATIENCE * seconds);
    }

    /** The turns of one method so far. */
    private static final class Seen {
        private Training training = new Training(new double[0], new double[0], new double[0]);
        private long dropped;

        void add(LayersLab.Turn turn) {
            training = training.and(turn.training());
            dropped += turn.dropped();
        }

        double median() {
            return Quartiles.of(training.iterations()).median();
        }
    }

    /** About how long it takes, in seconds. */
    double expectedSeconds(List<Long> rates) {
        double seconds = 0;
        for (long rate : rates) {
            for (SyncMethod method : methods) {
                seconds += rounds
                        * (1 + plan.clocks() * Forecast.of(plan, method, rate).iteration());
            }
        }
        return seconds;
    }
}
