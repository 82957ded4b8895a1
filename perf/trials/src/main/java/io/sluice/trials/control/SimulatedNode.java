package io.sluice.trials.control;

import io.sluice.codecs.api.ClusterSecret;
import io.sluice.consistency.membership.ControlNode;
import io.sluice.consistency.membership.Coordinator;
import io.sluice.consistency.membership.Incarnation;
import io.sluice.consistency.membership.JoinRequest;
import io.sluice.consistency.membership.Presence;
import io.sluice.consistency.membership.Role;
import io.sluice.consistency.membership.WorkerSetChange;
import io.sluice.consistency.membership.WorkerSetHistory;
import io.sluice.consistency.terms.ClusterException;
import io.sluice.consistency.terms.Failure;
import io.sluice.consistency.terms.WorkerSet;
import io.sluice.messaging.api.Endpoint;
import java.util.List;
import org.agrona.concurrent.NanoClock;

/**
 * The process of a worker or server: its real control plane, and a model of its other parts. A model worker computes
 * rounds and a model server sums them; both consult the control plane before they begin a round, as real nodes do.
 */
final class SimulatedNode {
    /** States of the process. */
    enum State {
        JOINING,
        MEMBER,
        LEAVING,
        ENDED
    }

    private static final long ANSWER_NS = 10_000 * SimulatedNetwork.MS;
    private static final long COMPLETE_NS = 20_000 * SimulatedNetwork.MS;

    final Role role;
    final SimulatedNetwork.Host host;
    private final ControlSimulation world;
    private final Training training;
    private final ControlNode control;
    private final NanoClock clock;

    /** Null unless this is server 0 and the only coordinator. */
    private final Coordinator coordinator;

    State state = State.JOINING;
    long pausedUntilNs;

    /** Time by which jumps have set this process's clock ahead of simulated time. */
    long aheadNs;

    /** The reason why the process ended; null if its work was completed. */
    String reason;

    /** The injected failure that this node reports; null for none. */
    String reported;

    /** The incarnation as which the cluster has admitted this node; null before the welcome. */
    Incarnation incarnation;

    boolean killed;
    private int index;
    private long compared;
    private boolean cyclePending;
    private boolean coordinatorEnded;
    private boolean started;
    private boolean asked;
    private long begun;

    /** The version with which this process began. */
    private long since;

    private long completed;
    private long busyUntilNs;
    private long handledSnapshot = -1;
    private long passedClock = 1;
    private long leavingSinceNs;
    private String awaited = "the welcome";

    SimulatedNode(
            ControlSimulation world,
            Role role,
            int index,
            List<Endpoint> coordinators,
            ClusterSecret secret,
            boolean coordinates) {
        this.world = world;
        this.training = world.training();
        this.role = role;
        this.index = index;
        this.host = world.network().host(error -> world.trace(() -> name() + " reports: " + error.getMessage()));
        this.clock = () -> world.network().nowNs() + aheadNs;
        this.coordinator = coordinates ? world.embedded(host, clock, coordinators.getFirst()) : null;
        JoinRequest request = new JoinRequest(
                role,
                index,
                coordinators,
                world.freeEndpoint(),
                index < 0 ? List.of() : training.held(place()),
                List.of(),
                "",
                ANSWER_NS,
                COMPLETE_NS + world.lateNs(),
                world.waitNs(),
                clock,
                secret);
        this.control = new ControlNode(host, request, "host " + world.network().nowNs() + " " + place());
        host.onArrival(this::arrival);
        tick();
    }

    String name() {
        return role.configName() + " " + (index < 0 ? "?" : index);
    }

    private String place() {
        return role.configName() + "-" + index;
    }

    boolean isAlive() {
        return State.ENDED != state;
    }

    int index() {
        return index;
    }

    boolean coordinates() {
        return null != coordinator;
    }

    /** The state of the process and what it waits for, to report a hang. */
    String waiting() {
        String round = started ? ", begun " + begun + ", completed " + completed : "";
        return name() + " is " + state + round + ", epoch "
                + (State.JOINING == state ? "-" : control.state().epoch()) + ", and waits for " + awaited;
    }

    /** Runs a periodic duty cycle and schedules the next. */
    private void tick() {
        if (isAlive()) {
            run();
            world.network().at(Math.max(pausedUntilNs, world.network().nowNs() + world.tickNs()), this::tick);
        }
    }

    /** Schedules a duty cycle because a frame has arrived. */
    private void arrival() {
        if (!cyclePending) {
            cyclePending = true;
            world.network().at(pausedUntilNs, () -> {
                cyclePending = false;
                if (isAlive()) {
                    run();
                }
            });
        }
    }

    private void run() {
        long nowNs = world.network().nowNs();
        if (nowNs < pausedUntilNs) {
            return;
        }
        world.counted();
        try {
            cycle(nowNs);
        } catch (ClusterException e) {
            end(e.getMessage());
        }
    }

    private void cycle(long nowNs) {
        if (null != coordinator && !coordinatorEnded) {
            coordinator.doWork();
        }
        control.doWork();
        if (State.JOINING != state && control.state().number() != compared) {
            compared = control.state().number();
            world.compare(name(), control.state());
        }
        if (State.JOINING == state && control.isWelcome()) {
            welcome();
        }
        if (State.MEMBER == state) {
            ClusterException failure = control.failure();
            if (null != failure) {
                leave(failure.getMessage());
            } else if (nowNs >= busyUntilNs) {
                if (Role.WORKER == role) {
                    train(nowNs);
                } else {
                    serve();
                }
                snapshot();
            }
        }
        if (State.LEAVING == state && null == reason && control.isDismissed()) {
            end(control.failure().getMessage());
            return;
        }
        boolean late = State.LEAVING == state && nowNs - leavingSinceNs > world.leaveLimitNs();
        if (late && !control.hasLeft() && null == reason) {
            world.missedDecision(this, leavingSinceNs);
        }
        if (State.LEAVING == state && (control.hasLeft() || late)) {
            if (null == coordinator || coordinator.pollShutdown()) {
                end(reason);
            } else {
                coordinatorEnded = true;
            }
        }
    }

    private void welcome() {
        control.begin(_ -> {}, () -> {});
        index = Role.WORKER == role ? control.plan().workerIndex(control.node()) : control.node();
        state = State.MEMBER;
        incarnation = control.state().incarnation(control.node());
        long from = Math.max(0, control.plan().start().clock());
        begun = from;
        since = from;
        completed = from;
        started = !control.plan().isOfNewcomer();
        training.keepUpTo(place(), control.snapshots().committed());
        world.trace(
                () -> name() + " is admitted in epoch " + control.plan().epoch() + " and starts from clock " + from);
    }

    private void leave(String why) {
        reason = why;
        state = State.LEAVING;
        leavingSinceNs = world.network().nowNs();
        awaited = "its leave message to be sent";
        world.trace(() -> name() + " leaves at clock " + completed + (null == why ? "" : ": " + why));
        control.leave(completed);
    }

    private void end(String why) {
        world.trace(() -> name() + " ends" + (null == why ? "" : ": " + why));
        reason = why;
        state = State.ENDED;
        control.close();
        if (null != coordinator) {
            coordinator.close();
        }
        host.kill();
        world.ended(this);
    }

    /** Ends the process without a message. */
    void kill() {
        killed = true;
        reason = "killed";
        state = State.ENDED;
        host.kill();
        world.ended(this);
    }

    /** Makes the process report that it cannot continue. */
    void fail(Failure kind, String message) {
        if (State.MEMBER == state && null == control.failure()) {
            reported = message;
            control.fail(kind, message);
        }
    }

    /** Requests to leave. */
    void requestLeave() {
        if (State.MEMBER == state && started) {
            asked = true;
            control.workerSetChanges().ask(false);
        }
    }

    /** Requests that other nodes forward broadcasts in its place; false if it is no worker that is a member. */
    boolean requestDemotion() {
        if (State.MEMBER != state || Role.WORKER != role) {
            return false;
        }
        control.workerSetChanges().askForDemotion(true, control.state());
        return true;
    }

    private void train(long nowNs) {
        WorkerSetHistory history = control.state().workerSets();
        if (!started && !arrive(history, joined(history))) {
            return;
        }
        int server = begun == since ? -1 : training.missing(history, begun, index);
        if (server >= 0) {
            awaited = "version " + begun + " of server " + server;
            missLeavers(history, Failure.PEER_LEFT);
            return;
        }
        completed = begun;
        control.progress(completed);
        if (completed >= world.rounds()) {
            leave(null);
            return;
        }
        snapshot();
        long next = begun + 1;
        if (!control.workerSetChanges().mayBegin(next)) {
            awaited = "agreement on clock " + next;
            return;
        }
        history = control.state().workerSets();
        if (!history.has(index, next)) {
            leave(null);
            return;
        }
        begin(next, history);
        training.push(index, next);
        awaited = "version " + next;
        busyUntilNs = nowNs + world.computeNs();
    }

    /** Fails as a real worker does: a version for which a worker did not push before it left never completes. */
    private void missLeavers(WorkerSetHistory history, Failure kind) {
        for (int worker : Training.workerSet(history, begun)) {
            long last = control.state().clockAtLeaving(worker);
            if (last < begun) {
                control.fail(kind, "worker " + worker + " has left at clock " + last);
            }
        }
    }

    /** The change with which this node joins the worker set; null if it is not agreed yet. */
    private WorkerSetChange joined(WorkerSetHistory history) {
        WorkerSetChange found = null;
        for (WorkerSetChange change : history.changes()) {
            if (change.role() == role && change.index() == index && change.joins()) {
                found = change;
            }
        }
        boolean isOfBefore =
                Presence.NEWCOMER == control.state().member(control.node()).presence();
        return asked && !isOfBefore ? found : null;
    }

    /** Lets a newcomer take part from an agreed clock on, once it has received the preceding version. */
    private boolean arrive(WorkerSetHistory history, WorkerSetChange joined) {
        if (!asked) {
            asked = Role.SERVER == role || control.versionBroadcast() >= 0;
            awaited = "a version that was broadcast";
            if (asked) {
                control.workerSetChanges().ask(true);
            }
            return false;
        }
        if (null == joined) {
            awaited = "agreement on its first clock";
            return false;
        }
        int server = training.missing(history, joined.clock() - 1);
        if (server >= 0) {
            awaited = "version " + (joined.clock() - 1) + " of server " + server + ", from which it continues";
            begun = joined.clock() - 1;
            missLeavers(history, Failure.REFUSED);
            return false;
        }
        started = true;
        begun = joined.clock() - 1;
        since = begun;
        completed = begun;
        return true;
    }

    private void begin(long round, WorkerSetHistory history) {
        begun = round;
        training.begin(this, round, history);
        world.trace(() -> name() + " begins clock " + round);
    }

    private void serve() {
        WorkerSetHistory history = control.state().workerSets();
        if (control.state().isOver() || control.state().isReleased(incarnation)) {
            leave(null);
            return;
        }
        if (!started && !arrive(history, joined(history))) {
            reportPassed(history, Long.MAX_VALUE);
            return;
        }
        long round = completed + 1;
        if (begun < round && !beginRound(history, round)) {
            reportPassed(history, training.owners(history, round).contains(index) ? begun : Long.MAX_VALUE);
            return;
        }
        history = control.state().workerSets();
        reportPassed(history, begun);
        for (int worker : Training.workerSet(history, round)) {
            if (!training.hasPushed(worker, round) && !control.state().isLost(worker)) {
                awaited = "the push of worker " + worker + " of clock " + round;
                return;
            }
        }
        completed = round;
        control.progress(completed);
        training.finalise(index, completed);
        for (int worker : Training.workerSet(history, round)) {
            if (!control.state().isLost(worker)) {
                training.deliver(index, worker, round); // servers repeat the versions that a rejoining worker missed
            }
        }
    }

    private boolean beginRound(WorkerSetHistory history, long round) {
        if (!hasWorkers(history, round)) {
            awaited = "a worker for clock " + round;
            return false;
        }
        if (!control.workerSetChanges().mayBegin(round)) {
            awaited = "agreement on clock " + round;
            return false;
        }
        WorkerSetHistory now = control.state().workerSets();
        if (!training.owners(now, round).contains(index)) {
            awaited = "the decision that it may leave";
            return false;
        }
        begin(round, now);
        return true;
    }

    private boolean hasWorkers(WorkerSetHistory history, long round) {
        for (WorkerSet workerSet : history.all().reversed()) {
            if (workerSet.workers().stream().anyMatch(worker -> !control.state().isLost(worker))) {
                return true;
            }
            if (workerSet.since() <= round) {
                return false;
            }
        }
        return false;
    }

    private void reportPassed(WorkerSetHistory history, long ofRound) {
        long since = history.passedAt(ofRound);
        if (since != passedClock) {
            passedClock = since;
            control.workerSetChanges().passed(since);
        }
    }

    private void snapshot() {
        if (State.MEMBER != state || !started) {
            return;
        }
        long ordered = control.snapshots().ordered();
        long run = control.plan().start().run();
        training.prune(place(), control.snapshots().previous());
        if (ordered <= handledSnapshot || completed < ordered) {
            return;
        }
        handledSnapshot = ordered;
        if (completed == ordered) {
            training.save(place(), run, ordered);
            control.snapshots().saved(ordered, 1);
        } else {
            control.snapshots().failed(ordered, true, name() + " had passed clock " + ordered);
        }
    }
}
