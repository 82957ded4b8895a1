package io.sluice.cli;

import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.WorkerSet;
import io.sluice.consistency.worker.FloatView;
import io.sluice.consistency.worker.Table;
import io.sluice.consistency.worker.Worker;
import io.sluice.consistency.worker.WorkerContext;
import io.sluice.samples.TrainingSettings;
import io.sluice.samples.UpdateListener;
import io.sluice.samples.data.NamedData;
import io.sluice.samples.descent.DescentReference;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * A training job that the command line runs: data and settings of one kind of model, its trainer, and their parts of a
 * report. Immutable, because all nodes of one process share it.
 */
interface Workload {
    /** Receives the progress of training. */
    interface Progress {
        /**
         * Handles the end of an iteration.
         *
         * @param clock its number, from 1
         * @param loss loss of the worker's part of the data
         */
        void onClock(int clock, double loss);

        /**
         * Is called when the model contains all updates up to and including a clock after which it may be evaluated.
         *
         * @param clock number of the clock
         * @param figures computes the quality, by the names of its figures in a report
         */
        void onModel(int clock, Supplier<Map<String, Double>> figures);
    }

    /**
     * The trainer of one worker.
     *
     * @param tables tables of the model, in the order of their declaration, except factor tables
     * @param parameters supplies the parameters of the model, table by table
     */
    record Training(List<Table> tables, Supplier<List<FloatView>> parameters, Loop loop) {
        Training(List<Table> tables, Loop loop) {
            this(tables, () -> tables.stream().map(Table::view).toList(), loop);
        }
    }

    /** The iterations of a trainer. */
    @FunctionalInterface
    interface Loop {
        /**
         * Trains to the end, or until the worker has left.
         *
         * @param onWorkerSet called with the worker sets, before the first iteration of each
         * @param progress called on this thread
         */
        void train(Consumer<List<WorkerSet>> onWorkerSet, Progress progress);
    }

    /**
     * A part of a report.
     *
     * @param fields names and values, for programs
     * @param text the same in a few words
     */
    record Part(Map<String, Object> fields, String text) {}

    /**
     * The calculated traffic of another way to train the same model.
     *
     * @param field name of the field in the JSON report
     * @param label name in the report for people
     * @param bytes bytes in both directions
     */
    record Baseline(String field, String label, long bytes) {}

    /** The training data. */
    NamedData data();

    /** The settings of the training. */
    TrainingSettings settings();

    /** Total number of iterations. */
    default int clocks() {
        return settings().clocks();
    }

    /**
     * Checks the terms of the cluster, before it starts.
     *
     * @throws IllegalArgumentException if the trainer cannot train under these terms
     */
    default void check(ClusterSettings cluster) {}

    /** Whether a process can run no more than one trainer. */
    default boolean needsProcesses() {
        return false;
    }

    /** Whether workers exchange vectors, which protocol peer is for. */
    default boolean exchangesVectors() {
        return false;
    }

    /** Whether the replicas of a job that completes must be equal. */
    default boolean keepsReplicasEqual(ClusterSettings cluster) {
        return true;
    }

    /** Declares the terms in which all workers must agree. */
    void declare(WorkerContext context);

    /** Declares the tables of the model. */
    Training on(Worker worker);

    /**
     * Trains in this process, without Sluice, with the arithmetic of a job whose workers stay.
     *
     * @return the parameters of all tables, one table after the other
     */
    default float[] reference(int workers, Progress progress, UpdateListener updates) {
        return reference(DescentReference.fixed(workers), progress, updates);
    }

    /**
     * Trains in this process like {@link #reference(int, Progress, UpdateListener)}, with the arithmetic of an elastic
     * job.
     */
    float[] reference(List<WorkerSet> workerSets, Progress progress, UpdateListener updates);

    /** The size of the data and the model. */
    Part size();

    /** The settings of the training. */
    Part training(ClusterSettings cluster);

    /** The quality of the model; a figure that has not been evaluated is NaN. */
    Part quality(Evaluations evaluations);

    /** A further remark for the report, in a line of its own; empty for none. */
    default String remark(Evaluations evaluations) {
        return "";
    }

    /** Other ways to train the same model; the volume of the job is compared with the first. */
    default List<Baseline> baselines(ClusterSettings cluster) {
        return List.of();
    }

    /** Creates fields of a report, in order, from names and values in turn. */
    static Map<String, Object> fields(Object... namesAndValues) {
        Map<String, Object> fields = new LinkedHashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            fields.put((String) namesAndValues[i], namesAndValues[i + 1]);
        }
        return fields;
    }
}
