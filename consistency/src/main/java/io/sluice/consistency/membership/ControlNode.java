package io.sluice.consistency.membership;

import io.sluice.codecs.FrameChecksum;
import io.sluice.codecs.FrameValidator;
import io.sluice.codecs.SealRule;
import io.sluice.codecs.seal.FrameSeal;
import io.sluice.codecs.seal.SenderSeals;
import io.sluice.consistency.snapshot.SnapshotNews;
import io.sluice.consistency.terms.ClusterException;
import io.sluice.consistency.terms.Failure;
import io.sluice.messaging.Patience;
import java.util.function.IntConsumer;
import org.agrona.CloseHelper;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.NanoClock;

/**
 * One node's part in the control plane: it joins, keeps its membership, and leaves. Nothing here blocks, so a
 * simulation can run many nodes in one thread; {@link Membership} gives it threads.
 *
 * <p>{@link #doWork()} belongs to one thread at a time. {@link Membership} states what other threads of the node may
 * use.
 */
public final class ControlNode implements AutoCloseable {
    private final ControlNetwork network;
    private final JoinRequest request;
    private final ControlHandler handler = new ControlHandler();
    private final ControlNetwork.Port port;
    private final JoinSecret secret;
    private final LeaderTracker leaderTracker;
    private final Joining joining;
    private SenderSeals seals;
    private CoordinatorSession coordinator;

    /** Agent of this node's membership; null until this node is a member. */
    private MembershipAgent agent;

    /**
     * Opens a port; the first cycle sends the first join.
     *
     * @param network network of this process
     * @param request request of the node
     * @param hostKey names this node's host: nodes of equal keys share memory
     * @throws io.sluice.messaging.api.MessagingException if the local endpoint is not available
     */
    public ControlNode(ControlNetwork network, JoinRequest request, String hostKey) {
        this.network = network;
        this.request = request;
        FrameValidator validator = new FrameValidator(FrameValidator.ANY_CLUSTER, new FrameChecksum())
                .sealed(null == request.secret() ? SealRule.OPEN : SealRule.EITHER);
        port = network.open("for control of the " + request.role().configName(), request.local(), validator, handler);
        try {
            secret = null == request.secret() ? null : new JoinSecret(request.secret());
            leaderTracker = new LeaderTracker(network, request.cluster(), handler, secret, port::reject);
            joining = new Joining(port, leaderTracker, request, hostKey, handler, secret, network.load());
            handler.readBy(joining);
        } catch (RuntimeException e) {
            CloseHelper.quietClose(port);
            throw e;
        }
    }

    /**
     * Runs one cycle.
     *
     * @return amount of work done
     * @throws ClusterException while it joins: if the coordinator refuses, or a deadline passes
     */
    public int doWork() {
        return null == agent ? joining.work() : agent.doWork();
    }

    /** Whether the coordinator has welcomed this node, so that {@link #begin} can follow. */
    public boolean isWelcome() {
        return null != joining.plan();
    }

    /**
     * Starts the membership of a node that has its welcome.
     *
     * @param epochs    receives each epoch that this node enters, the first one included
     * @param notFinite runs once if this node fails because of a value that is not finite
     */
    public void begin(IntConsumer epochs, Runnable notFinite) {
        ClusterPlan plan = joining.plan();
        seals = joining.newSeals();
        coordinator = new CoordinatorSession(
                leaderTracker,
                plan,
                joining.state().member(joining.node()).seat().nonce(),
                request.waitNs(),
                network,
                request.clock().nanoTime());
        agent = new MembershipAgent(
                network,
                port,
                coordinator,
                plan,
                joining.state(),
                joining.node(),
                request.clock(),
                epochs,
                notFinite,
                null == seals ? FrameSeal.checksumOnly() : seals.newSeal().to(ControlIds.COORDINATOR));
        handler.readBy(agent);
    }

    /**
     * Waits until this node is welcome. Meanwhile it invokes the agents without threads of their own, which may include
     * the coordinator.
     */
    void await(AgentThreads threads, IdleStrategy idle) {
        String name = "a " + request.role().configName() + " that joins";
        Patience asking = patience(name, Math.min(request.answerNs(), request.completeNs()));
        Patience joined = patience(name, request.completeNs());
        while (!isWelcome()) {
            idle.idle(threads.invoke() + doWork());
            ClusterException.checkInterrupt("joining the cluster");
            Patience patience = joining.isAnswered() ? joined : asking;
            long nowNs = request.clock().nanoTime();
            if (patience.isTime(nowNs)) {
                patience.report(joining.awaited(), nowNs);
            }
        }
    }

    /** Begins a wait, whose reports use the given name of the node. */
    Patience patience(String name, long limitNs) {
        return new Patience(name, limitNs, network::report, request.clock().nanoTime());
    }

    /** The plan in this node's welcome; null before. */
    public ClusterPlan plan() {
        return joining.plan();
    }

    /** This node's id in the plan. */
    public int node() {
        return joining.node();
    }

    /** The cluster state after all events that this node has applied. */
    public ClusterState state() {
        return agent.state();
    }

    /** The changes of the worker set, and this node's part in agreeing on them. */
    public WorkerSetChanges workerSetChanges() {
        return agent.workerSetChanges();
    }

    /** The messages about snapshots between this node and the coordinator. */
    public SnapshotNews snapshots() {
        return agent.snapshots();
    }

    /** The failure of the cluster that this node has found or received; null for none. */
    public ClusterException failure() {
        return agent.failure();
    }

    /** The newest version that at least one server has broadcast, as the coordinator reports; -1 for none. */
    public long versionBroadcast() {
        return coordinator.versionBroadcast();
    }

    /** Reports the clock or version that this node has reached. */
    public void progress(long clock) {
        agent.progress(clock);
    }

    /**
     * Reports that this node cannot continue.
     *
     * @param failure kind of the failure
     * @param message one sentence
     * @return the failure that counts: the first one
     */
    public ClusterException fail(Failure failure, String message) {
        return agent.fail(failure, message, null);
    }

    /**
     * Starts to leave.
     *
     * @param clock clock that this node has reached
     */
    public void leave(long clock) {
        agent.beginLeaving(clock);
    }

    /** Whether this node has left, for the other nodes. */
    public boolean hasLeft() {
        return null != agent && agent.hasLeft();
    }

    /**
     * Whether the cluster declared this node lost before it decided that the node leaves.
     *
     * @return true once the coordinator has reported the loss
     */
    public boolean isDismissed() {
        return null != agent && agent.isDismissed();
    }

    MembershipAgent agent() {
        return agent;
    }

    NanoClock clock() {
        return request.clock();
    }

    ControlNetwork.Port port() {
        return port;
    }

    /** The sealing of frames between this node and other nodes. */
    Sealing sealing() {
        return joining.sealing(seals, this::state);
    }

    /** Closes the port and the lines to coordinators. A member sends its last messages first. */
    @Override
    public void close() {
        if (null != agent) {
            agent.onClose();
        } else {
            CloseHelper.quietCloseAll(port, leaderTracker);
        }
    }
}
