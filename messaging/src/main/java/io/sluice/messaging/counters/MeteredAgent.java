package io.sluice.messaging.counters;

import org.agrona.CloseHelper;
import org.agrona.concurrent.Agent;
import org.agrona.concurrent.NanoClock;

/**
 * Counts the duty cycles of an agent.
 *
 * <p>For the agent's thread. Allocates nothing.
 */
public final class MeteredAgent implements Agent {
    private final Agent agent;
    private final DutyCycle cycle;
    private final NanoClock clock;

    /**
     * Creates an agent that runs another and counts its duty cycles.
     *
     * @param agent agent to run
     * @param cycle counts its duty cycles; closed with the agent
     * @param clock monotonic time
     */
    public MeteredAgent(Agent agent, DutyCycle cycle, NanoClock clock) {
        this.agent = agent;
        this.cycle = cycle;
        this.clock = clock;
    }

    @Override
    public void onStart() {
        agent.onStart();
    }

    @Override
    public int doWork() throws Exception {
        cycle.begin(clock.nanoTime());
        int work = agent.doWork();
        cycle.worked(work);
        return work;
    }

    @Override
    public void onClose() {
        agent.onClose();
        CloseHelper.quietClose(cycle);
    }

    @Override
    public String roleName() {
        return agent.roleName();
    }
}
