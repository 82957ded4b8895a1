package io.sluice.perf.training;

import io.sluice.consistency.worker.Table;
import io.sluice.consistency.worker.Worker;
import java.util.List;

/** A model that workers train, and how good its parameters are. Used by several threads. */
interface Job {
    /** The name of the data. */
    String dataset();

    /** The name of the {@linkplain Quality#objective objective}. */
    String objective();

    /** The name of the {@linkplain Quality#heldOut quality on held-out examples}. */
    String heldOut();

    /** How good parameters are. */
    Quality quality(float[] parameters);

    /** Number of parameters of all tables. */
    int parameters();

    /** The size of the steps of a clock, relative to that of the first. */
    default double step(int clock) {
        return 1;
    }

    /**
     * Declares the tables of a worker.
     *
     * @param clocks clocks to train
     * @param localSteps steps of a clock
     */
    Training declare(Worker worker, int clocks, int localSteps);

    /**
     * How good parameters are.
     *
     * @param objective what the training reduces
     * @param heldOut   how good they are on examples that are not trained
     */
    record Quality(double objective, double heldOut) {}

    /** The training of a worker. */
    interface Training {
        /** The tables, whose parameters are the model's, one after the other. */
        List<Table> tables();

        /** Trains to the end. */
        void train(Course course);
    }
}
