package io.sluice.messaging;

import io.aeron.Aeron;
import org.agrona.ErrorHandler;
import org.agrona.concurrent.Agent;
import org.agrona.concurrent.AgentInvoker;
import org.agrona.concurrent.AgentTerminationException;

/**
 * An agent that works in the thread which calls {@link #invoke()}, even while that thread is interrupted. Agrona's
 * invoker ends the agent if it detects an interrupt after an idle or failed cycle: a node could not even announce that
 * it leaves. And Aeron's conductor cannot map the log of a stream in an interrupted thread, and does not retry. Here
 * only the owner ends the agent, or the agent itself.
 *
 * <p>For one thread. Allocates nothing.
 */
public final class InvokedAgent implements AutoCloseable {
    private final AgentInvoker invoker;
    private final Agent agent;
    private final ErrorHandler errorHandler;

    private InvokedAgent(AgentInvoker invoker, Agent agent, ErrorHandler errorHandler) {
        this.invoker = invoker;
        this.agent = agent;
        this.errorHandler = errorHandler;
    }

    /**
     * Starts an agent.
     *
     * @param agent agent to start.
     * @param errorHandler error handler of exceptions in its cycles. The agent continues, except after an {@link
     *     AgentTerminationException}, which is reported unless it is expected.
     * @return the agent; if it could not start, the handler is called and its cycles do nothing.
     */
    public static InvokedAgent start(Agent agent, ErrorHandler errorHandler) {
        AgentInvoker invoker = new AgentInvoker(errorHandler, null, agent);
        invoker.start();
        return new InvokedAgent(invoker, agent, errorHandler);
    }

    /**
     * Creates the agent of Aeron's client conductor, which Aeron starts and closes.
     *
     * @param chore work before each cycle; it may call Aeron, which counts as a cycle.
     * @return the conductor; null if it has a thread of its own.
     */
    static InvokedAgent conductorOf(Aeron aeron, Runnable chore) {
        AgentInvoker invoker = aeron.conductorAgentInvoker();
        if (null == invoker) {
            return null;
        }
        Agent conductor = invoker.agent();
        Agent both = new Agent() {
            @Override
            public int doWork() throws Exception {
                chore.run();
                return conductor.doWork();
            }

            @Override
            public String roleName() {
                return conductor.roleName();
            }
        };
        return new InvokedAgent(invoker, both, aeron.context().errorHandler());
    }

    /**
     * Runs one duty cycle. The agent detects an interrupt only if it occurs during the cycle.
     *
     * @return amount of work done; 0 once the agent is closed.
     */
    public int invoke() {
        if (invoker.isClosed()) {
            return 0;
        }
        boolean interrupted = Thread.interrupted();
        try {
            return agent.doWork();
        } catch (AgentTerminationException e) {
            if (!e.isExpected()) {
                errorHandler.onError(e);
            }
            invoker.close();
        } catch (InterruptedException e) {
            interrupted = true;
        } catch (Exception e) {
            errorHandler.onError(e);
        } catch (Error e) {
            errorHandler.onError(e);
            throw e;
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
        return 0;
    }

    @Override
    public void close() {
        invoker.close();
    }
}
