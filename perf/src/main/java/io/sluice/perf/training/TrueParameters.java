package io.sluice.perf.training;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntToDoubleFunction;

/**
 * The parameters that filters and staleness keep from workers: the first ones, and all updates that workers have
 * computed (Parameter Flow, section 4: W). Measures how far replicas are from them, and how far they may be by lemma 1,
 * {@code (n + 1) threshold sqrt(d)}, and under SSP by lemma 2, which adds {@code n s} times the largest update.
 *
 * <p>A replica that has been read before clock t may lack the last s rounds before t, in which thresholds and steps are
 * largest s clocks before: both count with their values of then. Every worker gives one update for each clock. Used by
 * the threads of all workers.
 */
final class TrueParameters {
    private final int workers;
    private final int staleness;
    private final IntToDoubleFunction steps;

    /** For each clock, the sum of the updates so far. */
    private final Map<Integer, Round> rounds = new HashMap<>();

    /** By number of clocks before, replicas whose clocks are not complete. */
    private final Map<Integer, MemorySegment> replicas = new HashMap<>();

    /** For each clock, from 0. */
    private final List<Double> thresholds = new ArrayList<>();

    private final List<Double> distances = new ArrayList<>();
    private final List<Double> bounds = new ArrayList<>();

    private double[] parameters;
    private int complete;
    private double largestFirstStep;

    private static final class Round {
        private final double[] sum;
        private int updates;

        Round(int length) {
            sum = new double[length];
        }
    }

    /**
     * Begins without parameters.
     *
     * @param staleness clocks by which a worker may be behind: 0 under BSP
     * @param steps     size of the steps of a clock, relative to that of the first
     */
    TrueParameters(int workers, int staleness, IntToDoubleFunction steps) {
        this.workers = workers;
        this.staleness = staleness;
        this.steps = steps;
    }

    /** Adds an update that a worker has computed and not pushed yet. */
    synchronized void onUpdate(int clock, float[] update) {
        if (clock <= complete) {
            throw new IllegalStateException(
                    "clock " + clock + " has more than " + workers + " updates, expected one of each worker");
        }
        Round round = rounds.computeIfAbsent(clock, _ -> new Round(update.length));
        double squares = 0;
        for (int i = 0; i < update.length; i++) {
            round.sum[i] += update[i];
            squares += (double) update[i] * update[i];
        }
        round.updates++;
        largestFirstStep = Math.max(largestFirstStep, Math.sqrt(squares) / steps.applyAsDouble(clock));
        settle();
    }

    /** Records the threshold of the last clock, one by one from 0. */
    synchronized void onThreshold(double threshold) {
        thresholds.add(threshold);
    }

    /** Measures a replica as soon as all updates of the clocks before are known; the one before all clocks is first. */
    synchronized void onReplica(int clocksBefore, MemorySegment replica) {
        if (clocksBefore == 0) {
            parameters = new double[(int) (replica.byteSize() / Float.BYTES)];
            for (int i = 0; i < parameters.length; i++) {
                parameters[i] = replica.getAtIndex(JAVA_FLOAT, i);
            }
        }
        replicas.put(clocksBefore, replica);
        settle();
    }

    private void settle() {
        while (parameters != null) {
            MemorySegment replica = replicas.remove(complete);
            if (replica != null) {
                measure(replica);
            }
            Round next = rounds.get(complete + 1);
            if (next == null || next.updates < workers) {
                return;
            }
            for (int i = 0; i < parameters.length; i++) {
                parameters[i] += next.sum[i];
            }
            rounds.remove(++complete);
        }
    }

    private void measure(MemorySegment replica) {
        double squares = 0;
        for (int i = 0; i < parameters.length; i++) {
            double from = replica.getAtIndex(JAVA_FLOAT, i) - parameters[i];
            squares += from * from;
        }
        int oldest = Math.max(0, complete - staleness);
        double heldBack = (workers + 1) * thresholds.get(Math.min(complete, Math.max(1, oldest)));
        double missing = (double) workers * staleness * steps.applyAsDouble(oldest + 1) * largestFirstStep;
        distances.add(Math.sqrt(squares));
        bounds.add(heldBack * Math.sqrt(parameters.length) + missing);
    }

    /** The distance of each replica, in their order. */
    synchronized double[] distances() {
        return distances.stream().mapToDouble(Double::doubleValue).toArray();
    }

    /** The bound of each distance. */
    synchronized double[] bounds() {
        return bounds.stream().mapToDouble(Double::doubleValue).toArray();
    }
}
