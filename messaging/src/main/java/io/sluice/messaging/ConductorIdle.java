package io.sluice.messaging;

import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.SleepingIdleStrategy;

/** Lets the thread of Aeron's client conductor do additional work in each cycle, and then sleep as usual. */
final class ConductorIdle implements IdleStrategy {
    private final SleepingIdleStrategy sleep;
    private volatile Runnable chore = () -> {};

    /**
     * Creates an idle strategy without additional work.
     *
     * @param sleepNs sleep of the conductor between two cycles, in nanoseconds.
     */
    ConductorIdle(long sleepNs) {
        sleep = new SleepingIdleStrategy(sleepNs);
    }

    /**
     * Adds work to each later cycle. The work must be short, because Aeron's answers wait for it, and may throw only to
     * end the conductor.
     */
    void alsoDo(Runnable work) {
        chore = work;
    }

    @Override
    public void idle(int workCount) {
        chore.run();
        sleep.idle(workCount);
    }

    @Override
    public void idle() {
        chore.run();
        sleep.idle();
    }

    @Override
    public void reset() {
        sleep.reset();
    }

    @Override
    public String alias() {
        return sleep.alias();
    }
}
