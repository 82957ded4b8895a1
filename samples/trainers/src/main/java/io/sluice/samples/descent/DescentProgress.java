package io.sluice.samples.descent;

/** Receives the progress of a training. */
@FunctionalInterface
public interface DescentProgress {
    /**
     * An iteration is done.
     *
     * @param clock its number, from 1
     * @param loss mean log-loss of the worker's batches
     */
    void onClock(int clock, double loss);
}
