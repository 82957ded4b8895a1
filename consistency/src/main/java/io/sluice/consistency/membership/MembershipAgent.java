package io.sluice.consistency.membership;

import io.sluice.codecs.Frame;
import io.sluice.codecs.Rejection;
import io.sluice.codecs.sbe.ErrorDecoder;
import io.sluice.codecs.sbe.EventDecoder;
import io.sluice.codecs.sbe.HeartbeatDecoder;
import io.sluice.codecs.sbe.LeadDecoder;
import io.sluice.codecs.sbe.MessageHeaderDecoder;
import io.sluice.codecs.sbe.WelcomeDecoder;
import io.sluice.codecs.seal.FrameSeal;
import io.sluice.consistency.snapshot.SnapshotNews;
import io.sluice.consistency.terms.ClusterException;
import io.sluice.consistency.terms.Failure;
import io.sluice.messaging.FrameHandler;
import io.sluice.messaging.LinkClosedException;
import io.sluice.messaging.api.MessagingException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntConsumer;
import org.agrona.CloseHelper;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.Agent;
import org.agrona.concurrent.NanoClock;

/** The agent behind a {@link Membership}: it sends heartbeats, watches those of the coordinator, and applies events. */
final class MembershipAgent implements Agent, FrameHandler {
    private static final int POLL_LIMIT = 16;
    private static final long PARK_NS = TimeUnit.MICROSECONDS.toNanos(200);
    private static final long EXPLAIN_PATIENCE_NS = TimeUnit.MILLISECONDS.toNanos(500);

    private final ControlNetwork network;
    private final ControlNetwork.Port inbox;
    private final ClusterPlan plan;
    private final int node;

    /** The nonce with which this node has joined. */
    private final long joinNonce;

    /** Whether other nodes may need frames that this node keeps after it has left. */
    private final boolean mayBeNeeded;

    private final NanoClock clock;
    private final long heartbeatNs;
    private final CoordinatorSession coordinator;
    private final ControlMessages messages = new ControlMessages();
    private final MessageHeaderDecoder header = new MessageHeaderDecoder();
    private final SnapshotNews snapshots;
    private final WorkerSetChanges changes;
    private final LeaveProtocol leaveProtocol = new LeaveProtocol();
    private volatile boolean pressed;
    private final IntConsumer epochs;
    private final Runnable notFinite;

    /** The state after all events that this node has applied. */
    private volatile ClusterState state;

    private final AtomicReference<ClusterException> failure = new AtomicReference<>();
    private volatile long progress = -1;

    /** Whether the coordinator has yet to answer the report of this node's failure. */
    private volatile boolean reportDue;

    /**
     * Whether this node ends because the coordinator is silent, although the coordinator may still receive its
     * messages.
     */
    private volatile boolean coordinatorLost;

    /** Whether the last report to the coordinator requested a snapshot; a change is reported at once. */
    private boolean pressReported;

    private WorkerSetChanges.Wish wishReported;
    private WorkerSetChanges.Answer answerReported = WorkerSetChanges.Answer.NONE;
    private long passedReported;
    private WorkerSetChanges.Refusal refusalReported;

    /**
     * The outcome of the last snapshot, which is reported until an event shows that the coordinator has received it.
     */
    private SnapshotNews.Outcome outcome;

    private boolean answerDue;
    private long nextHeartbeatNs;
    private long nextReportNs;
    private long lastCycleNs;

    MembershipAgent(
            ControlNetwork network,
            ControlNetwork.Port inbox,
            CoordinatorSession coordinator,
            ClusterPlan plan,
            ClusterState state,
            int node,
            NanoClock clock,
            IntConsumer epochs,
            Runnable notFinite,
            FrameSeal seal) {
        this.epochs = epochs;
        this.notFinite = notFinite;
        this.state = state;
        this.network = network;
        this.inbox = inbox;
        this.coordinator = coordinator;
        this.plan = plan;
        this.node = node;
        this.joinNonce = state.member(node).seat().nonce();
        this.mayBeNeeded = plan.settings().keepsLeavers();
        this.clock = clock;
        this.heartbeatNs = TimeUnit.MILLISECONDS.toNanos(plan.settings().heartbeatMs());
        this.changes = new WorkerSetChanges(plan.settings(), node, state);
        this.snapshots = new SnapshotNews(plan.start().clock(), plan.start().previous());
        messages.sealWith(seal);
        messages.identify(plan.clusterId(), node);
        enter(state.epoch());
        nextHeartbeatNs = clock.nanoTime();
        nextReportNs = nextHeartbeatNs;
        lastCycleNs = nextHeartbeatNs;
        Event.Saved saved = state.saved();
        snapshots.onOrders(saved.ordered(), saved.committed(), saved.previous());
        failWith(state.failure());
    }

    /** Records the failure that ends the cluster. */
    private void failWith(Event.Failed end) {
        if (null != end) {
            setFailure(new ClusterException(end.failure(), end.message()));
            reportDue = false;
        }
    }

    ClusterException failure() {
        return failure.get();
    }

    /** Sets the failure if it is the first, and records it for other processes to read. */
    private boolean setFailure(ClusterException found) {
        boolean first = failure.compareAndSet(null, found);
        if (first) {
            network.record(found);
        }
        return first;
    }

    SnapshotNews snapshots() {
        return snapshots;
    }

    WorkerSetChanges workerSetChanges() {
        return changes;
    }

    /** The cluster state after all events that this node has applied. One volatile read. */
    ClusterState state() {
        return state;
    }

    void press() {
        pressed = true;
    }

    void progress(long reached) {
        progress = reached;
    }

    /** Describes the clock that this node has reached. */
    String when() {
        long reached = progress;
        return reached < 0 ? "before its first clock" : "at clock " + reached;
    }

    ClusterException fail(Failure kind, String message, Throwable cause) {
        if (setFailure(new ClusterException(kind, message, cause))) {
            reportDue = true;
            if (Failure.NOT_FINITE == kind) {
                notFinite.run(); // once: the call that ends because of the failure reports it again
            }
        }
        return failure.get();
    }

    /**
     * Whether this node must report a failure to the coordinator. False once the cluster has failed: the coordinator
     * then answers no report.
     */
    private boolean isReportDue() {
        return reportDue && null == state.failure();
    }

    /** Waits a moment for the reason, because Aeron closes links before it reports the reason. */
    ClusterException explain(LinkClosedException closed, AgentThreads threads) {
        long deadlineNs = clock.nanoTime() + EXPLAIN_PATIENCE_NS;
        while (null == failure.get() && clock.nanoTime() - deadlineNs < 0) {
            threads.invoke(); // runs the agent that finds the reason, if it has no thread of its own
            LockSupport.parkNanos(PARK_NS);
        }
        setFailure(new ClusterException(Failure.PEER_LOST, closed.getMessage(), closed));
        ClusterException found = failure.get();
        return new ClusterException(found.failure(), found.getMessage(), closed);
    }

    /**
     * Starts to leave; {@link #hasLeft} returns true when that is done. A failure of this node is reported first, since
     * without that report the node would seem to leave in order.
     */
    void beginLeaving(long reached) {
        leaveProtocol.begin(reached, coordinator, failure);
    }

    boolean hasLeft() {
        return leaveProtocol.isOver() || coordinatorLost;
    }

    /**
     * Requests to leave, and waits until this node has left. A node that does not receive the coordinator's messages
     * does not wait.
     *
     * @throws ClusterException if the cluster declared this node lost in the meantime, or the coordinators did not
     *     decide in time
     */
    void leave(long reached, AgentThreads threads) {
        String name = plan.nameOf(node);
        beginLeaving(reached);
        if (coordinatorLost) {
            return;
        }
        if (isReportDue()
                && !leaveProtocol.awaitAnswer(
                        () -> !isReportDue() || state.isOver(), name, coordinator, threads, network, clock)) {
            return;
        }
        leaveProtocol.await(() -> state.isOver(), name, coordinator, failure, threads, network, clock);
        if (isDismissed()) {
            throw failure.get();
        }
    }

    /**
     * Whether the coordinator declared this node lost before it decided that the node leaves: other nodes may wait for
     * it to rejoin.
     */
    boolean isDismissed() {
        return !isMember(state) && !hasLeft();
    }

    @Override
    public int doWork() {
        long nowNs = clock.nanoTime();
        long stalledNs = nowNs - lastCycleNs;
        if (stalledNs > heartbeatNs || network.isDriverSilent()) {
            coordinator.extendDeadline(stalledNs); // this process could not receive in that time
        }
        lastCycleNs = nowNs;
        if (network.isClosed()) {
            onDriverLost();
            return 0;
        }
        int work = inbox.poll(POLL_LIMIT);
        try {
            work += leaveProtocol.isOver() ? linger(nowNs) : send(nowNs);
        } catch (LinkClosedException e) {
            return 0; // the media driver has just closed: the next cycle finds the reason
        }
        if (!leaveProtocol.isOver() || isNeeded()) {
            watch(nowNs);
        }
        return work;
    }

    /** Whether this node stays once it has left. */
    private boolean isNeeded() {
        return mayBeNeeded && !state.isOver();
    }

    private boolean isMember(ClusterState at) {
        Member self = at.member(node);
        return self.epoch() == plan.epoch() && !self.presence().isLost();
    }

    @Override
    public void onClose() {
        if (isReportDue() && !network.isClosed()) {
            report(clock.nanoTime());
        }
        CloseHelper.quietCloseAll(coordinator, inbox);
    }

    @Override
    public String roleName() {
        return "sluice-membership";
    }

    private void onDriverLost() {
        MessagingException cause = network.failure();
        if (null != cause && null == failure.get()) {
            setFailure(new ClusterException(Failure.PEER_LOST, cause.getMessage(), cause));
        }
    }

    /** A node that has left continues while other nodes may need it, until the job is over. */
    private int linger(long nowNs) {
        boolean due = isNeeded() && nowNs - nextHeartbeatNs >= 0;
        return (due || answerDue) && sendHeartbeat(nowNs) ? 1 : 0;
    }

    private int send(long nowNs) {
        int sent = isReportDue() && nowNs - nextReportNs >= 0 ? report(nowNs) : 0;
        boolean mayLeave = leaveProtocol.isBegun() && !isReportDue();
        if (leaveProtocol.isBegun() && !mayLeave) {
            return sent; // without the report this node would seem to leave in order
        }
        if (nowNs - nextHeartbeatNs < 0 && !isUrgent()) {
            return sent;
        }
        sent += sendHeartbeat(nowNs) ? 1 : 0;
        sent += tellOutcome() + tellRefusal();
        return sent + (mayLeave ? leaveProtocol.say(coordinator, messages, node, state.isOver()) : 0);
    }

    /**
     * Whether to send a heartbeat at once: other nodes wait for its content, or the memory for retained frames is half
     * full.
     */
    private boolean isUrgent() {
        return pressed && !pressReported
                || wishReported != changes.wish()
                || answerReported != changes.answer()
                || passedReported != changes.passed()
                || refusalReported != changes.refusal()
                || null != snapshots.next()
                || answerDue
                || leaveProtocol.isBegun() && !leaveProtocol.isSaid();
    }

    private boolean sendHeartbeat(long nowNs) {
        boolean press = pressed;
        WorkerSetChanges.Wish wish = changes.wish();
        WorkerSetChanges.Answer answer = changes.answer();
        long passed = changes.passed();
        nextHeartbeatNs = nowNs + heartbeatNs;
        int length = messages.heartbeat(progress, press, state.number(), coordinator.beat(), wish, answer, passed);
        if (!coordinator.offer(messages, length)) {
            return false;
        }
        pressReported = press;
        wishReported = wish;
        answerReported = answer;
        passedReported = passed;
        answerDue = false;
        return true;
    }

    private int tellOutcome() {
        SnapshotNews.Outcome next = snapshots.next();
        if (null != next) {
            outcome = next;
            snapshots.sent();
        }
        Event.Saved saved = state.saved();
        if (null == outcome || saved.committed() >= outcome.clock() || saved.ordered() > outcome.clock()) {
            outcome = null;
            return 0;
        }
        return coordinator.offer(messages, messages.snapshotOutcome(outcome, progress)) ? 1 : 0;
    }

    private int tellRefusal() {
        WorkerSetChanges.Refusal refusal = changes.refusal();
        refusalReported = refusal;
        if (null == refusal) {
            return 0;
        }
        int length = messages.error(Failure.REFUSED, refusal.nonce(), refusal.node(), refusal.reason());
        return coordinator.offer(messages, length) ? 1 : 0;
    }

    /**
     * Reports the failure of this node with the clock that it has reached. This thread repeats the report until the
     * coordinator answers with an error of its own: a link may accept a frame and lose it, and a leader may end before
     * its decision.
     */
    private int report(long nowNs) {
        ClusterException found = failure.get();
        Failure own = coordinatorLost ? Failure.PEER_FAILED : found.failure();
        Failure kind = changes.isArriving(state) ? Failure.REFUSED : own;
        sendHeartbeat(nowNs);
        int length = messages.error(kind, joinNonce, node, plan.nameOf(node) + ": " + found.getMessage());
        if (!coordinator.offer(messages, length)) {
            return 0;
        }
        nextReportNs = nowNs + heartbeatNs;
        return 1;
    }

    private void watch(long nowNs) {
        ClusterException loss = null == failure.get() ? coordinator.loss(nowNs) : null;
        if (null != loss && setFailure(loss)) {
            coordinatorLost = true;
            reportDue = true;
        }
    }

    /** Handles the announcement of a new leader: repeats the reports to the previous leader, which may be lost. */
    private void onLead(DirectBuffer buffer, int offset, int length, int session) {
        long nowNs = clock.nanoTime();
        if (coordinator.follow(buffer, offset, length, session, nowNs)) {
            nextHeartbeatNs = nowNs; // proves to the leader that this node is alive, and states its epoch
            nextReportNs = nowNs;
            leaveProtocol.sayAgain();
            answerDue = true;
        }
    }

    @Override
    public Action onFrame(DirectBuffer buffer, int offset, int length, int templateId, int session) {
        if (Frame.clusterId(buffer, offset) != plan.clusterId()) {
            inbox.reject(Rejection.FOREIGN_CLUSTER);
            return Action.CONTINUE;
        }
        if (Frame.origin(buffer, offset) != ControlIds.COORDINATOR) {
            inbox.reject(Rejection.UNKNOWN_ORIGIN);
            return Action.CONTINUE;
        }
        if (LeadDecoder.TEMPLATE_ID == templateId) {
            onLead(buffer, offset, length, session);
            return Action.CONTINUE;
        }
        if (!coordinator.isHeard(templateId, session, clock.nanoTime())) {
            inbox.reject(Rejection.STALE_EPOCH); // this coordinator led before
            return Action.CONTINUE;
        }
        switch (templateId) {
            case HeartbeatDecoder.TEMPLATE_ID -> coordinator.onHeartbeat(buffer, offset);
            case WelcomeDecoder.TEMPLATE_ID -> {} // sent again before the coordinator knew that the first one arrived
            case EventDecoder.TEMPLATE_ID -> onEvent(new EventDecoder().wrapAndApplyHeader(buffer, offset, header));
            case ErrorDecoder.TEMPLATE_ID -> onError(new ErrorDecoder().wrapAndApplyHeader(buffer, offset, header));
            default -> inbox.reject(Rejection.UNEXPECTED);
        }
        return Action.CONTINUE;
    }

    private void onError(ErrorDecoder error) {
        int subject = error.subject();
        boolean known =
                ControlIds.COORDINATOR == subject || subject < plan.nodes().size();
        if (require(error.nonce() == joinNonce && known)) {
            setFailure(new ClusterException(Failure.coded(error.code()), error.message()));
            reportDue = false; // the coordinator has ended
        }
    }

    /**
     * Applies an event if it is the next one. The coordinator repeats an event that is lost with its stream, and all
     * later events.
     */
    private void onEvent(EventDecoder frame) {
        ClusterState before = state;
        if (frame.number() != before.number() + 1) {
            return; // the event is repeated, or an earlier one is missing
        }
        byte[] bytes = new byte[frame.contentLength()];
        frame.getContent(bytes, 0, bytes.length);
        Event event;
        try {
            event = EventCodec.event(bytes);
        } catch (IllegalArgumentException e) {
            breach(frame.number(), e.getMessage());
            return;
        }
        ClusterState after = before.apply(event);
        if (after == before) {
            breach(frame.number(), event + " does not fit the events before it");
        } else {
            take(event, after);
        }
    }

    private void breach(long number, String why) {
        fail(Failure.PROTOCOL_BREACH, "event " + number + " of the coordinator is invalid: " + why, null);
    }

    /** Publishes the failure before the state, which may state that the job is over. */
    private void take(Event event, ClusterState after) {
        int before = state.epoch();
        if (event instanceof Event.Lost lost && isMember(state) && !isMember(after)) {
            setFailure(new ClusterException(lost.failure(), lost.reason() + Failures.consequence(after)));
            reportDue = false;
        }
        failWith(after.failure());
        state = after; // set before a round begins whose worker set depends on this state
        if (!changes.follow(after)) {
            breach(after.number(), event + " changes a clock that this node has begun");
            return;
        }
        switch (event) {
            case Event.Left left -> onLeft(left.node().node(), after);
            case Event.Saved saved -> {
                if (snapshots.committed() != saved.committed()) {
                    pressed = false; // a node that still retains much repeats its request
                }
                snapshots.onOrders(saved.ordered(), saved.committed(), saved.previous());
            }
            default -> {} // the state includes all events
        }
        if (after.epoch() != before) {
            enter(after.epoch());
        }
    }

    private void onLeft(int gone, ClusterState after) {
        if (gone == node) {
            leaveProtocol.confirm();
        } else if (plan.workerIndex(gone) < 0 && after.workerSets().owns(gone) && !after.isOver()) {
            String sentence = plan.nameOf(gone) + " has left although workers still need it";
            setFailure(new ClusterException(Failure.PEER_LEFT, sentence));
        }
    }

    private boolean require(boolean valid) {
        if (!valid) {
            inbox.reject(Rejection.UNEXPECTED);
        }
        return valid;
    }

    private void enter(int epoch) {
        messages.enter(epoch);
        epochs.accept(epoch);
    }
}
