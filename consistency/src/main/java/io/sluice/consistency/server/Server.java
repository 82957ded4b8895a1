package io.sluice.consistency.server;

import io.sluice.codecs.Rejection;
import io.sluice.consistency.membership.AgentThreads;
import io.sluice.consistency.membership.ClusterPlan;
import io.sluice.consistency.membership.ControlNetwork;
import io.sluice.consistency.membership.Coordinator;
import io.sluice.consistency.membership.JoinRequest;
import io.sluice.consistency.membership.Leadership;
import io.sluice.consistency.membership.Membership;
import io.sluice.consistency.membership.NodeTransport;
import io.sluice.consistency.membership.Role;
import io.sluice.consistency.membership.SnapshotKeeping;
import io.sluice.consistency.membership.StartPoint;
import io.sluice.consistency.snapshot.NodeSnapshots;
import io.sluice.consistency.terms.ClusterException;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.Failure;
import io.sluice.consistency.terms.ThreadingMode;
import io.sluice.consistency.wire.Inboxes;
import io.sluice.consistency.wire.Peering;
import io.sluice.messaging.Transport;
import io.sluice.messaging.counters.DutyCycle;
import io.sluice.messaging.counters.MeteredAgent;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.OptionalLong;
import java.util.concurrent.ThreadLocalRandom;
import org.agrona.CloseHelper;
import org.agrona.concurrent.IdleStrategy;

/**
 * One server of a cluster: owns its share of every table's slices.
 *
 * <p>{@link #launch} joins the cluster, and coordinates it if configured to; {@link #run()} then serves until all
 * workers have left, or it is {@linkplain #drain() drained}. Memory for the shard is allocated when the workers declare
 * their tables: per float owned, one for the sum (which is also the residual) and one for the frame that carries it
 * out.
 *
 * <p>The thread that launches a server owns it: {@link #run()}, {@link #doWork()} and {@link #close()} throw {@link
 * WrongThreadException} on any other thread and change nothing. Any thread may call {@link #drain()}, and may close the
 * server once its owner has ended. {@link ThreadingMode} states which agents have threads of their own.
 *
 * <p>A server that is closed before it {@linkplain #isOver() is over} counts as failed, as after an exception: other
 * nodes learn which server failed, at which clock and why, and end or wait under {@code DeathPolicy}.
 *
 * <p>A program that wants no threads but its own leaves {@link #run()} out and serves in a duty cycle:
 *
 * <pre>{@code
 * ServerContext context = new ServerContext().threading(ThreadingMode.INVOKER);
 * try (Server server = Server.launch(context)) {
 *     while (!server.isOver()) {
 *         idle.idle(server.doWork() + otherWork());
 *     }
 * }
 * }</pre>
 */
public final class Server implements AutoCloseable {
    private final ThreadingMode mode;
    private final AgentThreads threads;
    private final Membership membership;
    private final Transport transport;
    private final Shard shard;
    private final ServerAgent agent;
    private final Inboxes inboxes;
    private final IdleStrategy idle;
    private final Deque<AutoCloseable> resources;
    private final Thread owner = Thread.currentThread();

    /** The exception that has ended the service; null for none. */
    private Throwable thrown;

    private Server(
            ServerContext context,
            AgentThreads threads,
            Membership membership,
            Transport transport,
            Deque<AutoCloseable> resources) {
        this.mode = context.threading();
        this.threads = threads;
        this.membership = membership;
        this.transport = transport;
        this.resources = resources;
        this.idle = transport.idleOnBell(context.newIdleStrategy());
        Peering peering = new Peering(transport, membership, context.flightBytes());
        NodeSnapshots snapshots = SnapshotKeeping.begin(context, membership, Role.SERVER, transport::report);
        if (null != snapshots) {
            resources.push(snapshots);
        }
        ServerView view = new ServerView(membership);
        ServerAssembly assembly =
                new ServerAssembly(membership, view, peering, context, snapshots, this::reject, this::breach);
        this.shard = new Shard(membership, view, assembly);
        this.inboxes = peering.receiveFrom(plan().workers(), assembly.intake(shard));
        this.agent = new ServerAgent(
                membership,
                inboxes,
                shard,
                assembly.declarations(),
                context.progressNs(),
                context.clock(),
                transport.counters().agent("server"));
    }

    /**
     * Joins a cluster as a server. Returns when all its nodes have joined. If the agents have no threads, this call
     * runs them until then, so the same thread cannot launch another node of the cluster.
     *
     * @param context settings; no longer changeable afterwards
     * @return the server, to be run, then closed
     * @throws ClusterException if the cluster refuses the server, or is not reachable or complete in time
     * @throws io.sluice.messaging.api.MessagingException if there is no media driver, a socket cannot be opened, or the
     *     folder of snapshots cannot be used or holds damaged ones only
     * @throws IllegalArgumentException if the context holds a bad value
     */
    public static Server launch(ServerContext context) {
        context.conclude();
        Deque<AutoCloseable> resources = new ArrayDeque<>();
        try {
            return launch(context, resources);
        } catch (RuntimeException | Error e) {
            CloseHelper.quietCloseAll(resources);
            throw e;
        }
    }

    private static Server launch(ServerContext context, Deque<AutoCloseable> resources) {
        Transport transport = NodeTransport.connect(context, ThreadingMode.INVOKER == context.threading());
        resources.push(transport);
        AgentThreads threads = new AgentThreads(context.threading(), transport);
        if (null != context.coordinate()) {
            resources.push(coordinate(context, transport, threads));
        }
        Membership membership =
                Membership.join(transport, JoinRequest.of(context, Role.SERVER, transport::report), threads);
        resources.push(membership);
        try {
            return new Server(context, threads, membership, transport, resources);
        } catch (RuntimeException | Error e) {
            membership.failed(e);
            try {
                membership.leave(0);
            } catch (RuntimeException undecided) {
                e.addSuppressed(undecided);
            }
            throw e;
        }
    }

    /** Starts the coordinator, which must run while this server waits for its welcome. */
    private static AutoCloseable coordinate(ServerContext context, Transport transport, AgentThreads threads) {
        long clusterId = ThreadLocalRandom.current().nextLong(1, Long.MAX_VALUE);
        Coordinator coordinator = new Coordinator(
                ControlNetwork.over(transport),
                context.cluster(),
                context.coordinate(),
                clusterId,
                context.snapshotOrders(),
                context.waitLimitNs(),
                context.clock(),
                context.secret(),
                Leadership.alone(context.completeNs()));
        DutyCycle cycle = transport.counters().agent("coordinator");
        return threads.start(new MeteredAgent(coordinator, cycle, context.clock()), transport::onError);
    }

    /**
     * Serves until all workers have left, or this server was drained. Call it soon after the launch unless the server
     * has {@linkplain ThreadingMode#DEDICATED dedicated} threads: between the two calls there are no heartbeats.
     *
     * @throws ClusterException if the cluster fails, or with {@link Failure#CLOSED} if the thread is interrupted
     * @throws IllegalStateException if the threading mode is {@link ThreadingMode#INVOKER}
     */
    public void run() {
        requireOwner("run()");
        if (ThreadingMode.INVOKER == mode) {
            throw new IllegalStateException("threading is invoker, in which the program calls doWork(): expected"
                    + " shared or dedicated for run()");
        }
        while (!isOver()) {
            idle.idle(cycle());
            if (Thread.currentThread().isInterrupted()) {
                throw failed(new ClusterException(Failure.CLOSED, "server " + index() + " was interrupted"));
            }
        }
    }

    /**
     * Runs one duty cycle of a server that is {@linkplain ThreadingMode#INVOKER invoked}: of all its agents and of
     * Aeron's client. It never waits. The thread that launched the server calls it continuously: without a call for the
     * cluster's liveness time ({@code ClusterSettings.livenessMs}, 2.5 s by default) the coordinator declares this node
     * lost, and if the coordinator runs in it, the whole cluster fails. The time between two calls must be much
     * shorter. An interrupt of the thread does not end the server; the program checks it. Allocates nothing once the
     * tables are known.
     *
     * @return amount of work done; 0 if the program may idle
     * @throws ClusterException if the cluster has failed: close the server then
     * @throws IllegalStateException if the threading mode is not {@link ThreadingMode#INVOKER}
     */
    public int doWork() {
        requireOwner("doWork()");
        if (ThreadingMode.INVOKER != mode) {
            throw new IllegalStateException(
                    "threading is " + mode.configName() + ", in which run() serves: expected invoker for doWork()");
        }
        return cycle();
    }

    /**
     * Requests that other servers take over the slices of this one a few clocks later, while the job continues. The job
     * then {@linkplain #isOver() is over} for this server. Any thread may call this; it has no effect if the job ends
     * before.
     *
     * @throws IllegalStateException if this is server 0, which coordinates, or if nodes cannot leave while the job runs
     */
    public void drain() {
        if (!plan().settings().isElastic()) {
            throw new IllegalStateException(
                    "server " + index() + " cannot leave: the job is not elastic, so it needs all servers to the end");
        }
        if (plan().settings().growsTrees()) {
            throw new IllegalStateException("server " + index() + " cannot leave: it is the root of broadcast trees ("
                    + plan().settings().tree() + "), which follow changes of workers only;"
                    + " with tree flat or auto it could leave");
        }
        if (0 == index()) {
            throw new IllegalStateException(
                    "server 0 cannot leave: it coordinates the cluster, which needs it to the end");
        }
        membership.workerSetChanges().ask(false);
    }

    /**
     * Whether this server has left while the job continues, because it was {@linkplain #drain() drained}.
     *
     * @return true once the other servers have all its slices
     */
    public boolean isDrained() {
        return membership.isReleased();
    }

    /**
     * Whether all workers have left, or other servers have all slices of this one, so that it can be closed.
     *
     * @return true once the coordinator has decided it
     * @throws ClusterException if the workers have left because the cluster has failed
     */
    public boolean isOver() {
        boolean over = membership.isOver() || isDrained();
        if (over) {
            membership.check(); // all have left, but perhaps because of a failure
        }
        return over;
    }

    private int cycle() {
        try {
            return threads.invoke() + agent.doWork();
        } catch (RuntimeException | Error e) {
            throw failed(e);
        }
    }

    private ClusterException failed(Throwable e) {
        thrown = e;
        ClusterException failure = membership.failed(e);
        if (e instanceof Error error) {
            throw error;
        }
        return failure;
    }

    private void requireOwner(String call) {
        if (Thread.currentThread() != owner) {
            throw new WrongThreadException(
                    "server " + index() + " belongs to the thread " + owner.getName() + ", and the thread "
                            + Thread.currentThread().getName() + " calls " + call
                            + ": only the thread that launched a server may use it");
        }
    }

    /**
     * This server's index.
     *
     * @return from 0
     */
    public int index() {
        return membership.node();
    }

    /** The terms of the cluster. */
    public ClusterSettings settings() {
        return plan().settings();
    }

    /**
     * The clock of the snapshot from which the training continues.
     *
     * @return the clock; empty without a snapshot
     */
    public OptionalLong restoredClock() {
        StartPoint start = plan().start();
        return start.isRestored() ? OptionalLong.of(start.clock()) : OptionalLong.empty();
    }

    /** The cluster as the coordinator has assembled it. */
    ClusterPlan plan() {
        return membership.plan();
    }

    /**
     * Counters of this server. Only the thread that runs it may call this.
     *
     * @return a copy of the counters
     */
    public ServerReport report() {
        return shard.report(inboxes.rejected() + membership.rejected());
    }

    /**
     * Leaves the cluster and releases all resources. A server that is not over reports a failure instead of leaving.
     * Also works in an interrupted thread.
     *
     * @throws ClusterException with {@link Failure#TIMEOUT} if several coordinators have not decided in time that this
     *     server has left; all resources are released nevertheless
     * @throws WrongThreadException if another thread owns the server and has not ended
     */
    @Override
    public void close() {
        if (owner.isAlive()) {
            requireOwner("close()");
        }
        boolean interrupted = Thread.interrupted();
        try {
            if (!resources.isEmpty()) {
                if (!membership.isOver() && !isDrained()) {
                    membership.fail(
                            null == thrown
                                    ? new ClusterException(Failure.CLOSED, "closed while workers still need it")
                                    : thrown);
                }
                membership.leave(Math.max(0, shard.version()));
            }
        } finally {
            CloseHelper.quietCloseAll(resources);
            resources.clear();
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void reject(Rejection rejection) {
        inboxes.reject(rejection);
    }

    private void breach(String sentence) {
        throw membership.fail(Failure.PROTOCOL_BREACH, sentence);
    }
}
