package io.sluice.messaging;

import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.SleepingIdleStrategy;

/** Lets the thread of Aeron's client conductor do one thing more each time round, and then sleep as usual. */
final class ConductorIdle implements IdleStrategy {
    private final SleepingIdleStrategy sleep;
    private volatile Runnable chore = () -> {};

    /**
     * Without anything to do so far.
     *
     * @param sleepNs between two looks of the conductor, in nanoseconds.
     */
    ConductorIdle(long sleepNs) {
        sleep = new SleepingIdleStrategy(sleepNs);
    }

    /**
     * From now on does this as well: something short, as Aeron's answers wait for it, that throws only to end the
     * conductor.
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
