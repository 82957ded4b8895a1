package io.sluice.perf.training;

import io.sluice.consistency.worker.Table;
import io.sluice.consistency.worker.Worker;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntToDoubleFunction;

/**
 * A model that workers train, and how good its parameters are. Used by several threads.
 *
 * @param dataset    name of the data
 * @param objective  name of the {@linkplain Quality#objective objective}
 * @param heldOut    name of the {@linkplain Quality#heldOut quality on held-out examples}
 * @param parameters number of parameters of all tables
 * @param quality    how good parameters are
 * @param step       size of the steps of a clock, relative to that of the first
 */
record Job(
        String dataset,
        String objective,
        String heldOut,
        int parameters,
        Function<float[], Quality> quality,
        IntToDoubleFunction step,
        Declaration declaration) {

    /** Steps that are equal in all clocks. */
    static final IntToDoubleFunction EQUAL_STEPS = _ -> 1;

    /** Declares the tables of a worker. */
    @FunctionalInterface
    interface Declaration {
        /**
         * Declares the tables.
         *
         * @param clocks     clocks to train
         * @param localSteps steps of a clock
         */
        Training declare(Worker worker, int clocks, int localSteps);
    }

    /**
     * How good parameters are.
     *
     * @param objective what the training reduces
     * @param heldOut   how good they are on examples that are not trained
     */
    record Quality(double objective, double heldOut) {}

    /**
     * The training of a worker.
     *
     * @param tables tables whose parameters are the model's, one after the other
     * @param train  trains to the end
     */
    record Training(List<Table> tables, Consumer<Course> train) {}
}
