package io.sluice.consistency.worker;

import io.sluice.codecs.Frame;
import io.sluice.codecs.Rejection;
import io.sluice.codecs.sbe.ErrorDecoder;
import io.sluice.codecs.sbe.MessageHeaderDecoder;
import io.sluice.codecs.sbe.ResendDecoder;
import io.sluice.codecs.sbe.RoundCommitDecoder;
import io.sluice.consistency.membership.AgentThreads;
import io.sluice.consistency.membership.ClusterState;
import io.sluice.consistency.membership.Membership;
import io.sluice.consistency.membership.Presence;
import io.sluice.consistency.terms.ClusterException;
import io.sluice.consistency.terms.Failure;
import io.sluice.consistency.wire.FrameWriter;
import io.sluice.consistency.wire.Gaps;
import io.sluice.consistency.wire.LiveTrees;
import io.sluice.consistency.wire.Peering;
import io.sluice.consistency.wire.RelayInboxes;
import io.sluice.messaging.FrameHandler.Action;
import io.sluice.messaging.Patience;
import io.sluice.messaging.api.MessagingException;
import io.sluice.messaging.bandwidth.DeliveryRate;
import io.sluice.messaging.counters.CounterType;
import io.sluice.messaging.counters.DutyCycle;
import io.sluice.messaging.counters.SingleWriterCounter;
import io.sluice.messaging.outbox.NodeBudget;
import io.sluice.tree.FrameOrder;
import io.sluice.tree.FrameRing;
import io.sluice.tree.Relay;
import io.sluice.tree.RouteTable;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.agrona.CloseHelper;
import org.agrona.DirectBuffer;
import org.agrona.ErrorHandler;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.NanoClock;

/**
 * Forwards broadcasts to this worker's children on a thread of its own, because children cannot wait until the trainer
 * has computed (decision 6). Decodes no payload; a counter proves it.
 */
final class Relaying implements AutoCloseable {
    private static final int POLL_LIMIT = 64;
    private static final long OPEN_END = Long.MAX_VALUE;

    private final Membership membership;
    private final Peering peering;
    private final RouteTable routes;
    private final NanoClock clock;
    private final ErrorHandler errorHandler;
    private final ChildLinks children;
    private final FrameOrder order;
    private final Gaps missing;
    private final Relay relay;
    private final RelayInboxes inboxes;
    private final DutyCycle cycle;
    private final MessageHeaderDecoder header = new MessageHeaderDecoder();
    private final RoundCommitDecoder commit = new RoundCommitDecoder();
    private final ResendDecoder resend = new ResendDecoder();

    private final PassedCommits commits;
    private AutoCloseable thread;

    /** The last cluster state that the relay's thread has adopted; null at the start. */
    private ClusterState state;

    /** Epoch of the adopted state: this thread has no links to later incarnations. */
    private int epoch;

    /** The last version that the children must receive; the thread that closes sets it. */
    private volatile long last = OPEN_END;

    /** Whether no child can still wait for a frame of the versions up to {@link #last}; the relay's thread sets it. */
    private volatile boolean done;

    /**
     * Opens the inbox and the links.
     *
     * @param membership membership of this worker
     * @param peering    opens the inboxes and the links
     * @param trees      trees of all servers, for the relay's thread
     * @param tables     tables of this cluster
     * @param context    settings of this worker, which limit how far children may be behind, and for how long
     * @param budget     budget of this worker, for the relay's thread
     * @param cycle      measures the thread
     */
    Relaying(
            Membership membership,
            Peering peering,
            LiveTrees trees,
            List<Table> tables,
            WorkerContext context,
            NodeBudget budget,
            DutyCycle cycle) {
        this.membership = membership;
        this.epoch = membership.plan().epoch();
        this.peering = peering;
        this.routes = trees.routes();
        this.clock = context.clock();
        this.errorHandler = context.errorHandler();
        this.cycle = cycle;
        children = new ChildLinks(membership, peering, trees, context, budget);
        FrameRing[] rings = children.rings();
        commits = new PassedCommits(routes.trees(), tables.size());
        inboxes = peering.receiveToRelay(rings.length, this::onFrame);
        for (int i = 0; i < rings.length; i++) {
            if (null != rings[i]) {
                commits.expect(i, tables);
                inboxes.open(i);
            }
        }
        order = new FrameOrder(
                routes.trees(), tables.size(), membership.plan().start().clock() + 1);
        missing = newGaps(tables.size());
        missing.askIfBack(membership.plan().epoch());
        relay = new Relay(rings, routes, peering.longestFrame(), this::onPassed, this::reject, order, missing::ahead);
    }

    private Gaps newGaps(int tables) {
        FrameWriter writer = new FrameWriter(
                membership.plan(), membership.node(), null, membership.sealing().newSeal());
        SingleWriterCounter asked = membership.counters().counter(CounterType.NODE_RESENDS_ASKED, WorkerStats.RELAY);
        long silenceNs =
                TimeUnit.MILLISECONDS.toNanos(membership.plan().settings().livenessMs());
        Gaps.Requests requests = new Gaps.Requests(writer, peering::requestLinkTo, asked);
        return Gaps.inBroadcasts(new Expected(), requests, routes, tables, true, silenceNs, clock.nanoTime());
    }

    /** The expected frames: round commits state their trees and tables. */
    private final class Expected implements Gaps.Due {
        @Override
        public boolean expects(int tree, int table) {
            return commits.areExpected(tree, table);
        }

        @Override
        public long clock(int tree, int table) {
            return order.clock(tree, table);
        }

        @Override
        public int sequence(int tree, int table) {
            return order.sequence(tree, table);
        }

        @Override
        public boolean isAwaited(int tree, int table) {
            return expects(tree, table) && clock(tree, table) <= membership.versionBroadcast();
        }
    }

    /** Starts the thread. */
    void start(IdleStrategy idle) {
        LinkAgent agent = new LinkAgent("sluice-relay", () -> work(clock.nanoTime()), membership, clock);
        thread = AgentThreads.inThread(agent, idle, errorHandler);
    }

    private int work(long nowNs) {
        cycle.begin(nowNs);
        follow();
        int work = inboxes.poll(POLL_LIMIT) + relay.flush() + missing.work(nowNs);
        cycle.worked(work);
        if (OPEN_END != last) {
            done = endTrees();
        } else if (children.isTimeToJudge(nowNs)) {
            membership.workerSetChanges().askForDemotion(children.isSlow(nowNs), state);
        }
        return work;
    }

    /**
     * Closes the inbox of each tree without children, so that the parent does not wait for this relay, which may be
     * waiting for that parent in another tree. If a child joins later, the relay forwards to it again.
     *
     * @return whether no child can still wait for anything
     */
    private boolean endTrees() {
        boolean all = true;
        for (int tree = 0; tree < routes.trees(); tree++) {
            boolean settled = relay.isSettled(tree);
            if (relay.isConnected(tree)) {
                inboxes.open(tree);
                all &= settled && commits.haveAllPassed(tree, last);
            } else if (settled) {
                inboxes.close(tree);
            } else {
                all = false;
            }
        }
        return all;
    }

    /**
     * Adopts the newest state. Also called before each frame, which may be the first of a clock with a changed worker
     * set.
     */
    private void follow() {
        ClusterState now = membership.state();
        if (now == state) {
            return;
        }
        state = now;
        children.follow(now, missing::changed);
        for (int node = 0; node < now.members().size(); node++) {
            if (now.member(node).epoch() > epoch) {
                followRejoin(node);
            }
        }
        children.closeGone(now);
        epoch = now.epoch();
    }

    /** A rejoined server repeats all frames after its clock; a rejoined worker gets a new link. */
    private void followRejoin(int node) {
        if (node < routes.roots()) {
            long clock = state.member(node).start().clock() + 1;
            for (int route = 0; route < routes.count(node); route++) {
                order.restart(routes.tree(node, route), clock);
            }
            missing.reopened(node);
            return;
        }
        children.reopen(node);
    }

    /** Servers also announce on this stream which frames they no longer have. */
    private Action onFrame(DirectBuffer buffer, int offset, int length, int templateId, int session) {
        int server = Frame.origin(buffer, offset);
        if (server >= routes.roots()) {
            return drop(Rejection.UNKNOWN_ORIGIN);
        }
        follow();
        int sender = Frame.epoch(buffer, offset);
        int current = state.member(server).epoch();
        if (sender < current) {
            return drop(Rejection.STALE_EPOCH);
        }
        if (sender > current) { // the frame is from an incarnation that is not known here yet
            return Action.ABORT;
        }
        return switch (templateId) {
            case ResendDecoder.TEMPLATE_ID -> {
                resend.wrapAndApplyHeader(buffer, offset, header);
                int tree = routes.tree(server, resend.route());
                if (RouteTable.NONE == tree) {
                    yield drop(Rejection.UNEXPECTED);
                }
                order.continueAt(tree, resend.table(), resend.clock(), resend.sequence());
                commits.passed(tree, resend.table(), resend.clock() - 1);
                yield Action.CONTINUE;
            }
            case ErrorDecoder.TEMPLATE_ID -> {
                ErrorDecoder error = new ErrorDecoder().wrapAndApplyHeader(buffer, offset, header);
                throw membership.fail(Failure.PEER_FAILED, error.message());
            }
            default -> relay.onFrame(buffer, offset, length, templateId, session);
        };
    }

    private Action onPassed(DirectBuffer buffer, int offset, int length, int templateId, int session) {
        int tree = routes.tree(Frame.origin(buffer, offset), buffer, offset, templateId);
        missing.arrived(tree);
        if (RoundCommitDecoder.TEMPLATE_ID == templateId) {
            commit.wrapAndApplyHeader(buffer, offset, header);
            commits.passed(tree, commit.table(), commit.clock());
        }
        return Action.CONTINUE;
    }

    private void reject(Rejection rejection) {
        inboxes.reject(rejection);
    }

    private Action drop(Rejection rejection) {
        reject(rejection);
        return Action.CONTINUE;
    }

    /**
     * Waits until the children have received all versions that this worker's own pushes allow; nodes that wait for a
     * later version detect that it cannot be reached. The wait also ends if the children or all workers have left, or
     * the cluster has failed.
     *
     * @param version  the last round that this worker has pushed
     * @param deadline limits the wait without progress, in nanoseconds
     * @param idle     idle strategy between two checks
     */
    void finish(long version, long deadline, IdleStrategy idle) {
        last = version;
        Patience patience = membership.patience(deadline);
        long sent = children.sent();
        try {
            while (!done
                    && !membership.isOver()
                    && !patience.isOver(clock.nanoTime())
                    && !Thread.currentThread().isInterrupted()) {
                membership.check();
                idle.idle();
                long nowNs = clock.nanoTime();
                if (sent != children.sent() || isAwaiting(membership.state())) {
                    sent = children.sent();
                    patience.extend(nowNs);
                }
                if (patience.isTime(nowNs)) {
                    patience.report("its children to receive version " + version + " from its relay", nowNs);
                }
            }
            if (!done && patience.isOver(clock.nanoTime())) {
                errorHandler.onError(new MessagingException(membership.plan().nameOf(membership.node())
                        + " has completed and stops waiting for its children: all nodes are alive, but nothing"
                        + " could be forwarded for " + TimeUnit.NANOSECONDS.toSeconds(deadline) + " s"));
            }
        } catch (ClusterException e) {
            // The trainer gets this failure, or this worker is leaving: either way no child is left to forward to.
        }
    }

    private static boolean isAwaiting(ClusterState now) {
        return now.members().stream().anyMatch(member -> Presence.AWAITED == member.presence());
    }

    /** Rates of the present links to children over the network. */
    List<DeliveryRate> rates() {
        return children.rates();
    }

    /** Number of bytes in the logs sent to other workers, counted once for each receiver. */
    long bytes() {
        return children.bytes();
    }

    /** Number of dropped frames: invalid, or for another relay. */
    long rejected() {
        return inboxes.rejected();
    }

    @Override
    public void close() {
        CloseHelper.close(thread);
    }
}
