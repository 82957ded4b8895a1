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
import io.sluice.consistency.membership.ClusterState.Presence;
import io.sluice.consistency.snapshot.SnapshotSchedule;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.DeathPolicy;
import io.sluice.consistency.terms.Failure;
import io.sluice.messaging.Endpoint;
import io.sluice.messaging.FrameHandler;
import io.sluice.messaging.FrameHandler.Action;
import io.sluice.messaging.Liveness;
import io.sluice.messaging.OpeningHandler;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.agrona.CloseHelper;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.Agent;
import org.agrona.concurrent.NanoClock;

/**
 * Lets nodes in, hands each the plan once all are there, and from then on watches that they live: a node whose
 * heartbeats stop, or that reports an error, ends the cluster for all, each of whom is told why. Under
 * {@link DeathPolicy#SHRINK} the death of a worker begins a new epoch instead, as long as one worker is left; under
 * {@link DeathPolicy#WAIT} so does that of any node but its own, and another when the node has joined again.
 *
 * <p>An agent of one thread. What it owns (inbox, links) it closes.
 */
public final class Coordinator implements Agent {
    private static final int POLL_LIMIT = 16;
    private static final int HEARTBEATS_PER_LEAD = 10;
    private static final long PARK_NS = TimeUnit.MICROSECONDS.toNanos(200);
    private static final long GOODBYE_NS = TimeUnit.MILLISECONDS.toNanos(500);

    private final ControlNetwork network;
    private final ControlNetwork.Port inbox;
    private final ClusterSettings settings;
    private final long clusterId;
    private final NanoClock clock;
    private final Liveness liveness;
    private final ControlMessages messages = new ControlMessages();
    private final MessageHeaderDecoder header = new MessageHeaderDecoder();
    private final HeartbeatDecoder heartbeat = new HeartbeatDecoder();
    private final Roster roster;
    private final Muster muster;
    private final SnapshotOrders snapshots;
    private final Entrance entrance;

    /** Takes what members say: after it was opened, if there is a secret. */
    private final FrameHandler members;

    private final FrameOpener opener;
    private final Members nodes;
    private final Returns returns;
    private final Readmission readmission;
    private final CrewPolls crews;
    private final Verdicts verdicts;
    private final EventLog events;
    private final EventSink sink;
    private final Announcements announcements;
    private final Assembly assembly;
    private final Leading leading;
    private final Closing closing;
    private long lastCycleNs;
    private long heartbeats;

    /** Events that were proposed and have yet to come back. */
    private int undecided;

    /** When the current part of the goodbye began; 0 before. */
    private long goodbyeNs;

    private boolean endTold;

    /**
     * Creates the coordinator; it starts with its first duty cycle.
     *
     * @param network   opens the inbox, and links to the nodes; not closed here
     * @param address   the cluster's address, at which to receive
     * @param settings  the terms
     * @param clusterId names this run; not 0
     * @param snapshots orders those
     * @param waitNs    for which a dead node is awaited under {@link DeathPolicy#WAIT}, in nanoseconds
     * @param clock     monotonic time
     * @param secret    that nodes have to know; null lets everybody in
     * @param leadership alone, or of several coordinators
     * @throws MessagingException if the address cannot be had
     */
    public Coordinator(
            ControlNetwork network,
            Endpoint address,
            ClusterSettings settings,
            long clusterId,
            SnapshotOrders snapshots,
            long waitNs,
            NanoClock clock,
            ClusterSecret secret,
            Leadership leadership) {
        this.network = network;
        this.settings = settings;
        this.events = leadership.events();
        this.clusterId = state().isComplete() ? state().job().clusterId() : clusterId;
        this.snapshots = snapshots;
        this.clock = clock;
        EventSink ofLeadership = null == leadership.sink() ? this::decided : leadership.sink();
        this.sink = event -> {
            undecided++;
            ofLeadership.append(event);
        };
        this.roster = new Roster(settings);
        this.muster = new Muster(roster, network::report, clock.nanoTime());
        this.liveness = new Liveness(
                settings.nodeIds().count(),
                TimeUnit.MILLISECONDS.toNanos(settings.heartbeatMs()),
                TimeUnit.MILLISECONDS.toNanos(settings.livenessMs()),
                network.load(),
                clock.nanoTime());
        this.lastCycleNs = clock.nanoTime();
        messages.identify(this.clusterId, ControlIds.COORDINATOR);
        this.nodes = new Members(settings, events, messages, liveness, clock);
        this.returns = new Returns(settings, nodes, waitNs, network.load());
        this.leading = new Leading(this.clusterId, leadership.term(), leadership.member());
        Entrance.Way way = new Entrance.Way(
                network, roster, returns, nodes, messages, clock, this::reject, this::complete, this::onNewcomer);
        this.entrance = new Entrance(way, this.clusterId, null == secret ? null : new KeySchedule(secret), leading);
        this.opener = entrance.newOpener();
        nodes.openWith(opener);
        this.readmission = new Readmission(returns, entrance, roster, nodes, snapshots, network, clock, sink);
        this.crews = new CrewPolls(settings, nodes, roster, entrance, returns, sink);
        this.verdicts = new Verdicts(settings, events, nodes, liveness, leading, sink);
        this.announcements = new Announcements(events, nodes, liveness, snapshots, readmission, crews, network);
        this.assembly = new Assembly(
                settings, this.clusterId, roster, snapshots, announcements, messages, network, clock, sink);
        this.closing = new Closing(events, sink);
        if (state().isComplete()) {
            new Takeover(settings, nodes, roster, returns, snapshots, leading, liveness, network, clock).begin(opener);
        }
        this.members = null == opener ? this::onMember : new OpeningHandler(opener, this::onMember, this::reject);
        FrameValidator validator = new FrameValidator(FrameValidator.ANY_CLUSTER, new FrameChecksum())
                .sealed(null == secret ? SealRule.OPEN : SealRule.EITHER);
        this.inbox = network.open("of the coordinator", address, validator, this::onFrame);
    }

    @Override
    public int doWork() {
        long nowNs = clock.nanoTime();
        long stalledNs = nowNs - lastCycleNs;
        if (stalledNs > liveness.intervalNs() || network.isDriverSilent()) {
            liveness.forgive(stalledNs); // in that time this process could not have heard anybody
        }
        lastCycleNs = nowNs;
        if (network.isClosed()) {
            return 0; // the media driver is gone: each node finds out by itself
        }
        int work = inbox.poll(POLL_LIMIT);
        if (liveness.heartbeatDue(nowNs)) {
            sendHeartbeats();
            work++;
        }
        work += roster.flush() + nodes.sendEvents() + entrance.work(nowNs) + returns.flush();
        if (!roster.isAssigned()) {
            entrance.replaceSilent(nowNs, liveness.timeoutNs());
            muster.work(nowNs);
        } else if (state().isComplete() && !verdicts.areFinal()) {
            verdicts.buryTheDead(nowNs);
            orderSnapshot(nowNs);
            if (0 == undecided) { // what depends on the state waits for it
                String overdue = readmission.work(nowNs);
                if (null != overdue) {
                    verdicts.fail(Failure.TIMEOUT, ControlIds.COORDINATOR, overdue);
                }
                crews.work(nowNs);
            }
        }
        if (null != state().failure() && !returns.asking().isEmpty()) {
            entrance.refuseAll("the job has failed: " + state().failure().message());
        }
        if (leading.isOfSeveral()) {
            closing.work(verdicts.areFinal(), nowNs);
        }
        return work;
    }

    /** All nodes hear the last news before the lines are closed. Waits for that, for a second at most. */
    @Override
    public void onClose() {
        while (!sayGoodbye()) {
            network.invoke();
            LockSupport.parkNanos(PARK_NS);
        }
        close();
    }

    /**
     * One cycle of the end: the last report of this coordinator's own server comes in through the port like any other,
     * and the last news go out.
     *
     * @return whether there is nothing more to say, or no time left: then close
     */
    public boolean sayGoodbye() {
        if (network.isClosed() || leading.isOfSeveral()) {
            return true;
        }
        long nowNs = clock.nanoTime();
        if (0 == goodbyeNs) {
            goodbyeNs = nowNs;
        }
        inbox.poll(POLL_LIMIT);
        nodes.sendEvents();
        boolean sent = roster.flushAll() & entrance.flush() & nodes.areAllTold();
        boolean late = nowNs - goodbyeNs >= GOODBYE_NS;
        if (!endTold) {
            if (sent && (0 == nodes.size() || nodes.get(0).hasLeft()) || late) {
                endTold = true;
                goodbyeNs = nowNs;
                if (!state().isOver() && !verdicts.areFinal()) {
                    roster.tellOfTheEnd(messages); // its server's last report may not have arrived
                }
            }
            return false;
        }
        return sent || late;
    }

    /** Closes the port and all lines at once. */
    public void close() {
        roster.close();
        returns.close();
        entrance.close();
        CloseHelper.quietClose(inbox);
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
        } else if (node >= nodes.size()) {
            inbox.reject(Rejection.UNKNOWN_ORIGIN);
        } else if (nodes.isStale(node, Frame.epoch(buffer, offset))) {
            inbox.reject(Rejection.STALE_EPOCH); // it is no member any more, whether it knows or not
            nodes.tellAgain(node, Frame.epoch(buffer, offset));
        } else {
            liveness.heard(node, clock.nanoTime());
            onNodeFrame(buffer, offset, templateId, node);
        }
        return Action.CONTINUE;
    }

    private void onNodeFrame(DirectBuffer buffer, int offset, int templateId, int node) {
        switch (templateId) {
            case HeartbeatDecoder.TEMPLATE_ID -> {
                heartbeat.wrapAndApplyHeader(buffer, offset, header);
                require(onHeartbeat(node));
            }
            case SnapshotOutcomeDecoder.TEMPLATE_ID ->
                onOutcome(node, new SnapshotOutcomeDecoder().wrapAndApplyHeader(buffer, offset, header));
            case LeaveDecoder.TEMPLATE_ID ->
                require(onLeave(node, new LeaveDecoder().wrapAndApplyHeader(buffer, offset, header)));
            case ErrorDecoder.TEMPLATE_ID -> {
                ErrorDecoder error = new ErrorDecoder().wrapAndApplyHeader(buffer, offset, header);
                require(verdicts.onError(
                        node,
                        Failure.coded(error.code()),
                        error.nonce(),
                        error.subject(),
                        ControlMessages.shortened(error.message())));
            }
            default -> inbox.reject(Rejection.UNEXPECTED);
        }
    }

    private void require(boolean sound) {
        if (!sound) {
            inbox.reject(Rejection.UNEXPECTED);
        }
    }

    private void reject(Rejection rejection) {
        inbox.reject(rejection);
    }

    private void onNewcomer(Candidate candidate) {
        crews.arrive(candidate);
    }

    private void complete() {
        if (assembly.complete()) {
            entrance.refuseWaiting();
        } else {
            verdicts.nothingBegins();
            entrance.refuseAll("the nodes of the job cannot work together");
        }
    }

    /**
     * What was proposed has happened: takes it in, and tells the nodes that it concerns.
     *
     * @param event that the log gives back
     */
    public void decided(Event event) {
        undecided = Math.max(0, undecided - 1); // it may have been proposed by a coordinator before this one
        announcements.take(event);
    }

    private ClusterState state() {
        return events.state();
    }

    /** Takes what a node reports of itself; false if it cannot be. */
    private boolean onHeartbeat(int node) {
        CrewChanges.Wish wish = CrewChanges.Wish.coded(heartbeat.wish());
        boolean answers = 0 != heartbeat.proposal();
        boolean sound = heartbeat.wish() <= CrewChanges.Wish.values().length
                && (0 == heartbeat.passed() || CrewHistory.isClock(heartbeat.passed()))
                && (!answers || CrewHistory.isClock(heartbeat.answer()))
                && nodes.applied(node, heartbeat.applied());
        if (!sound) {
            return false;
        }
        onReached(node, heartbeat.clock());
        if (0 != heartbeat.pressed()) {
            snapshots.press();
        }
        Candidate candidate = nodes.get(node);
        candidate.wish = wish;
        candidate.proposal = heartbeat.proposal();
        candidate.answer = heartbeat.answer();
        candidate.passed = heartbeat.passed();
        return true;
    }

    private void onReached(int node, long reached) {
        nodes.get(node).reached(reached);
        snapshots.reached(node, reached, clock.nanoTime());
    }

    private void orderSnapshot(long nowNs) {
        boolean waits = DeathPolicy.WAIT == settings.onDeath();
        long due = waits && nodes.isAnyAway() ? SnapshotSchedule.NONE : snapshots.due(nowNs);
        if (SnapshotSchedule.NONE != due || waits && snapshots.hasNews()) { // they keep much until they know
            sink.append(new Event.Saved(snapshots.ordered(), snapshots.committed(), snapshots.previous()));
        }
    }

    private void onOutcome(int node, SnapshotOutcomeDecoder outcome) {
        onReached(node, outcome.reached());
        snapshots.onOutcome(node, outcome, clock.nanoTime(), network::report);
    }

    private boolean onLeave(int node, LeaveDecoder leave) {
        if (leave.node() != node) {
            return false;
        }
        Presence presence = nodes.get(node).presence;
        if (!presence.isPresent()) {
            return true; // it has left, and repeats this until it hears of that
        }
        boolean isNeeded = Presence.GOING == presence && settings.nodeIds().isServer(node);
        if (state().isOver() || !isNeeded) {
            sink.append(new Event.Left(state().incarnation(node), leave.clock()));
        } else {
            verdicts.fail(Failure.PEER_LEFT, node, nodes.nameOf(node) + " has left before others had its slices");
        }
        return true;
    }

    private void sendHeartbeats() {
        boolean leads = leading.isOfSeveral() && 0 == ++heartbeats % HEARTBEATS_PER_LEAD;
        int length = messages.heartbeat(nodes.versionBroadcast(), state().number());
        for (int i = 0; i < roster.size(); i++) {
            Candidate each = roster.get(i);
            if (nodes.hears(each) && each.isReached()) {
                each.offer(messages, length);
                if (leads) {
                    leading.greet(each); // what was said first may be lost with its stream
                }
            }
        }
        for (Candidate candidate : returns.asking()) {
            candidate.offer(messages, length);
        }
    }
}
