package io.sluice.consistency.membership;

import io.sluice.codecs.Frame;
import io.sluice.codecs.FrameChecksum;
import io.sluice.codecs.FrameValidator;
import io.sluice.codecs.Rejection;
import io.sluice.codecs.SealRule;
import io.sluice.codecs.SealTrailer;
import io.sluice.codecs.sbe.ErrorDecoder;
import io.sluice.codecs.sbe.HeartbeatDecoder;
import io.sluice.codecs.sbe.JoinDecoder;
import io.sluice.codecs.sbe.LeaveDecoder;
import io.sluice.codecs.sbe.MessageHeaderDecoder;
import io.sluice.codecs.sbe.ProofDecoder;
import io.sluice.codecs.sbe.SnapshotOutcomeDecoder;
import io.sluice.codecs.seal.ClusterSecret;
import io.sluice.codecs.seal.FrameOpener;
import io.sluice.codecs.seal.KeySchedule;
import io.sluice.consistency.snapshot.SnapshotSchedule;
import io.sluice.messaging.Endpoint;
import io.sluice.messaging.FrameHandler;
import io.sluice.messaging.FrameHandler.Action;
import io.sluice.messaging.Inbox;
import io.sluice.messaging.Liveness;
import io.sluice.messaging.OpeningHandler;
import io.sluice.messaging.Transport;
import io.sluice.messaging.counters.DutyCycle;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.agrona.CloseHelper;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.Agent;
import org.agrona.concurrent.NanoClock;

/**
 * Lets nodes in, hands each the plan once all are there, and from then on watches that they live: a node whose
 * heartbeats stop, or that reports an error, ends the cluster for all, each of whom is told why. Under
 * {@link DeathPolicy#SHRINK} the death of a worker begins a new epoch instead, as long as one worker is left.
 *
 * <p>An agent of one thread. What it owns (inbox, links) it closes.
 */
public final class Coordinator implements Agent {
    private static final int POLL_LIMIT = 16;
    private static final long PARK_NS = TimeUnit.MICROSECONDS.toNanos(200);
    private static final long GOODBYE_NS = TimeUnit.MILLISECONDS.toNanos(500);

    private final Transport transport;
    private final Inbox inbox;
    private final ClusterSettings settings;
    private final long clusterId;
    private final NanoClock clock;
    private final DutyCycle cycle;
    private final Liveness liveness;
    private final ControlMessages messages = new ControlMessages();
    private final MessageHeaderDecoder header = new MessageHeaderDecoder();
    private final HeartbeatDecoder heartbeat = new HeartbeatDecoder();
    private final Roster roster;
    private final SnapshotOrders snapshots;
    private final Entrance entrance;

    /** Takes what members say: after it was opened, if there is a secret. */
    private final FrameHandler members;

    private final FrameOpener opener;
    private Candidate[] nodes = new Candidate[0];
    private long lastCycleNs;
    private boolean failed;
    private boolean workersGone;
    private int epoch;

    /**
     * Creates the coordinator; it starts with its first duty cycle.
     *
     * @param transport opens the inbox, and links to the nodes; not closed here
     * @param address   the cluster's address, at which to receive
     * @param settings  the terms
     * @param clusterId names this run; not 0
     * @param snapshots orders those
     * @param clock     monotonic time
     * @param secret    that nodes have to know; null lets everybody in
     * @throws MessagingException if the address cannot be had
     */
    public Coordinator(
            Transport transport,
            Endpoint address,
            ClusterSettings settings,
            long clusterId,
            SnapshotOrders snapshots,
            NanoClock clock,
            ClusterSecret secret) {
        this.transport = transport;
        this.settings = settings;
        this.clusterId = clusterId;
        this.snapshots = snapshots;
        this.clock = clock;
        this.roster = new Roster(settings);
        this.liveness = new Liveness(
                settings.servers() + settings.workers(),
                TimeUnit.MILLISECONDS.toNanos(settings.heartbeatMs()),
                TimeUnit.MILLISECONDS.toNanos(settings.livenessMs()),
                clock.nanoTime());
        this.lastCycleNs = clock.nanoTime();
        this.cycle = transport.counters().agent("coordinator");
        messages.identify(clusterId, ControlIds.COORDINATOR);
        Entrance.Way way = new Entrance.Way(transport, roster, messages, clock, this::reject, this::welcomeAll);
        this.entrance = new Entrance(way, clusterId, null == secret ? null : new KeySchedule(secret));
        this.opener = entrance.newOpener();
        this.members = null == opener ? this::onMember : new OpeningHandler(opener, this::onMember, this::reject);
        FrameValidator validator = new FrameValidator(FrameValidator.ANY_CLUSTER, new FrameChecksum())
                .sealed(null == secret ? SealRule.OPEN : SealRule.EITHER);
        this.inbox = transport.openUdpInbox("of the coordinator", address, ControlIds.STREAM, validator, this::onFrame);
    }

    @Override
    public int doWork() {
        long nowNs = clock.nanoTime();
        cycle.begin(nowNs);
        long stalledNs = nowNs - lastCycleNs;
        if (stalledNs > liveness.intervalNs()) {
            liveness.forgive(stalledNs); // this process was held up: in that time it could not have heard anybody
        }
        lastCycleNs = nowNs;
        if (transport.isClosed()) {
            return 0; // the media driver is gone: each node finds out by itself
        }
        int work = inbox.poll(POLL_LIMIT);
        if (liveness.heartbeatDue(nowNs)) {
            sendHeartbeats();
            work++;
        }
        for (int i = 0; i < roster.size(); i++) {
            work += roster.get(i).flush();
        }
        work += entrance.work(nowNs);
        if (0 == nodes.length) {
            roster.forgetSilent(nowNs, liveness.timeoutNs());
        } else if (!failed) {
            buryTheDead(nowNs);
            orderSnapshot(nowNs);
        }
        cycle.worked(work);
        return work;
    }

    /** Lets everybody hear the last news before the links are closed. */
    @Override
    public void onClose() {
        awaitGoodbye(() -> 0 == nodes.length || nodes[0].hasLeft);
        if (!workersGone && !failed) {
            tellOfTheEnd();
        }
        awaitGoodbye(() -> true);
        for (int i = 0; i < roster.size(); i++) {
            CloseHelper.quietClose(roster.get(i).link);
        }
        entrance.close();
        CloseHelper.quietCloseAll(inbox, cycle);
    }

    /** What its own server has to report comes last, and through the inbox like anybody's. */
    private void awaitGoodbye(BooleanSupplier said) {
        long deadlineNs = clock.nanoTime() + GOODBYE_NS;
        while (!transport.isClosed() && clock.nanoTime() - deadlineNs < 0) {
            inbox.poll(POLL_LIMIT);
            if (roster.flush() && said.getAsBoolean()) {
                return;
            }
            transport.invoke();
            LockSupport.parkNanos(PARK_NS);
        }
    }

    /** For whoever has not been told by the leave of its server: that may have ended before it could say so. */
    private void tellOfTheEnd() {
        String end = "the coordinator (server 0) has ended";
        for (int i = 0; i < roster.size(); i++) {
            Candidate candidate = roster.get(i);
            String sentence = end + (0 == nodes.length ? " before all had joined" : " although workers still need it");
            int length = messages.error(Failure.PEER_LEFT, candidate.nonce, ControlIds.COORDINATOR, sentence);
            candidate.tell(messages.buffer(), length);
        }
    }

    @Override
    public String roleName() {
        return "sluice-coordinator";
    }

    private Action onFrame(DirectBuffer buffer, int offset, int length, int templateId, int session) {
        if (JoinDecoder.TEMPLATE_ID == templateId) {
            JoinDecoder join = new JoinDecoder().wrapAndApplyHeader(buffer, offset, header);
            entrance.onJoin(join, Frame.version(buffer, offset));
            return Action.CONTINUE;
        }
        if (ProofDecoder.TEMPLATE_ID == templateId) {
            entrance.onProof(buffer, offset, length);
            return Action.CONTINUE;
        }
        if (null != opener && !SealTrailer.isPresent(buffer, offset, length)) {
            inbox.reject(Rejection.NOT_SEALED);
            return Action.CONTINUE;
        }
        return members.onFrame(buffer, offset, length, templateId, session);
    }

    private Action onMember(DirectBuffer buffer, int offset, int length, int templateId, int session) {
        int node = Frame.origin(buffer, offset);
        if (Frame.clusterId(buffer, offset) != clusterId) {
            inbox.reject(Rejection.FOREIGN_CLUSTER);
        } else if (node >= nodes.length) {
            inbox.reject(Rejection.UNKNOWN_ORIGIN);
        } else if (nodes[node].isLost) {
            inbox.reject(Rejection.STALE_EPOCH); // it is no member any more, whether it knows or not
        } else {
            liveness.heard(node, clock.nanoTime());
            onNodeFrame(buffer, offset, templateId, node);
        }
        return Action.CONTINUE;
    }

    private void onNodeFrame(DirectBuffer buffer, int offset, int templateId, int node) {
        switch (templateId) {
            case HeartbeatDecoder.TEMPLATE_ID ->
                onReached(
                        node,
                        heartbeat.wrapAndApplyHeader(buffer, offset, header).clock());
            case SnapshotOutcomeDecoder.TEMPLATE_ID ->
                onOutcome(node, new SnapshotOutcomeDecoder().wrapAndApplyHeader(buffer, offset, header));
            case LeaveDecoder.TEMPLATE_ID ->
                onLeave(node, new LeaveDecoder().wrapAndApplyHeader(buffer, offset, header));
            case ErrorDecoder.TEMPLATE_ID -> {
                ErrorDecoder error = new ErrorDecoder().wrapAndApplyHeader(buffer, offset, header);
                onError(node, Failure.coded(error.code()), error.subject(), error.message());
            }
            default -> inbox.reject(Rejection.UNEXPECTED);
        }
    }

    private void reject(Rejection rejection) {
        inbox.reject(rejection);
    }

    private void welcomeAll() {
        nodes = roster.assign();
        ClusterPlan plan;
        try {
            plan = new ClusterPlan(clusterId, 0, settings, Roster.places(nodes), startPoint());
            plan.requireTrees();
        } catch (IllegalArgumentException e) {
            refuseAll(e.getMessage());
            return;
        }
        long[] nonces = Arrays.stream(nodes).mapToLong(node -> node.nonce).toArray();
        for (int node = 0; node < nodes.length; node++) {
            liveness.watch(node, clock.nanoTime());
            if (null != opener) {
                opener.admit(node, plan.epoch(), nonces[node]);
            }
            tell(node, messages.welcome(plan, node, nonces));
        }
    }

    private StartPoint startPoint() {
        List<String> names = IntStream.range(0, nodes.length)
                .mapToObj(node -> ClusterPlan.nameOf(settings.servers(), node))
                .toList();
        return snapshots.begin(nodes, names, clock.nanoTime());
    }

    /** They have all come, and cannot work together. */
    private void refuseAll(String message) {
        failed = true;
        for (int node = 0; node < nodes.length; node++) {
            tell(node, messages.error(Failure.REFUSED, nodes[node].nonce, ControlIds.COORDINATOR, message));
        }
    }

    private void onReached(int node, long reached) {
        nodes[node].clock = reached;
        snapshots.reached(node, reached, clock.nanoTime());
    }

    private void orderSnapshot(long nowNs) {
        long due = snapshots.due(nowNs);
        if (SnapshotSchedule.NONE != due) {
            tellAll(messages.snapshot(due, snapshots.committed(), snapshots.previous()));
        }
    }

    private void onOutcome(int node, SnapshotOutcomeDecoder outcome) {
        onReached(node, outcome.reached());
        String failure = snapshots.onOutcome(node, outcome, clock.nanoTime());
        if (null != failure) {
            transport.report(failure);
        }
    }

    private void onLeave(int node, LeaveDecoder leave) {
        nodes[node].hasLeft = true;
        snapshots.stop();
        liveness.unwatch(node);
        tellAll(messages.leave(node, leave.clock()));
        endWhenWorkersAreGone(leave.clock());
    }

    private void endWhenWorkersAreGone(long lastClock) {
        if (!workersGone && roster.workersAreGone()) {
            workersGone = true;
            tellAll(messages.leave(ControlIds.COORDINATOR, lastClock));
        }
    }

    /** A fault that a node reports of itself is its death; whatever else it reports is the cluster's. */
    private void onError(int node, Failure failure, int subject, String message) {
        if (Failure.PEER_FAILED == failure && subject == node && survives(node)) {
            lose(node, message);
        } else {
            fail(failure, subject, message);
        }
    }

    private void buryTheDead(long nowNs) {
        int dead = liveness.firstOverdue(nowNs);
        if (dead < 0) {
            return;
        }
        String name = ClusterPlan.nameOf(settings.servers(), dead);
        String silent = Silence.inWords(liveness.silenceNs(dead, nowNs), liveness.allowedNs(dead));
        if (survives(dead)) {
            lose(dead, name + " was " + silent + " and was taken for dead");
        } else {
            String reached = " and is lost; it had reached clock " + nodes[dead].clock;
            fail(Failure.PEER_LOST, dead, name + " has been " + silent + reached);
        }
    }

    /** Whether the cluster goes on when a node dies. */
    private boolean survives(int node) {
        return DeathPolicy.SHRINK == settings.onDeath() && Role.WORKER == nodes[node].role;
    }

    /**
     * Goes on without a worker, which is told too: if it was only held up, it must end. If all workers are lost, that
     * is the end.
     */
    private void lose(int node, String reason) {
        Candidate lost = nodes[node];
        liveness.unwatch(node);
        if (failed) {
            return;
        }
        lost.isLost = true;
        boolean end = roster.workersAreLost();
        String consequence = end ? "; no worker is left" : "; the cluster goes on without it";
        lost.tell(messages.buffer(), messages.error(Failure.PEER_LOST, 0, node, reason + consequence));
        if (end) {
            fail(Failure.PEER_LOST, node, reason + "; it had reached clock " + lost.clock + ", and no worker is left");
            return;
        }
        if (snapshots.stop()) {
            transport.report("no snapshots from here on, since a worker is lost; the last is of clock "
                    + snapshots.committed() + " (-1: there is none)");
        }
        epoch++;
        String told = reason + " at clock " + lost.clock + "; the cluster goes on without it in epoch " + epoch;
        transport.errorLog().record(new ClusterException(Failure.PEER_LOST, told));
        messages.enter(epoch);
        tellAll(messages.lost(node, lost.clock));
        endWhenWorkersAreGone(lost.clock);
    }

    private void fail(Failure failure, int subject, String message) {
        if (!failed) {
            failed = true;
            tellAll(messages.error(failure, 0, subject, message));
        }
    }

    private void tellAll(int length) {
        for (int node = 0; node < nodes.length; node++) {
            tell(node, length);
        }
    }

    private void tell(int node, int length) {
        if (nodes[node].isHere()) {
            nodes[node].tell(messages.buffer(), length);
        }
    }

    private void sendHeartbeats() {
        int length = messages.heartbeat(0);
        for (int i = 0; i < roster.size(); i++) {
            Candidate candidate = roster.get(i);
            if (candidate.isHere()) {
                candidate.link.offer(messages.buffer(), 0, length);
            }
        }
    }
}
