package io.sluice.consistency.membership;

import io.sluice.consistency.terms.ThreadingMode;
import io.sluice.messaging.InvokedAgent;
import io.sluice.messaging.Transport;
import io.sluice.messaging.Uninterrupted;
import java.util.ArrayList;
import java.util.List;
import org.agrona.ErrorHandler;
import org.agrona.concurrent.Agent;
import org.agrona.concurrent.AgentRunner;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;

/**
 * Runs the agents of a node, each in a thread of its own or all in the thread that calls {@link #invoke()}, as the
 * {@link ThreadingMode} states. Code in that thread that waits for one of these agents must invoke them while it waits.
 *
 * <p>Unless agents have threads of their own, one thread starts, invokes and closes them all. {@link #invoke()}
 * allocates nothing.
 */
public final class AgentThreads {
    private static final long MAX_PARK_NS = 1_000_000;

    private final ThreadingMode mode;
    private final Transport transport;
    private final List<InvokedAgent> invoked = new ArrayList<>();

    /**
     * Creates the threads without agents.
     *
     * @param mode threads on which agents run
     * @param transport transport of the node; its conductor is invoked too if it has no thread
     */
    public AgentThreads(ThreadingMode mode, Transport transport) {
        this.mode = mode;
        this.transport = transport;
    }

    /**
     * Starts an agent that must react within a millisecond: its own thread, if it has one, runs a cycle that often.
     *
     * @param agent        agent to start
     * @param errorHandler receives the exceptions of its cycles, which continue nevertheless
     * @return ends the agent, and its thread if it has one
     */
    public AutoCloseable start(Agent agent, ErrorHandler errorHandler) {
        if (ThreadingMode.DEDICATED == mode) {
            return inThread(agent, new BackoffIdleStrategy(0, 0, MAX_PARK_NS / 4, MAX_PARK_NS), errorHandler);
        }
        InvokedAgent started = InvokedAgent.start(agent, errorHandler);
        invoked.add(started);
        return () -> {
            invoked.remove(started);
            started.close();
        };
    }

    /**
     * Starts an agent in a daemon thread of its own.
     *
     * @param agent        agent to start; the thread is named after its role
     * @param idle         idle strategy of the thread
     * @param errorHandler receives exceptions of cycles; the thread continues
     * @return ends the agent and its thread, and waits for the end even in an interrupted thread
     */
    public static AutoCloseable inThread(Agent agent, IdleStrategy idle, ErrorHandler errorHandler) {
        AgentRunner runner = new AgentRunner(idle, errorHandler, null, agent);
        AgentRunner.startOnThread(runner, task -> {
            Thread thread = new Thread(task, agent.roleName());
            thread.setDaemon(true);
            return thread;
        });
        return () -> Uninterrupted.run(runner::close);
    }

    /**
     * Runs one cycle of each agent that has no thread of its own, in the order of their starts. It does so even in an
     * interrupted thread, which still has to leave the cluster.
     *
     * @return amount of work done; 0 if all agents have threads
     */
    public int invoke() {
        int work = transport.invoke();
        for (int i = 0; i < invoked.size(); i++) {
            work += invoked.get(i).invoke();
        }
        return work;
    }
}
