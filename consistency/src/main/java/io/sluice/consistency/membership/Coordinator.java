package io.sluice.consistency.membership;

import io.sluice.codecs.Frame;
import io.sluice.codecs.FrameChecksum;
import io.sluice.codecs.FrameValidator;
import io.sluice.codecs.Rejection;
import io.sluice.codecs.SealRule;
import io.sluice.codecs.SealTrailer;
import io.sluice.codecs.api.ClusterSecret;
import io.sluice.codecs.sbe.ErrorDecoder;
import io.sluice.codecs.sbe.HeartbeatDecoder;
import io.sluice.codecs.sbe.JoinDecoder;
import io.sluice.codecs.sbe.LeaveDecoder;
import io.sluice.codecs.sbe.MessageHeaderDecoder;
import io.sluice.codecs.sbe.ProofDecoder;
import io.sluice.codecs.sbe.SnapshotOutcomeDecoder;
import io.sluice.codecs.seal.FrameOpener;
import io.sluice.codecs.seal.KeySchedule;
import io.sluice.consistency.snapshot.SnapshotSchedule;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.DeathPolicy;
import io.sluice.consistency.terms.Failure;
import io.sluice.messaging.FrameHandler;
import io.sluice.messaging.FrameHandler.Action;
import io.sluice.messaging.Liveness;
import io.sluice.messaging.OpeningHandler;
import io.sluice.messaging.api.Endpoint;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.agrona.CloseHelper;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.Agent;
import org.agrona.concurrent.NanoClock;

/**
 * Admits nodes, welcomes them once all have joined, and then watches whether they are alive. A node whose heartbeats
 * stop, or that reports an error, ends the cluster, and each node receives the reason. Under {@link DeathPolicy#SHRINK}
 * the death of a worker begins a new epoch instead, as long as one worker is left. Under {@link DeathPolicy#WAIT} the
 * death of any node but the coordinator's own begins an epoch, and another epoch begins when the node has rejoined.
 *
 * <p>An agent of one thread. It closes its inbox and its links.
 */
public final class Coordinator implements Agent {
    private static final int POLL_LIMIT = 16;
    private static final int HEARTBEATS_PER_LEAD = 10;
    private static final long PARK_NS = TimeUnit.MICROSECONDS.toNanos(200);
    private static final long SHUTDOWN_NS = TimeUnit.MILLISECONDS.toNanos(500);

    private final ControlNetwork network;
    private final ControlNetwork.Port inbox;
    private final ClusterSettings settings;
    private final long clusterId;
    private final NanoClock clock;
    private final Liveness liveness;
    private final ControlMessages messages = new ControlMessages();
    private final MessageHeaderDecoder header = new MessageHeaderDecoder();
    private final HeartbeatDecoder heartbeat = new HeartbeatDecoder();
    private final SnapshotOrders snapshots;
    private final EventLog events;
    private final EventSink sink;
    private final Members members;
    private final Joins joins;
    private final JoinHandler joinHandler;
    private final Failures failures;

    /** The decisions that are due in each cycle, as the terms require. */
    private final Runnable[] decisions;

    private final Leadership leadership;

    /** The handler of messages of members, which are opened first if there is a secret. */
    private final FrameHandler fromMembers;

    private final FrameOpener opener;
    private long lastCycleNs;

    /** Number of proposed events that are not decided yet. */
    private int undecided;

    /** Time at which the current part of the shutdown began; 0 before. */
    private long shutdownNs;

    private boolean endAnnounced;

    /**
     * Creates the coordinator; it starts with its first duty cycle.
     *
     * @param network     opens the inbox, and links to the nodes; not closed here
     * @param address     the cluster's address, at which to receive
     * @param settings    the terms
     * @param clusterId   names this run; not 0
     * @param snapshots   orders snapshots
     * @param waitLimitNs time to wait for a dead node under {@link DeathPolicy#WAIT}, in nanoseconds
     * @param clock       monotonic time
     * @param secret      secret that nodes must know; null admits all nodes
     * @param leadership  leadership of a single coordinator, or of one of several
     * @throws MessagingException if the address is not available
     */
    public Coordinator(
            ControlNetwork network,
            Endpoint address,
            ClusterSettings settings,
            long clusterId,
            SnapshotOrders snapshots,
            long waitLimitNs,
            NanoClock clock,
            ClusterSecret secret,
            Leadership leadership) {
        this.network = network;
        this.settings = settings;
        this.leadership = leadership;
        this.events = leadership.events();
        this.clusterId = state().isComplete() ? state().job().clusterId() : clusterId;
        this.snapshots = snapshots;
        this.clock = clock;
        this.sink = this::append;
        this.liveness = new Liveness(
                NodeIds.of(settings).count(),
                TimeUnit.MILLISECONDS.toNanos(settings.heartbeatMs()),
                TimeUnit.MILLISECONDS.toNanos(settings.livenessMs()),
                network.load(),
                clock.nanoTime());
        this.lastCycleNs = clock.nanoTime();
        messages.identify(this.clusterId, ControlIds.COORDINATOR);
        this.members = new Members(settings, events, messages, liveness, clock, leadership.term());
        this.joins = new Joins(
                members, this.clusterId, snapshots, waitLimitNs, leadership, network::report, this::refuse, sink);
        KeySchedule schedule = null == secret ? null : new KeySchedule(secret);
        this.joinHandler =
                new JoinHandler(network, joins, members, messages, this::reject, this.clusterId, schedule, leadership);
        this.opener = joinHandler.newOpener();
        members.openWith(opener);
        this.failures = new Failures(members, joins, snapshots, network, leadership.isOfSeveral(), sink);
        this.decisions = decisions();
        if (state().isComplete()) {
            takeOver();
        }
        this.fromMembers = null == opener ? this::onMember : new OpeningHandler(opener, this::onMember, this::reject);
        FrameValidator validator = new FrameValidator(FrameValidator.ANY_CLUSTER, new FrameChecksum())
                .sealed(null == secret ? SealRule.OPEN : SealRule.EITHER);
        this.inbox = network.open("of the coordinator", address, validator, this::onFrame);
    }

    private Runnable[] decisions() {
        Demotions demotions = new Demotions(members, sink);
        if (!settings.isElastic()) {
            return new Runnable[] {demotions::work};
        }
        WorkerSetAgreement workerSets = new WorkerSetAgreement(members, sink);
        return new Runnable[] {failures::dismissNewcomers, failures::requireStart, demotions::work, workerSets::work};
    }

    @Override
    public int doWork() {
        long nowNs = clock.nanoTime();
        long stalledNs = nowNs - lastCycleNs;
        if (stalledNs > liveness.intervalNs() || network.isDriverSilent()) {
            liveness.extendDeadlines(stalledNs); // this process was not running, and so not receiving, in that time
            joins.extendDeadlines(stalledNs);
        }
        lastCycleNs = nowNs;
        if (network.isClosed()) {
            return 0; // the media driver has ended, which each node detects itself
        }
        int work = inbox.poll(POLL_LIMIT);
        if (liveness.heartbeatDue(nowNs)) {
            sendHeartbeats();
            work++;
        }
        work += members.flush() + joins.flush() + joinHandler.work(nowNs);
        if (state().isComplete() && !failures.areFinal()) {
            failures.work(nowNs);
            orderSnapshot(nowNs);
        }
        if (0 == undecided) { // actions that depend on the state wait for it
            joins.work(nowNs);
            if (state().isComplete() && !failures.areFinal()) {
                decide(nowNs);
            }
        }
        if (leadership.isOfSeveral()) {
            failures.close(nowNs);
        }
        return work;
    }

    private void decide(long nowNs) {
        String overdue = joins.overdue(nowNs);
        if (null != overdue) {
            failures.fail(Failure.TIMEOUT, ControlIds.COORDINATOR, overdue);
        }
        for (Runnable decision : decisions) {
            decision.run();
        }
    }

    private void append(Event event) {
        undecided++;
        if (null == leadership.sink()) {
            decided(event);
        } else {
            leadership.sink().append(event);
        }
    }

    private void refuse(NodeProxy candidate, String reason) {
        joinHandler.refuse(candidate, reason);
    }

    /**
     * Takes over from another coordinator: announces to all nodes that it leads. Each node answers with the number of
     * the last event that it has applied, and receives the later events.
     */
    private void takeOver() {
        members.restore(network);
        members.all().filter(NodeProxy::isReachable).forEach(joinHandler::announceLeader);
        snapshots.resume(state().job().start().run(), state().saved(), members.size(), clock.nanoTime());
        for (int node = 0; node < members.size(); node++) {
            if (Presence.AWAITED == members.presence(node)) {
                joins.await(node, members.nameOf(node) + " was lost under a coordinator before this one");
            }
        }
    }

    /** Sends the last events to all nodes, for a second at most, and then closes the lines. */
    @Override
    public void onClose() {
        while (!pollShutdown()) {
            network.invoke();
            LockSupport.parkNanos(PARK_NS);
        }
        close();
    }

    /**
     * Runs one duty cycle of the shutdown: receives the last report of this coordinator's own server, and sends the
     * last events.
     *
     * @return whether all events are sent or the time is up, so that the coordinator can close
     */
    public boolean pollShutdown() {
        if (network.isClosed() || leadership.isOfSeveral()) {
            return true;
        }
        long nowNs = clock.nanoTime();
        if (0 == shutdownNs) {
            shutdownNs = nowNs;
        }
        inbox.poll(POLL_LIMIT);
        members.flush();
        joins.flush();
        boolean sent =
                joins.candidates().allMatch(NodeProxy::isFlushed) & joinHandler.flush() & members.haveAllReceived();
        boolean late = nowNs - shutdownNs >= SHUTDOWN_NS;
        if (!endAnnounced) {
            if (sent && (0 == members.size() || members.presence(0).hasLeft()) || late) {
                endAnnounced = true;
                shutdownNs = nowNs;
                if (!state().isOver() && !failures.areFinal()) {
                    announceEnd(); // the last report of its server may not have arrived
                }
            }
            return false;
        }
        return sent || late;
    }

    /** Sends all nodes the error that the coordinator has ended. */
    private void announceEnd() {
        String sentence = "the coordinator (server 0) has ended "
                + (state().isComplete()
                        ? "although workers still need it"
                        : "before all had joined: it still waited for "
                                + joins.assembly().missing());
        Stream.concat(joins.candidates(), members.all())
                .forEach(each -> each.enqueue(
                        messages, messages.error(Failure.PEER_LEFT, each.nonce, ControlIds.COORDINATOR, sentence)));
    }

    /** Closes the port and all lines at once. */
    public void close() {
        members.close();
        joins.close();
        joinHandler.close();
        CloseHelper.quietClose(inbox);
    }

    @Override
    public String roleName() {
        return "sluice-coordinator";
    }

    private Action onFrame(DirectBuffer buffer, int offset, int length, int templateId, int session) {
        if (JoinDecoder.TEMPLATE_ID == templateId) {
            JoinDecoder join = new JoinDecoder().wrapAndApplyHeader(buffer, offset, header);
            joinHandler.onJoin(join, Frame.version(buffer, offset));
            return Action.CONTINUE;
        }
        if (ProofDecoder.TEMPLATE_ID == templateId) {
            joinHandler.onProof(buffer, offset, length);
            return Action.CONTINUE;
        }
        if (null != opener && !SealTrailer.isPresent(buffer, offset, length)) {
            inbox.reject(Rejection.NOT_SEALED);
            return Action.CONTINUE;
        }
        return fromMembers.onFrame(buffer, offset, length, templateId, session);
    }

    private Action onMember(DirectBuffer buffer, int offset, int length, int templateId, int session) {
        int node = Frame.origin(buffer, offset);
        if (Frame.clusterId(buffer, offset) != clusterId) {
            inbox.reject(Rejection.FOREIGN_CLUSTER);
        } else if (node >= members.size()) {
            inbox.reject(Rejection.UNKNOWN_ORIGIN);
        } else if (Frame.epoch(buffer, offset) < state().member(node).epoch()) {
            inbox.reject(Rejection.STALE_EPOCH); // the frame is from an earlier incarnation
        } else if (members.isMember(node)) {
            liveness.heard(node, clock.nanoTime());
            onNodeFrame(buffer, offset, templateId, node);
        } else {
            inbox.reject(Rejection.STALE_EPOCH); // the node is lost, and may not have received that event
            if (HeartbeatDecoder.TEMPLATE_ID == templateId) {
                members.applied(
                        node,
                        heartbeat.wrapAndApplyHeader(buffer, offset, header).applied());
            }
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
                require(failures.onError(
                        node,
                        Failure.coded(error.code()),
                        error.nonce(),
                        error.subject(),
                        ControlMessages.shortened(error.message())));
            }
            default -> inbox.reject(Rejection.UNEXPECTED);
        }
    }

    private void require(boolean valid) {
        if (!valid) {
            inbox.reject(Rejection.UNEXPECTED);
        }
    }

    private void reject(Rejection rejection) {
        inbox.reject(rejection);
    }

    /**
     * Applies a decided event and acts on it.
     *
     * @param event event from the log
     */
    public void decided(Event event) {
        undecided = Math.max(0, undecided - 1); // an earlier coordinator may have proposed it
        ClusterState before = state();
        boolean effective = events.apply(event);
        if (effective) {
            messages.enter(state().epoch());
        }
        switch (event) {
            case Event.Rejoined back ->
                joins.onJoined(back.before().node(), back.seat().nonce(), effective);
            case Event.Arrived newcomer ->
                joins.onJoined(newcomer.place(), newcomer.seat().nonce(), effective);
            case Event.Completed _ when effective -> joins.onCompleted();
            case Event.Lost lost when effective -> failures.onLost(lost);
            case Event.Left left when effective -> liveness.unwatch(left.node().node());
            case Event.Demoted demoted
            when effective ->
                network.report(members.nameOf(demoted.node().node())
                        + " no longer forwards broadcasts over the network, because its uplink has become slow: its"
                        + " children have other parents");
            case Event.Proposed _ when effective -> snapshots.giveWay();
            case Event.Agreed _ when effective -> report(state().workerSets());
            case Event _ -> {} // nodes receive the event; nothing else to do
        }
        if (effective) {
            reportReleased(before);
        }
    }

    private void report(WorkerSetHistory history) {
        WorkerSetChange change = history.changes().getLast();
        String since = " from clock " + change.clock() + " on, which is the first of ";
        network.report(
                change.isOfServer()
                        ? "server " + change.index() + (change.joins() ? " owns slices" : " owns no slices") + since
                                + "servers " + history.owners()
                        : "worker " + change.index() + (change.joins() ? " takes part" : " no longer takes part")
                                + since + "workers " + history.last().workers());
    }

    private void reportReleased(ClusterState before) {
        for (int node = 0; node < before.members().size(); node++) {
            Presence was = before.member(node).presence();
            if (Presence.RELEASED == members.presence(node) && Presence.RELEASED != was) {
                network.report(members.nameOf(node)
                        + (Presence.LEAVING == was
                                ? " may leave: other servers have received all its slices, and no leaving worker"
                                        + " needs it"
                                : " may leave: it requested this before it owned any slices"));
            }
        }
    }

    private ClusterState state() {
        return events.state();
    }

    /** Handles the state that a node reports in a heartbeat. Returns false if a reported value is impossible. */
    private boolean onHeartbeat(int node) {
        WorkerSetChanges.Wish wish = WorkerSetChanges.Wish.coded(heartbeat.wish());
        boolean answers = 0 != heartbeat.proposal();
        boolean valid = heartbeat.wish() <= WorkerSetChanges.Wish.values().length
                && (0 == heartbeat.passed() || WorkerSetHistory.isClock(heartbeat.passed()))
                && (!answers || WorkerSetHistory.isClock(heartbeat.answer()))
                && heartbeat.beat() <= members.beat()
                && members.applied(node, heartbeat.applied());
        if (!valid) {
            return false;
        }
        onReached(node, heartbeat.clock());
        if (0 != heartbeat.pressed()) {
            snapshots.press();
        }
        NodeProxy candidate = members.get(node);
        candidate.heardBeat = Math.max(candidate.heardBeat, heartbeat.beat());
        candidate.wish = wish;
        candidate.proposal = heartbeat.proposal();
        candidate.answer = heartbeat.answer();
        candidate.passed = heartbeat.passed();
        return true;
    }

    private void onReached(int node, long reached) {
        members.get(node).reached(reached);
        snapshots.reached(node, reached, clock.nanoTime());
    }

    private void orderSnapshot(long nowNs) {
        long due = snapshots.due(state(), nowNs);
        // Waiting nodes retain much until they receive it, and a node that joins must not drop committed snapshots.
        if (SnapshotSchedule.NONE != due || settings.changesHands() && snapshots.hasNews()) {
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
        Presence presence = members.presence(node);
        if (!presence.isPresent()) {
            return true; // the node has left, and repeats its request until it receives the event
        }
        boolean isNeeded = Presence.LEAVING == presence && NodeIds.of(settings).isServer(node);
        if (state().isOver() || !isNeeded) {
            sink.append(new Event.Left(state().incarnation(node), leave.clock()));
        } else {
            failures.fail(Failure.PEER_LEFT, node, members.nameOf(node) + " has left before others had its slices");
        }
        return true;
    }

    private void sendHeartbeats() {
        long beat = members.nextBeat();
        boolean leads = leadership.isOfSeveral() && 0 == beat % HEARTBEATS_PER_LEAD;
        int length = messages.heartbeat(members.versionBroadcast(), state().number(), beat);
        for (int node = 0; node < members.size(); node++) {
            if (members.isMember(node)) {
                sendHeartbeat(members.get(node), length, leads);
            }
        }
        joins.candidates().forEach(candidate -> sendHeartbeat(candidate, length, leads));
    }

    private void sendHeartbeat(NodeProxy to, int length, boolean leads) {
        if (to.isReached()) {
            to.offer(messages, length);
            if (leads) {
                joinHandler.announceLeader(to); // the first announcement may be lost with its stream
            }
        }
    }
}
