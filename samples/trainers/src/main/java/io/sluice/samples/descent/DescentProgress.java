package io.sluice.samples.descent;

/** Receives the progress of training. */
@FunctionalInterface
public interface DescentProgress {
    /**
     * Handles the end of an iteration.
     *
     * @param clock its number, from 1
     * @param loss mean log-loss of the worker's batches
     */
    void onClock(int clock, double loss);

    /**
     * Handles an update that the worker has computed and not pushed yet.
     *
     * @param clock  number of the iteration, from 1
     * @param update of one of its mini-batches; used again after this returns
     */
    default void onUpdate(int clock, float[] update) {}

    /**
     * Handles the end of the computation of an iteration, of which nothing has been pushed yet.
     *
     * @param clock number of the iteration, from 1
     */
    default void onComputed(int clock) {}
}
