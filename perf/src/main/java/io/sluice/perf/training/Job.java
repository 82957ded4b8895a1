package io.sluice.perf.training;

import io.sluice.consistency.worker.Table;
import io.sluice.consistency.worker.Worker;
import java.util.List;

/** A model that workers train, and how good its parameters are. Used by several threads. */
interface Job {
    /** The name of the data. */
    String dataset();

    /** The name of the {@linkplain #objective objective}. */
    String objective();

    /** How good parameters are; less is better. */
    double objective(float[] parameters);

    /** Number of parameters of all tables. */
    int parameters();

    /**
     * Declares the tables of a worker.
     *
     * @param clocks clocks to train
     * @param localSteps steps of a clock
     */
    Training declare(Worker worker, int clocks, int localSteps);

    /** The training of a worker. */
    interface Training {
        /** The tables, whose parameters are the model's, one after the other. */
        List<Table> tables();

        /** Trains to the end. */
        void train(Course course);
    }
}
