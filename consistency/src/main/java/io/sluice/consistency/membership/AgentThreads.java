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
 * Lets the agents of a node work, each in a thread of its own or all in the thread that calls {@link #invoke()}, as
 * the {@link ThreadingMode} says. Whatever waits in that thread for one of these agents has to invoke them meanwhile.
 *
 * <p>Unless agents have threads of their own, one thread starts, invokes and closes them all. Allocates nothing in
 * {@link #invoke()}.
 */
public final class AgentThreads {
    private static final long MAX_PARK_NS = 1_000_000;

    private final ThreadingMode mode;
    private final Transport transport;
    private final List<InvokedAgent> invoked = new ArrayList<>();

    /**
     * Without agents so far.
     *
     * @param mode      says whose threads they are
     * @param transport of the node, whose conductor is invoked too if it has no thread
     */
    public AgentThreads(ThreadingMode mode, Transport transport) {
        this.mode = mode;
        this.transport = transport;
    }

    /**
     * Starts an agent that keeps others waiting for a millisecond at most: in a thread of its own it looks that often.
     *
     * @param agent        to start
     * @param errorHandler of what its cycles throw; they go on all the same
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
     * @param agent        to start, after whose role the thread is named
     * @param idle         what the thread does when there is nothing to do
     * @param errorHandler of what its cycles throw; they go on all the same
     * @return ends the agent and its thread, and waits for that, also in a thread that is interrupted
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
     * One cycle of each agent that has no thread of its own, in the order in which they were started; also in a thread
     * that is interrupted, for that still has to say goodbye.
     *
     * @return amount of work done; 0 if all have threads
     */
    public int invoke() {
        int work = transport.invoke();
        for (int i = 0; i < invoked.size(); i++) {
            work += invoked.get(i).invoke();
        }
        return work;
    }
}
