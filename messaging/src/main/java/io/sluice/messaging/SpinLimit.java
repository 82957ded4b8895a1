package io.sluice.messaging;

import org.agrona.concurrent.BusySpinIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.NoOpIdleStrategy;

/**
 * Decides whether threads may spin: only if each busy thread has a core of its own. With one thread too many, work of
 * microseconds waits for milliseconds until the scheduler takes a core from another thread.
 *
 * <p>Only Agrona's two strategies that never yield their core are known to spin; a user's own strategy is accepted as
 * it is.
 */
public final class SpinLimit {
    /** Property that permits spinning regardless of the cores: see {@code spinBeyondCores} of a node's context. */
    public static final String INSIST_PROPERTY = "sluice.idle.beyond.cores";

    private SpinLimit() {}

    /**
     * Reads the property.
     *
     * @return whether to spin regardless of the number of cores; false if the property is not set
     */
    public static boolean insisted() {
        return Settings.flag(INSIST_PROPERTY, false);
    }

    /**
     * Whether a strategy never yields its core.
     *
     * @param strategy strategy to examine
     * @return true for busy spinning and for doing nothing
     */
    public static boolean spins(IdleStrategy strategy) {
        return strategy instanceof BusySpinIdleStrategy || strategy instanceof NoOpIdleStrategy;
    }

    /**
     * Refuses to spin if there are too few cores.
     *
     * @param whose    owner of the threads, for the message
     * @param strategy strategy of the threads
     * @param own      busy threads that wait by this strategy
     * @param driver   threads of the media driver that run alongside them; 0 if it has cores of its own
     * @param cores    cores of the machine
     * @throws IllegalArgumentException if the strategy spins and there are more threads than cores
     */
    public static void require(String whose, IdleStrategy strategy, int own, int driver, int cores) {
        int busy = own + driver;
        if (spins(strategy) && busy > cores) {
            throw new IllegalArgumentException("idle strategy is '" + strategy.alias()
                    + "', which never yields its core, but " + whose + " has " + busy + " busy threads (" + own
                    + " of its own, " + driver + " of the media driver) on " + cores
                    + " cores: expected backoff or yield, fewer threads, or " + INSIST_PROPERTY + "=true to insist");
        }
    }
}
