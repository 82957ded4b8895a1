package io.sluice.consistency.membership;

import io.sluice.codecs.Frame;
import io.sluice.codecs.Rejection;
import io.sluice.codecs.sbe.ArrivalDecoder;
import io.sluice.codecs.sbe.BackDecoder;
import io.sluice.codecs.sbe.ChangeDecoder;
import io.sluice.codecs.sbe.ErrorDecoder;
import io.sluice.codecs.sbe.HeartbeatDecoder;
import io.sluice.codecs.sbe.LeadDecoder;
import io.sluice.codecs.sbe.LeaveDecoder;
import io.sluice.codecs.sbe.LostDecoder;
import io.sluice.codecs.sbe.MessageHeaderDecoder;
import io.sluice.codecs.sbe.SnapshotDecoder;
import io.sluice.codecs.seal.FrameSeal;
import io.sluice.consistency.snapshot.SnapshotNews;
import io.sluice.messaging.FrameHandler;
import io.sluice.messaging.LinkClosedException;
import io.sluice.messaging.MessagingException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntConsumer;
import org.agrona.CloseHelper;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.Agent;
import org.agrona.concurrent.NanoClock;

/** The agent behind a {@link Membership}: sends heartbeats, watches the coordinator's, takes in the news. */
final class MembershipAgent implements Agent, FrameHandler {
    private static final int POLL_LIMIT = 16;
    private static final long PARK_NS = TimeUnit.MICROSECONDS.toNanos(200);
    private static final long EXPLAIN_PATIENCE_NS = TimeUnit.MILLISECONDS.toNanos(500);

    private final ControlNetwork network;
    private final ControlNetwork.Port inbox;
    private final ClusterPlan plan;
    private final int node;

    /** With which this node has joined. */
    private final long joinNonce;

    private final NanoClock clock;
    private final long heartbeatNs;
    private final CoordinatorLine coordinator;
    private final ControlMessages messages = new ControlMessages();
    private final MessageHeaderDecoder header = new MessageHeaderDecoder();
    private final Departures departures;
    private final SnapshotNews snapshots;
    private final CrewNews crews;
    private final Attendance attendance;
    private final Goodbye goodbye = new Goodbye();
    private volatile boolean pressed;
    private final IntConsumer epochs;
    private volatile int epoch;
    private final AtomicReference<ClusterException> failure = new AtomicReference<>();
    private volatile boolean over;
    private volatile long progress = -1;

    /** Whether the coordinator has yet to answer the report of this node's failure. */
    private volatile boolean reportDue;

    /** Whether this node ends because it does not hear the coordinator, which may hear it all the same. */
    private volatile boolean coordinatorLost;

    private boolean pressTold;
    private boolean answerDue;
    private long nextHeartbeatNs;
    private long nextReportNs;
    private long lastCycleNs;

    MembershipAgent(
            ControlNetwork network,
            ControlNetwork.Port inbox,
            CoordinatorLine coordinator,
            ClusterPlan plan,
            Attendance attendance,
            int node,
            NanoClock clock,
            IntConsumer epochs,
            FrameSeal seal) {
        this.attendance = attendance;
        this.epochs = epochs;
        this.epoch = plan.epoch();
        epochs.accept(epoch);
        this.network = network;
        this.inbox = inbox;
        this.coordinator = coordinator;
        this.plan = plan;
        this.node = node;
        this.joinNonce = attendance.seat(node).joinNonce();
        this.clock = clock;
        this.heartbeatNs = TimeUnit.MILLISECONDS.toNanos(plan.settings().heartbeatMs());
        this.departures = new Departures(plan.settings().workerPlaces());
        this.crews = new CrewNews(plan, node, network::report);
        this.snapshots = new SnapshotNews(plan.start().clock(), plan.start().previous());
        messages.sealWith(seal);
        messages.identify(plan.clusterId(), node);
        messages.enter(plan.epoch());
        nextHeartbeatNs = clock.nanoTime();
        nextReportNs = nextHeartbeatNs;
        lastCycleNs = nextHeartbeatNs;
    }

    ClusterException failure() {
        return failure.get();
    }

    /** The first failure counts, and is recorded for others to read. */
    private boolean setFailure(ClusterException found) {
        boolean first = failure.compareAndSet(null, found);
        if (first) {
            network.record(found);
        }
        return first;
    }

    boolean isOver() {
        return over;
    }

    int leavers() {
        return departures.leavers();
    }

    long clockAtLeaving(int worker) {
        return departures.clockAtLeaving(worker);
    }

    SnapshotNews snapshots() {
        return snapshots;
    }

    int epoch() {
        return epoch;
    }

    CrewChanges crews() {
        return crews.changes();
    }

    /** Another may have come in its place since. */
    boolean isLost(int worker) {
        return epochOfLoss(worker) > attendance.life(plan.workerNode(worker));
    }

    int epochOfLoss(int worker) {
        int number = departures.numberOfLoss(worker);
        return 0 == number ? -1 : plan.epoch() + number;
    }

    int lostIn(int begun) {
        return departures.lostAs(begun - plan.epoch());
    }

    void press() {
        pressed = true;
    }

    void progress(long reached) {
        progress = reached;
    }

    /** The clock that this node has reached, for a sentence. */
    String when() {
        long reached = progress;
        return reached < 0 ? "before its first clock" : "at clock " + reached;
    }

    ClusterException fail(Failure kind, String message, Throwable cause) {
        if (setFailure(new ClusterException(kind, message, cause))) {
            reportDue = true;
        }
        return failure.get();
    }

    /** Waits a moment for the reason, since links are closed before Aeron gives it. */
    ClusterException explain(LinkClosedException closed, AgentThreads threads) {
        long deadlineNs = clock.nanoTime() + EXPLAIN_PATIENCE_NS;
        while (null == failure.get() && clock.nanoTime() - deadlineNs < 0) {
            threads.invoke(); // perhaps it is for this very thread to find the reason
            LockSupport.parkNanos(PARK_NS);
        }
        setFailure(new ClusterException(Failure.PEER_LOST, closed.getMessage(), closed));
        ClusterException found = failure.get();
        return new ClusterException(found.failure(), found.getMessage(), closed);
    }

    /**
     * Starts to leave; {@link #hasLeft} tells when that is done. A failure of this node is reported first: without that
     * report the leave would look like an ordinary one.
     */
    void beginLeaving(long reached) {
        goodbye.begin(reached, coordinator, failure);
    }

    boolean hasLeft() {
        return goodbye.isOver() || coordinatorLost;
    }

    /** Leaves, and waits until that is done. A node that does not hear the coordinator has nothing to wait for. */
    void leave(long reached, AgentThreads threads) {
        String name = plan.nameOf(node);
        beginLeaving(reached);
        if (coordinatorLost) {
            return;
        }
        if (reportDue && !goodbye.awaitAnswer(() -> !reportDue || over, name, coordinator, threads, network, clock)) {
            return;
        }
        goodbye.await(() -> over, name, coordinator, failure, threads, network, clock);
    }

    @Override
    public int doWork() {
        long nowNs = clock.nanoTime();
        long stalledNs = nowNs - lastCycleNs;
        if (stalledNs > heartbeatNs || network.isDriverSilent()) {
            coordinator.forgive(stalledNs); // in that time this process could not have heard anything
        }
        lastCycleNs = nowNs;
        if (network.isClosed()) {
            onDriverLost();
            return 0;
        }
        int work = inbox.poll(POLL_LIMIT);
        try {
            work += goodbye.isOver() ? answer() : send(nowNs);
        } catch (LinkClosedException e) {
            return 0; // the media driver went this very moment: the next cycle finds out why
        }
        if (!goodbye.isOver()
                || attendance.changes() && !over) { // who has left may still be needed by nodes that come back
            watch(nowNs);
        }
        return work;
    }

    @Override
    public void onClose() {
        if (reportDue && !network.isClosed()) {
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

    /** Who has left has no heartbeats any more, but tells another coordinator once what it knows. */
    private int answer() {
        if (answerDue && coordinator.offer(messages, messages.heartbeat(progress))) {
            answerDue = false;
            return 1;
        }
        return 0;
    }

    private int send(long nowNs) {
        int told = reportDue && nowNs - nextReportNs >= 0 ? report(nowNs) : 0;
        if (goodbye.isBegun()) {
            return reportDue ? told : told + goodbye.say(coordinator, messages, node);
        }
        told += tellOfSnapshots() + crews.tell(coordinator, messages);
        boolean urgent = pressed && !pressTold; // what is kept grows with each clock
        if (!urgent && nowNs - nextHeartbeatNs < 0) {
            return told;
        }
        pressTold = pressed;
        nextHeartbeatNs = nowNs + heartbeatNs;
        coordinator.offer(messages, messages.heartbeat(progress, pressed));
        return 1;
    }

    private int tellOfSnapshots() {
        SnapshotNews.Outcome outcome = snapshots.next();
        if (null == outcome || !coordinator.offer(messages, messages.snapshotOutcome(outcome, progress))) {
            return 0;
        }
        snapshots.sent();
        return 1;
    }

    /**
     * Reports the failure of this node with the clock that it has reached. The report is repeated until the coordinator
     * answers with an error of its own: a link may take a frame and lose it, and a leader may end before its decision.
     */
    private int report(long nowNs) {
        ClusterException found = failure.get();
        Failure own = coordinatorLost ? Failure.PEER_FAILED : found.failure();
        Failure kind = crews.isArriving() ? Failure.REFUSED : own;
        coordinator.offer(messages, messages.heartbeat(progress));
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

    /** Another coordinator leads: what the one before was told may have been for nothing. */
    private void onLead(DirectBuffer buffer, int offset, int length, int session) {
        long nowNs = clock.nanoTime();
        if (coordinator.follow(buffer, offset, length, session, nowNs)) {
            nextHeartbeatNs = nowNs; // by which that one knows that this node lives, and in which epoch
            nextReportNs = nowNs;
            pressTold = false;
            goodbye.sayAgain();
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
            inbox.reject(Rejection.STALE_EPOCH); // it led before
            return Action.CONTINUE;
        }
        switch (templateId) {
            case HeartbeatDecoder.TEMPLATE_ID -> coordinator.onHeartbeat(buffer, offset);
            case LeaveDecoder.TEMPLATE_ID -> onLeave(new LeaveDecoder().wrapAndApplyHeader(buffer, offset, header));
            case SnapshotDecoder.TEMPLATE_ID -> {
                SnapshotDecoder news = new SnapshotDecoder().wrapAndApplyHeader(buffer, offset, header);
                if (snapshots.committed() != news.committed()) {
                    pressed = false; // whoever still keeps much says so again
                }
                snapshots.told(news.clock(), news.committed(), news.previous());
            }
            case BackDecoder.TEMPLATE_ID ->
                onBack(new BackDecoder().wrapAndApplyHeader(buffer, offset, header), Frame.epoch(buffer, offset));
            case ArrivalDecoder.TEMPLATE_ID ->
                onArrival(new ArrivalDecoder().wrapAndApplyHeader(buffer, offset, header), Frame.epoch(buffer, offset));
            case ChangeDecoder.TEMPLATE_ID ->
                require(crews.on(new ChangeDecoder().wrapAndApplyHeader(buffer, offset, header)));
            case LostDecoder.TEMPLATE_ID ->
                onLost(new LostDecoder().wrapAndApplyHeader(buffer, offset, header), Frame.epoch(buffer, offset));
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
            reportDue = false; // the coordinator has decided what becomes of this node
        }
    }

    private void onLeave(LeaveDecoder leave) {
        int gone = leave.node();
        if (!require(ControlIds.COORDINATOR == gone || gone < plan.nodes().size())) {
            return;
        }
        if (coordinator.isOfSeveral() && gone == node) {
            goodbye.confirm(); // a majority of the coordinators knows
        } else if (ControlIds.COORDINATOR == gone) {
            over = true;
        } else if (plan.workerIndex(gone) >= 0) {
            departures.left(plan.workerIndex(gone), leave.clock());
        } else if (!crews.onServerLeft(gone) && !over) {
            String sentence = plan.nameOf(gone) + " has left although workers still need it";
            setFailure(new ClusterException(Failure.PEER_LEFT, sentence));
        }
    }

    /** Whoever sees the new epoch sees who is lost, so the epoch is written last. */
    private void onLost(LostDecoder news, int newEpoch) {
        int gone = news.node();
        boolean known = plan.workerIndex(gone) >= 0 || attendance.moves();
        if (!require(known && isAnother(gone) && newEpoch == epoch + 1)) {
            return;
        }
        if (attendance.changes()) {
            attendance.gone(gone);
        } else if (plan.workerIndex(gone) < 0) {
            require(crews.onServerLeft(gone));
        } else {
            departures.lost(plan.workerIndex(gone), newEpoch - plan.epoch());
        }
        enter(newEpoch);
    }

    private void onBack(BackDecoder news, int newEpoch) {
        int back = news.node();
        if (!require(attendance.changes() && isAnother(back) && newEpoch == epoch + 1)) {
            return;
        }
        attendance.back(back, newEpoch, news.joinNonce(), news.clock(), news.endpoint());
        enter(newEpoch);
    }

    private void onArrival(ArrivalDecoder news, int newEpoch) {
        int newcomer = news.node();
        if (!require(attendance.grows() && isAnother(newcomer) && newEpoch == epoch + 1)) {
            return;
        }
        attendance.arrived(newcomer, newEpoch, news.joinNonce(), news.endpoint(), news.host());
        crews.onArrived(newcomer);
        departures.arrived(plan.workerIndex(newcomer));
        enter(newEpoch);
    }

    /** Whether an id is that of another node: no node receives news that it is lost itself, or has joined. */
    private boolean isAnother(int id) {
        return id != node && id < plan.nodes().size();
    }

    private boolean require(boolean sound) {
        if (!sound) {
            inbox.reject(Rejection.UNEXPECTED);
        }
        return sound;
    }

    private void enter(int newEpoch) {
        messages.enter(newEpoch);
        epoch = newEpoch;
        epochs.accept(newEpoch);
    }
}
