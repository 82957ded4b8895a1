package io.sluice.perf.training;

/** The model that the scenario managed trains. For one thread. */
interface ManagedTask {
    /** Number of parameters. */
    int parameters();

    /** Number of examples. */
    int examples();

    /** Adds {@code step} times minus the gradient of the summed loss of some examples to an update. */
    void step(int[] rows, float[] w, double step, float[] update);

    /** The mean loss by which the methods are compared. */
    double loss(float[] w);
}
