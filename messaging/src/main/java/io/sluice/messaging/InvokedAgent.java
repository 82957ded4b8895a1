package io.sluice.messaging;

import io.aeron.Aeron;
import org.agrona.ErrorHandler;
import org.agrona.concurrent.Agent;
import org.agrona.concurrent.AgentInvoker;
import org.agrona.concurrent.AgentTerminationException;

/**
 * An agent that works in the thread which calls {@link #invoke()}, also while that thread is interrupted. Agrona's
 * invoker takes an interrupt that it sees after an idle cycle for the end of the agent: a node could not even say
 * goodbye then. Here only who has started the agent ends it, or the agent itself.
 *
 * <p>For one thread. Allocates nothing.
 */
public final class InvokedAgent implements AutoCloseable {
    private final AgentInvoker invoker;
    private final Agent agent;
    private final ErrorHandler errorHandler;

    private InvokedAgent(AgentInvoker invoker, ErrorHandler errorHandler) {
        this.invoker = invoker;
        this.agent = invoker.agent();
        this.errorHandler = errorHandler;
    }

    /**
     * Starts an agent.
     *
     * @param agent to start.
     * @param errorHandler of what its cycles throw; they go on all the same, but after an
     *     {@link AgentTerminationException}.
     * @return the agent; if it could not start, which the handler is told, its cycles do nothing.
     */
    public static InvokedAgent start(Agent agent, ErrorHandler errorHandler) {
        AgentInvoker invoker = new AgentInvoker(errorHandler, null, agent);
        invoker.start();
        return new InvokedAgent(invoker, errorHandler);
    }

    /** The client conductor of Aeron, which starts and closes it; null if it has a thread. */
    static InvokedAgent conductorOf(Aeron aeron) {
        AgentInvoker invoker = aeron.conductorAgentInvoker();
        return null == invoker
                ? null
                : new InvokedAgent(invoker, aeron.context().errorHandler());
    }

    /**
     * One duty cycle.
     *
     * @return amount of work done; 0 once the agent is closed.
     */
    public int invoke() {
        if (invoker.isClosed()) {
            return 0;
        }
        try {
            return agent.doWork();
        } catch (AgentTerminationException e) {
            errorHandler.onError(e);
            invoker.close();
        } catch (Exception e) {
            errorHandler.onError(e);
        }
        return 0;
    }

    @Override
    public void close() {
        invoker.close();
    }
}
