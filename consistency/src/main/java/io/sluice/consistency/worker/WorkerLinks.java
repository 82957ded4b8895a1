package io.sluice.consistency.worker;

import io.sluice.codecs.Rejection;
import io.sluice.consistency.membership.ClusterPlan;
import io.sluice.consistency.membership.Membership;
import io.sluice.consistency.membership.Protocol;
import io.sluice.consistency.membership.Role;
import io.sluice.consistency.wire.FrameWriter;
import io.sluice.consistency.wire.Peering;
import io.sluice.consistency.wire.Reception;
import io.sluice.filter.feedback.NetworkFeedback;
import io.sluice.messaging.FrameHandler;
import io.sluice.messaging.Transport;
import org.agrona.CloseHelper;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.NanoClock;

/** A worker's connections: the membership, a channel to each server, and the reception of what servers send. */
final class WorkerLinks implements AutoCloseable {
    private final Transport transport;
    private final Membership membership;
    private final WorkerContext context;
    private final ClusterPlan plan;
    private final FrameWriter writer;
    private PushChannel[] channels = new PushChannel[0];
    private Reception reception;

    private WorkerLinks(Transport transport, Membership membership, WorkerContext context) {
        this.transport = transport;
        this.membership = membership;
        this.context = context;
        this.plan = membership.plan();
        this.writer = new FrameWriter(plan, membership.node(), membership.counters());
    }

    static WorkerLinks join(WorkerContext context) {
        Transport transport = context.connect();
        Membership membership = null;
        try {
            membership = Membership.join(transport, context.joinRequest(Role.WORKER));
            return new WorkerLinks(transport, membership, context);
        } catch (RuntimeException e) {
            CloseHelper.quietCloseAll(membership, transport);
            throw e;
        }
    }

    /** Opens all links. Reception comes first: servers broadcast as soon as all workers have declared. */
    void open(int tables, FrameHandler handler, WorkerStats stats) {
        Peering peering = new Peering(transport, membership);
        reception = Protocol.PUSH_PULL == plan.settings().protocol()
                ? peering.receiveFrom(plan.servers(), handler)
                : peering.receiveBroadcast(plan.servers(), handler);
        channels = new PushChannel[servers()];
        for (int server = 0; server < channels.length; server++) {
            channels[server] = new PushChannel(
                    server, peering.linkTo(server), membership, clock(), idle(), context.progressNs(), stats);
            channels[server].openLedgers(tables);
        }
    }

    Membership membership() {
        return membership;
    }

    /** What the trainer's calls count. */
    WorkerStats newStats() {
        return new WorkerStats(
                membership.counters(),
                transport.counters().agent("update"),
                transport.counters().agent("sync"));
    }

    NanoClock clock() {
        return context.clock();
    }

    IdleStrategy idle() {
        return context.newIdleStrategy();
    }

    long progressNs() {
        return context.progressNs();
    }

    /** What this worker's filters are told of the network. */
    NetworkFeedback feedback() {
        return context.feedback();
    }

    /** Writes all that this worker sends but its membership's messages; for the trainer's thread. */
    FrameWriter writer() {
        return writer;
    }

    int servers() {
        return plan.settings().servers();
    }

    PushChannel channel(int server) {
        return channels[server];
    }

    int poll(int limit) {
        return reception.poll(limit);
    }

    void reject(Rejection rejection) {
        reception.reject(rejection);
    }

    long framesRejected() {
        return (null == reception ? 0 : reception.rejected()) + membership.rejected();
    }

    long bytesPushed() {
        long bytes = 0;
        for (PushChannel channel : channels) {
            bytes += channel.link().bytes();
        }
        return bytes;
    }

    @Override
    public void close() {
        CloseHelper.quietCloseAll(membership, transport);
    }
}
