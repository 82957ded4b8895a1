package io.sluice.consistency.server;

import io.sluice.codecs.DataFrameDecoder;
import io.sluice.codecs.Rejection;
import io.sluice.consistency.membership.ClusterException;
import io.sluice.consistency.membership.ClusterPlan;
import io.sluice.consistency.membership.Coordinator;
import io.sluice.consistency.membership.Failure;
import io.sluice.consistency.membership.Membership;
import io.sluice.consistency.membership.Role;
import io.sluice.consistency.wire.Peering;
import io.sluice.consistency.wire.Reception;
import io.sluice.messaging.Transport;
import java.lang.foreign.Arena;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.ThreadLocalRandom;
import org.agrona.CloseHelper;
import org.agrona.concurrent.AgentRunner;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;

/**
 * One server of a cluster: owns its share of every table's slices.
 *
 * <p>{@link #launch} joins the cluster, coordinating it if asked to; {@link #run()} then serves until all workers have
 * left. Memory for the shard is allocated when the workers declare their tables: per float owned, one for the sum
 * (which is also the residual) and one for the frame that carries it out.
 */
public final class Server implements AutoCloseable {
    private final Membership membership;
    private final Transport transport;
    private final Shard shard;
    private final ServerAgent agent;
    private final Reception reception;
    private final IdleStrategy idle;
    private final Deque<AutoCloseable> resources;

    private Server(ServerContext context, Membership membership, Transport transport, Deque<AutoCloseable> resources) {
        this.membership = membership;
        this.transport = transport;
        this.resources = resources;
        this.idle = context.newIdleStrategy();
        ClusterPlan plan = membership.plan();
        Arena arena = Arena.ofShared();
        resources.push(arena::close);
        Peering peering = new Peering(transport, membership, context.flightBytes());
        this.shard = new Shard(membership, peering, context, arena);
        DataFrameDecoder decoder = new DataFrameDecoder(
                plan.settings().sliceElements(), plan.settings().newAcceptedCompressors());
        PushIntake intake = new PushIntake(plan, decoder, shard, this::reject, this::breach);
        this.reception = peering.receiveFrom(plan.workers(), intake);
        this.agent = new ServerAgent(
                membership,
                reception,
                shard,
                context.clock(),
                transport.counters().agent("server"));
    }

    /**
     * Joins a cluster as a server. Returns when all its nodes have joined.
     *
     * @param context where and how; concluded here
     * @return the server; to be run, then closed
     * @throws ClusterException if the cluster refuses, or is not there or complete in time
     * @throws io.sluice.messaging.MessagingException if there is no media driver, or an address cannot be had
     * @throws IllegalArgumentException if the context holds a bad value
     */
    public static Server launch(ServerContext context) {
        context.conclude();
        Deque<AutoCloseable> resources = new ArrayDeque<>();
        try {
            return launch(context, resources);
        } catch (RuntimeException e) {
            CloseHelper.quietCloseAll(resources);
            throw e;
        }
    }

    private static Server launch(ServerContext context, Deque<AutoCloseable> resources) {
        Transport transport = context.connect();
        resources.push(transport);
        if (null != context.coordinate()) {
            resources.push(coordinate(context, transport));
        }
        Membership membership = Membership.join(transport, context.joinRequest(Role.SERVER));
        resources.push(membership);
        return new Server(context, membership, transport, resources);
    }

    /** The coordinator runs on a thread of its own, also while this server waits to be welcomed by it. */
    private static AgentRunner coordinate(ServerContext context, Transport transport) {
        long clusterId = ThreadLocalRandom.current().nextLong(1, Long.MAX_VALUE);
        Coordinator coordinator =
                new Coordinator(transport, context.cluster(), context.coordinate(), clusterId, context.clock());
        AgentRunner runner = new AgentRunner(
                new BackoffIdleStrategy(0, 0, 250_000, 1_000_000), transport::onError, null, coordinator);
        AgentRunner.startOnThread(runner, task -> {
            Thread thread = new Thread(task, "sluice-coordinator");
            thread.setDaemon(true);
            return thread;
        });
        return runner;
    }

    /**
     * Serves until all workers have left.
     *
     * @throws ClusterException if the cluster fails, or with {@link Failure#CLOSED} if the thread is interrupted
     */
    public void run() {
        try {
            while (!membership.isOver()) {
                idle.idle(agent.doWork());
                if (Thread.currentThread().isInterrupted()) {
                    throw new ClusterException(Failure.CLOSED, "server " + index() + " was interrupted");
                }
            }
            membership.check(); // all have left, but perhaps because of a failure
        } catch (ClusterException e) {
            throw e;
        } catch (RuntimeException e) {
            transport.errorLog().record(e);
            throw membership.fail(Failure.PEER_FAILED, "failed by a fault of its own: " + e);
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

    /**
     * The cluster.
     *
     * @return the plan all nodes share
     */
    public ClusterPlan plan() {
        return membership.plan();
    }

    /**
     * What this server has done so far. To be read by the thread that runs it.
     *
     * @return a copy of the counters
     */
    public ServerReport report() {
        return shard.report(reception.rejected() + membership.rejected());
    }

    /** Leaves the cluster and releases everything. */
    @Override
    public void close() {
        membership.leave(Math.max(0, shard.version()));
        CloseHelper.quietCloseAll(resources);
        resources.clear();
    }

    private void reject(Rejection rejection) {
        reception.reject(rejection);
    }

    private void breach(String sentence) {
        throw membership.fail(Failure.PROTOCOL_BREACH, sentence);
    }
}
