package io.sluice.samples;

/** Receives the updates of worker 0 from training in one process. */
@FunctionalInterface
public interface UpdateListener {
    /** Ignores the updates. */
    UpdateListener NONE = (clock, update) -> {};

    /**
     * Handles an update that worker 0 has computed.
     *
     * @param clock the iteration, from 1
     * @param update a value for each parameter, one table after the other; used again after this returns
     */
    void onUpdate(int clock, float[] update);
}
