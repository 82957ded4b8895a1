package io.sluice.perf.training;

import java.util.function.ToDoubleFunction;

/**
 * The model that the scenario managed trains. For one thread.
 *
 * @param parameters number of parameters
 * @param examples   number of examples
 * @param loss       mean loss by which the methods are compared
 */
record ManagedTask(int parameters, int examples, Step step, ToDoubleFunction<float[]> loss) {
    /** A step on some examples. */
    @FunctionalInterface
    interface Step {
        /** Adds {@code step} times minus the gradient of the summed loss of the examples to an update. */
        void add(int[] rows, float[] w, double step, float[] update);
    }
}
