package io.sluice.samples;

/** Receives the updates of worker 0 from a training in one process. */
@FunctionalInterface
public interface UpdateListener {
    /** Ignores them. */
    UpdateListener NONE = (clock, update) -> {};

    /**
     * Worker 0 has computed its update.
     *
     * @param clock the iteration, from 1
     * @param update a value for each parameter, one table after the other; used again after this returns
     */
    void onUpdate(int clock, float[] update);
}
