package io.sluice.consistency.membership;

import io.sluice.codecs.Frame;
import io.sluice.codecs.Rejection;
import io.sluice.codecs.sbe.ArrivalDecoder;
import io.sluice.codecs.sbe.BackDecoder;
import io.sluice.codecs.sbe.ChangeDecoder;
import io.sluice.codecs.sbe.ErrorDecoder;
import io.sluice.codecs.sbe.HeartbeatDecoder;
import io.sluice.codecs.sbe.LeaveDecoder;
import io.sluice.codecs.sbe.LostDecoder;
import io.sluice.codecs.sbe.MessageHeaderDecoder;
import io.sluice.codecs.sbe.SnapshotDecoder;
import io.sluice.codecs.seal.FrameSeal;
import io.sluice.consistency.snapshot.SnapshotNews;
import io.sluice.messaging.ArrivalHistory;
import io.sluice.messaging.FrameHandler;
import io.sluice.messaging.Inbox;
import io.sluice.messaging.Link;
import io.sluice.messaging.LinkClosedException;
import io.sluice.messaging.MessagingException;
import io.sluice.messaging.Transport;
import io.sluice.messaging.counters.DutyCycle;
import io.sluice.messaging.counters.Tally;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.agrona.CloseHelper;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.Agent;
import org.agrona.concurrent.NanoClock;

/** The agent behind a {@link Membership}: sends heartbeats, watches the coordinator's, takes in the news. */
final class MembershipAgent implements Agent, FrameHandler {
    private static final int POLL_LIMIT = 16;
    private static final long PARK_NS = TimeUnit.MICROSECONDS.toNanos(200);
    private static final long LEAVE_PATIENCE_NS = TimeUnit.SECONDS.toNanos(1);
    private static final long EXPLAIN_PATIENCE_NS = TimeUnit.MILLISECONDS.toNanos(500);

    private final Transport transport;
    private final Inbox inbox;
    private final Link toCoordinator;
    private final ClusterPlan plan;
    private final int node;
    private final NanoClock clock;
    private final DutyCycle cycle;
    private final AgentThreads threads;
    private final long heartbeatNs;
    private final ArrivalHistory coordinator;
    private final ControlMessages messages = new ControlMessages();
    private final MessageHeaderDecoder header = new MessageHeaderDecoder();
    private final HeartbeatDecoder heartbeat = new HeartbeatDecoder();
    private final Departures departures;
    private final SnapshotNews snapshots;
    private final CrewNews crews;
    private final Attendance attendance;
    private volatile boolean pressed;
    private final Tally epochCounter;
    private volatile int epoch;
    private final AtomicReference<ClusterException> failure = new AtomicReference<>();
    private volatile boolean over;
    private volatile long progress = -1;
    private volatile long versionBroadcast = -1;
    private volatile long leaveAt;
    private volatile boolean leaving;
    private volatile boolean left;
    private volatile boolean reportDue;
    private boolean pressTold;
    private long nextHeartbeatNs;
    private long lastCycleNs;

    MembershipAgent(
            Transport transport,
            Inbox inbox,
            Link toCoordinator,
            ClusterPlan plan,
            Attendance attendance,
            int node,
            NanoClock clock,
            DutyCycle cycle,
            Tally epochCounter,
            AgentThreads threads,
            FrameSeal seal) {
        this.attendance = attendance;
        this.cycle = cycle;
        this.epochCounter = epochCounter;
        this.epoch = plan.epoch();
        epochCounter.set(epoch);
        this.threads = threads;
        this.transport = transport;
        this.inbox = inbox;
        this.toCoordinator = toCoordinator;
        this.plan = plan;
        this.node = node;
        this.clock = clock;
        this.heartbeatNs = TimeUnit.MILLISECONDS.toNanos(plan.settings().heartbeatMs());
        this.coordinator = new ArrivalHistory(
                heartbeatNs, TimeUnit.MILLISECONDS.toNanos(plan.settings().livenessMs()), clock.nanoTime());
        this.departures = new Departures(plan.settings().workerPlaces());
        this.crews = new CrewNews(plan, node, transport::report);
        this.snapshots = new SnapshotNews(plan.start().clock(), plan.start().previous());
        messages.sealWith(seal);
        messages.identify(plan.clusterId(), node);
        messages.enter(plan.epoch());
        nextHeartbeatNs = clock.nanoTime();
        lastCycleNs = nextHeartbeatNs;
    }

    ClusterException failure() {
        return failure.get();
    }

    /** The first failure counts, and is recorded for others to read. */
    private boolean setFailure(ClusterException found) {
        boolean first = failure.compareAndSet(null, found);
        if (first) {
            transport.errorLog().record(found);
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
        return epochOfLoss(worker) > attendance.seat(plan.workerNode(worker)).epoch();
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

    long versionBroadcast() {
        return versionBroadcast;
    }

    ClusterException fail(Failure kind, String message) {
        ClusterException exception = new ClusterException(kind, message);
        if (setFailure(exception)) {
            reportDue = true;
        }
        return failure.get();
    }

    /** Waits a moment for the reason, since links are closed before Aeron gives it. */
    ClusterException explain(LinkClosedException closed) {
        long deadlineNs = clock.nanoTime() + EXPLAIN_PATIENCE_NS;
        while (null == failure.get() && clock.nanoTime() - deadlineNs < 0) {
            threads.invoke(); // perhaps it is for this very thread to find the reason
            LockSupport.parkNanos(PARK_NS);
        }
        setFailure(new ClusterException(Failure.PEER_LOST, closed.getMessage(), closed));
        ClusterException found = failure.get();
        return new ClusterException(found.failure(), found.getMessage(), closed);
    }

    void leave(long reached) {
        leaveAt = reached;
        leaving = true;
        long deadlineNs = clock.nanoTime() + LEAVE_PATIENCE_NS;
        boolean interrupted = Thread.interrupted(); // whoever is interrupted says goodbye all the same
        while (!left && !transport.isClosed() && clock.nanoTime() - deadlineNs < 0) {
            threads.invoke();
            LockSupport.parkNanos(PARK_NS);
            interrupted |= Thread.interrupted();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public int doWork() {
        long nowNs = clock.nanoTime();
        cycle.begin(nowNs);
        long stalledNs = nowNs - lastCycleNs;
        if (stalledNs > heartbeatNs) {
            coordinator.forgive(stalledNs); // this process was held up: in that time it could not have heard anything
        }
        lastCycleNs = nowNs;
        if (transport.isClosed()) {
            onDriverLost();
            return 0;
        }
        int work = inbox.poll(POLL_LIMIT);
        if (!left) {
            try {
                work += send(nowNs);
            } catch (LinkClosedException e) {
                return 0; // the media driver went this very moment: the next cycle finds out why
            }
        }
        if (!left || attendance.changes() && !over) { // who has left may still be needed by nodes that come back
            watch(nowNs);
        }
        cycle.worked(work);
        return work;
    }

    @Override
    public void onClose() {
        if (reportDue && !transport.isClosed()) {
            report();
        }
        CloseHelper.quietCloseAll(toCoordinator, inbox, cycle);
    }

    @Override
    public String roleName() {
        return "sluice-membership";
    }

    private void onDriverLost() {
        MessagingException cause = transport.failure();
        if (null != cause && null == failure.get()) {
            setFailure(new ClusterException(Failure.PEER_LOST, cause.getMessage(), cause));
        }
    }

    private int send(long nowNs) {
        if (reportDue) {
            report();
        }
        if (leaving) {
            left = toCoordinator.offer(messages.buffer(), 0, messages.leave(node, leaveAt));
            return left ? 1 : 0;
        }
        int told = tellOfSnapshots() + crews.tell(toCoordinator, messages);
        boolean urgent = pressed && !pressTold; // what is kept grows with each clock
        if (!urgent && nowNs - nextHeartbeatNs < 0) {
            return told;
        }
        pressTold = pressed;
        nextHeartbeatNs = nowNs + heartbeatNs;
        toCoordinator.offer(messages.buffer(), 0, messages.heartbeat(progress, pressed));
        return 1;
    }

    private int tellOfSnapshots() {
        SnapshotNews.Outcome outcome = snapshots.next();
        if (null == outcome
                || !toCoordinator.offer(messages.buffer(), 0, messages.snapshotOutcome(outcome, progress))) {
            return 0;
        }
        snapshots.sent();
        return 1;
    }

    private void report() {
        ClusterException found = failure.get();
        Failure kind = crews.isArriving() ? Failure.REFUSED : found.failure();
        int length = messages.error(kind, 0, node, plan.nameOf(node) + ": " + found.getMessage());
        reportDue = !toCoordinator.offer(messages.buffer(), 0, length);
    }

    private void watch(long nowNs) {
        if (coordinator.isOverdue(nowNs) && null == failure.get()) {
            String silent = Silence.inWords(coordinator.silenceNs(nowNs), coordinator.allowedNs());
            setFailure(new ClusterException(
                    Failure.PEER_LOST, "the coordinator (server 0) has been " + silent + " and is lost"));
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
        coordinator.heard(clock.nanoTime());
        switch (templateId) {
            case HeartbeatDecoder.TEMPLATE_ID ->
                versionBroadcast =
                        heartbeat.wrapAndApplyHeader(buffer, offset, header).clock();
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
            case ErrorDecoder.TEMPLATE_ID -> {
                ErrorDecoder error = new ErrorDecoder().wrapAndApplyHeader(buffer, offset, header);
                setFailure(new ClusterException(Failure.coded(error.code()), error.message()));
            }
            default -> inbox.reject(Rejection.UNEXPECTED);
        }
        return Action.CONTINUE;
    }

    private void onLeave(LeaveDecoder leave) {
        int gone = leave.node();
        if (ControlIds.COORDINATOR == gone) {
            over = true;
        } else if (plan.workerIndex(gone) >= 0 && gone < plan.nodes().size()) {
            departures.left(plan.workerIndex(gone), leave.clock());
        } else if (plan.workerIndex(gone) < 0 && !over) {
            String sentence = plan.nameOf(gone) + " has left although workers still need it";
            setFailure(new ClusterException(Failure.PEER_LEFT, sentence));
        }
    }

    /** Whoever sees the new epoch sees who is lost, so the epoch is written last. */
    private void onLost(LostDecoder news, int newEpoch) {
        int gone = news.node();
        boolean known = plan.workerIndex(gone) >= 0 || attendance.changes();
        if (!require(known && gone < plan.nodes().size() && newEpoch == epoch + 1)) {
            return;
        }
        if (attendance.changes()) {
            attendance.gone(gone);
        } else {
            departures.lost(plan.workerIndex(gone), newEpoch - plan.epoch());
        }
        enter(newEpoch);
    }

    private void onBack(BackDecoder news, int newEpoch) {
        int node = news.node();
        if (!require(attendance.changes() && node < plan.nodes().size() && newEpoch == epoch + 1)) {
            return;
        }
        attendance.back(node, newEpoch, news.joinNonce(), news.clock(), news.endpoint());
        enter(newEpoch);
    }

    private void onArrival(ArrivalDecoder news, int newEpoch) {
        int node = news.node();
        int worker = plan.workerIndex(node);
        boolean known = attendance.grows() && worker >= 0 && worker < departures.workers();
        if (!require(known && newEpoch == epoch + 1)) {
            return;
        }
        attendance.arrived(node, newEpoch, news.joinNonce(), news.endpoint(), news.host());
        departures.arrived(worker);
        enter(newEpoch);
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
        epochCounter.set(newEpoch);
    }
}
