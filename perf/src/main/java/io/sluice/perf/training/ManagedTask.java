package io.sluice.perf.training;

/** What the scenario managed trains. For one thread. */
interface ManagedTask {
    /** Number of parameters. */
    int parameters();

    /** Number of examples to draw from. */
    int examples();

    /** Adds {@code step} times minus the gradient of the summed loss of some examples to an update. */
    void step(int[] rows, float[] w, double step, float[] update);

    /** The mean loss that the methods are compared by. */
    double loss(float[] w);
}
