package io.sluice.consistency.membership;

import io.sluice.consistency.snapshot.SnapshotException;
import io.sluice.consistency.snapshot.SnapshotNews;
import io.sluice.consistency.terms.ClusterException;
import io.sluice.consistency.terms.Failure;
import io.sluice.consistency.terms.ThreadingMode;
import io.sluice.messaging.LinkClosedException;
import io.sluice.messaging.Patience;
import io.sluice.messaging.Transport;
import io.sluice.messaging.api.Endpoint;
import io.sluice.messaging.counters.CounterGroup;
import io.sluice.messaging.counters.CounterType;
import io.sluice.messaging.counters.DutyCycle;
import io.sluice.messaging.counters.MeteredAgent;
import io.sluice.messaging.counters.SingleWriterCounter;
import org.agrona.CloseHelper;
import org.agrona.ErrorHandler;
import org.agrona.concurrent.Agent;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.DynamicCompositeAgent;

/**
 * A node's membership in the cluster: the plan of its welcome, its heartbeats, and the state of the cluster.
 *
 * <p>An agent sends the heartbeats, in a thread of its own unless the threading mode denies it one. The node's other
 * threads read the state through {@link #check()} and {@link #state()}, and report through {@link #progress(long)},
 * {@link #fail} and {@link #leave}. Any thread may call these. They do not block, except {@link #leave}, which waits
 * until its message is taken or the coordinators have decided.
 */
public final class Membership implements AutoCloseable {
    private final ControlNode control;
    private final MembershipAgent agent;
    private final Incarnation self;
    private final AgentThreads threads;
    private final Endpoint endpoint;
    private final DynamicCompositeAgent cycle;
    private final AutoCloseable work;
    private final CounterGroup counters;
    private final SingleWriterCounter reached;

    /** The clock or version that the training or serving thread has reached. */
    private long progress = -1;

    private final Sealing sealing;

    private Membership(
            ControlNode control, CounterGroup counters, DutyCycle cycle, AgentThreads threads, ErrorHandler errors) {
        this.control = control;
        this.self = new Incarnation(control.node(), control.plan().epoch());
        this.threads = threads;
        this.counters = counters;
        this.reached = counters.counter(CounterType.NODE_CLOCK);
        this.endpoint = control.port().endpoint();
        this.sealing = control.sealing();
        this.agent = control.agent();
        ErrorHandler failing = error -> {
            agent.fail(Failure.PEER_FAILED, "the agent that keeps heartbeats failed: " + error, error);
            errors.onError(error);
        };
        this.cycle = new DynamicCompositeAgent(agent.roleName(), new MeteredAgent(agent, cycle, control.clock()));
        this.work = threads.start(this.cycle, failing);
    }

    /**
     * Joins a cluster: repeats its request until the coordinator answers, then waits until all nodes have joined.
     * Heartbeats have a thread of their own.
     *
     * @param transport opens the control stream; not closed here
     * @param request   request of the node
     * @return the membership, its heartbeats running
     * @throws ClusterException if the coordinator refuses, or a deadline passes
     * @throws MessagingException if the local endpoint is not available
     */
    public static Membership join(Transport transport, JoinRequest request) {
        return join(transport, request, new AgentThreads(ThreadingMode.DEDICATED, transport));
    }

    /**
     * Joins a cluster, as {@link #join(Transport, JoinRequest)} does.
     *
     * @param transport opens the control stream; not closed here
     * @param request   request of the node
     * @param threads   threads for the agent that keeps heartbeats; agents without a thread of their own work in the
     *                     calling thread while it waits
     * @return the membership, its heartbeats running
     * @throws ClusterException   if the coordinator refuses, or a deadline passes
     * @throws MessagingException if the local endpoint is not available
     */
    public static Membership join(Transport transport, JoinRequest request, AgentThreads threads) {
        ControlNode control = new ControlNode(ControlNetwork.over(transport), request, transport.hostKey());
        boolean joined = false;
        try {
            control.await(threads, new BackoffIdleStrategy());
            CounterGroup counters = transport.counters().node(control.plan().nameOf(control.node()));
            control.begin(
                    counters.counter(CounterType.NODE_EPOCH)::set,
                    counters.counter(CounterType.NODE_NOT_FINITE)::increment);
            DutyCycle cycle = transport.counters().agent("membership");
            Membership membership = new Membership(control, counters, cycle, threads, transport::onError);
            joined = true;
            return membership;
        } finally {
            if (!joined) {
                CloseHelper.quietClose(control);
            }
        }
    }

    /**
     * The plan of the cluster.
     *
     * @return the plan that all nodes share
     */
    public ClusterPlan plan() {
        return control.plan();
    }

    /**
     * The id of this node.
     *
     * @return id in the plan
     */
    public int node() {
        return control.node();
    }

    /**
     * The endpoint at which this node receives.
     *
     * @return the bound endpoint
     */
    public Endpoint endpoint() {
        return endpoint;
    }

    /**
     * Begins a wait by this node.
     *
     * @param limitNs maximum length of the wait in nanoseconds, or {@link Patience#UNLIMITED}
     * @return the wait, for one thread
     */
    public Patience patience(long limitNs) {
        return control.patience(plan().nameOf(node()), limitNs);
    }

    /**
     * The sealing of frames between this node and other nodes.
     *
     * @return an object valid as long as this membership
     */
    public Sealing sealing() {
        return sealing;
    }

    /**
     * The cluster state after all events that this node has applied. One volatile read. A thread that acts on a state
     * keeps it, and reads a newer one between rounds.
     *
     * @return the state after all events that this node has applied
     */
    public ClusterState state() {
        return agent.state();
    }

    /**
     * The changes of the worker set, and this node's part in agreeing on them.
     *
     * @return an object valid as long as this membership
     */
    public WorkerSetChanges workerSetChanges() {
        return agent.workerSetChanges();
    }

    /** Requests a snapshot soon, because retained frames occupy more than half of their limit. */
    public void press() {
        agent.press();
    }

    /**
     * The counters of this node, for other processes to read.
     *
     * @return the counters; changed by the thread that trains or serves
     */
    public CounterGroup counters() {
        return counters;
    }

    /**
     * Number of control frames that were dropped because they were invalid or for another node.
     *
     * @return frames, of any reason
     */
    public long rejected() {
        return control.port().rejected();
    }

    /**
     * Throws if the cluster has failed. Costs one volatile read.
     *
     * @throws ClusterException with the failure that this node has received or found
     */
    public void check() {
        ClusterException failure = agent.failure();
        if (null != failure) {
            throw new ClusterException(failure.failure(), failure.getMessage(), failure);
        }
    }

    /**
     * Whether all workers have left, so that servers may end.
     *
     * @return true once the coordinator has decided it
     */
    public boolean isOver() {
        return state().isOver();
    }

    /**
     * Whether no other node needs this node, which has requested to leave.
     *
     * @return true once the coordinator has decided it
     */
    public boolean isReleased() {
        return state().isReleased(self);
    }

    /**
     * The snapshot messages between this node and the coordinator.
     *
     * @return orders and commits, and where to report outcomes
     */
    public SnapshotNews snapshots() {
        return agent.snapshots();
    }

    /**
     * Sets the clock of the node that its heartbeats and counters state. For the thread that trains or serves.
     *
     * @param clock clock or version reached; -1 for none, which counters show as 0
     */
    public void progress(long clock) {
        if (clock != progress) {
            progress = clock;
            reached.set(Math.max(0, clock));
            agent.progress(clock);
        }
    }

    /**
     * The version up to which at least one server has broadcast all its tables, as the coordinator's heartbeats state.
     * A node that waits for a later version may continue to wait. One volatile read.
     *
     * @return the version, or -1 if none is known to have been broadcast
     */
    public long versionBroadcast() {
        return control.versionBroadcast();
    }

    /**
     * Reports a failure that ends the cluster. The first failure counts; later ones are ignored.
     *
     * @param failure kind of failure
     * @param message one sentence
     * @return the exception for the caller to throw
     */
    public ClusterException fail(Failure failure, String message) {
        return fail(failure, message, null);
    }

    /**
     * Reports a failure that ends the cluster, as {@link #fail(Failure, String)}, with its cause.
     *
     * @param failure kind of failure
     * @param message one sentence
     * @param cause   cause of the failure, which only this node sees; null if there is none
     * @return the exception for the caller to throw
     */
    public ClusterException fail(Failure failure, String message, Throwable cause) {
        return agent.fail(failure, message, cause);
    }

    /**
     * Reports that this node has failed, with its clock and the cause.
     *
     * @param cause cause of the failure
     * @return the exception for the caller to throw
     */
    public ClusterException fail(Throwable cause) {
        String sentence = "failed " + agent.when() + ": " + ClusterException.sentence(cause);
        return agent.fail(Failure.PEER_FAILED, sentence, cause);
    }

    /**
     * Reports to the cluster an exception that ends a call of this node's worker or server. Callers report every such
     * exception. An interrupt alone ends no cluster: the caller may leave in order.
     *
     * @param thrown exception of the call
     * @return the exception for the caller to throw
     */
    public ClusterException failed(Throwable thrown) {
        return switch (thrown) {
            case LinkClosedException closed -> agent.explain(closed, threads); // the media driver has ended
            case ClusterException known -> {
                if (Failure.CLOSED != known.failure()) {
                    fail(known.failure(), known.getMessage(), known);
                }
                yield known;
            }
            case SnapshotException refused -> agent.fail(Failure.REFUSED, refused.getMessage(), refused);
            default -> fail(thrown);
        };
    }

    /**
     * Lets another agent work on the membership's thread, from its next duty cycle until the membership is closed.
     *
     * @param guest agent that must neither throw nor block: heartbeats depend on the thread
     */
    public void host(Agent guest) {
        while (DynamicCompositeAgent.Status.INIT == cycle.status() || !cycle.tryAdd(guest)) {
            Thread.yield(); // the thread has only just been started
        }
    }

    /**
     * Leaves, and waits for the answer: with one coordinator at most a second, with several until they have decided
     * that the node leaves, or until {@code --coordinator-wait} has passed. A node that has failed first waits as long
     * for the answer to its report. {@link LeaveProtocol} states the exceptions.
     *
     * @param clock clock that this node has reached
     * @throws ClusterException with TIMEOUT if there was no decision within {@code --coordinator-wait}; the caller
     *     must still close
     */
    public void leave(long clock) {
        agent.leave(clock, threads);
    }

    /**
     * Stops the heartbeats and closes the control stream. Without a {@link #leave} before, the others declare this node
     * lost.
     */
    @Override
    public void close() {
        CloseHelper.quietCloseAll(work, counters);
    }
}
