package io.sluice.consistency.membership;

import io.sluice.consistency.membership.ClusterState.Demotion;
import io.sluice.consistency.membership.ClusterState.Proposal;
import io.sluice.consistency.membership.ClusterState.ViewChange;
import io.sluice.consistency.snapshot.SnapshotSchedule;
import io.sluice.consistency.terms.DeathPolicy;
import io.sluice.consistency.terms.Failure;
import io.sluice.tree.Place;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The step from one state of a cluster to the next: a copy of the state that an event changes. Whether the event fits
 * depends on the state before it.
 */
final class Transition {
    /** Passed clock of a server that has joined and owns no slices yet, so no other node waits for it. */
    private static final long AHEAD = Long.MAX_VALUE;

    private final ClusterState before;
    private final List<Member> members;
    private final List<ViewChange> viewChanges;
    private final List<Demotion> demotions;
    private Event.Job job;
    private WorkerSetHistory workerSets;
    private Proposal proposal;
    private Event.Saved saved;
    private Event.Failed failure;
    private boolean over;
    private long finalClock;
    private boolean closed;

    private Transition(ClusterState before) {
        this.before = before;
        members = new ArrayList<>(before.members());
        viewChanges = new ArrayList<>(before.viewChanges());
        demotions = new ArrayList<>(before.demotions());
        job = before.job();
        workerSets = before.workerSets();
        proposal = before.proposal();
        saved = before.saved();
        failure = before.failure();
        over = before.isOver();
        finalClock = before.finalClock();
        closed = before.isClosed();
    }

    /** Applies an event and then its consequences; returns the same state if the event does not fit it. */
    static ClusterState apply(ClusterState before, Event event) {
        boolean isInTime = before.isComplete() || event instanceof Event.Completed || event instanceof Event.Closed;
        Transition step = new Transition(before);
        if (before.isClosed() || !isInTime || !step.take(event)) {
            return before;
        }
        ClusterState after = step.state(before.number() + 1);
        return after.isComplete() ? settled(after) : after;
    }

    /** Applies what follows from a state: a void proposal ends, and servers that may leave are released. */
    private static ClusterState settled(ClusterState state) {
        Proposal open = state.proposal();
        boolean isVoid = null != open && !state.mayChange(open.node(), open.joins());
        int[] released = IntStream.range(0, state.job().servers())
                .filter(state::mayBeReleased)
                .toArray();
        if (!isVoid && 0 == released.length) {
            return state;
        }
        Transition step = new Transition(state);
        step.proposal = isVoid ? null : open;
        for (int server : released) {
            step.members.set(server, step.members.get(server).as(Presence.RELEASED, 0));
        }
        return step.state(state.number());
    }

    private ClusterState state(long number) {
        return new ClusterState(
                number,
                job,
                members,
                viewChanges,
                demotions,
                workerSets,
                proposal,
                saved,
                failure,
                over,
                finalClock,
                closed);
    }

    private boolean take(Event event) {
        return switch (event) {
            case Event.Completed all -> complete(all);
            case Event.Lost lost -> lose(lost);
            case Event.Rejoined back -> rejoin(back);
            case Event.Arrived newcomer -> arrive(newcomer);
            case Event.Left left -> leave(left);
            case Event.Released released -> become(released.node(), Presence.RELEASED, 0);
            case Event.Demoted demoted -> demote(demoted.node());
            case Event.Proposed wish -> propose(wish);
            case Event.Agreed agreed -> agree(agreed);
            case Event.Passed passed -> pass(passed);
            case Event.Saved news -> save(news);
            case Event.Failed end -> fail(end);
            case Event.Closed _ -> close();
        };
    }

    private boolean complete(Event.Completed all) {
        if (null != job) {
            return false;
        }
        job = all.job();
        StartPoint start = job.start();
        saved = new Event.Saved(SnapshotSchedule.NONE, start.clock(), start.previous());
        workerSets = all.before();
        long passed = workerSets.changes().isEmpty() ? 0 : workerSets.lastClock();
        for (Event.Seat seat : all.seats()) {
            Presence presence = 0 == seat.nonce() ? Presence.VACANT : Presence.ACTIVE;
            members.add(new Member(seat, seat.host(), 0, presence, 0, start, passed));
        }
        return true;
    }

    private boolean become(Incarnation node, Presence next, long clock) {
        if (!before.isCurrent(node) || !before.presence(node.node()).leadsTo(next)) {
            return false;
        }
        members.set(node.node(), members.get(node.node()).as(next, clock));
        return true;
    }

    private boolean lose(Event.Lost lost) {
        boolean waits = DeathPolicy.WAIT == job.onDeath();
        if (null != failure || !become(lost.node(), waits ? Presence.AWAITED : Presence.LOST, lost.clock())) {
            return false;
        }
        int node = lost.node().node();
        if (!waits && areWorkersLost()) {
            failNow(node, lost.reason() + "; it had reached clock " + lost.clock() + ", and no worker is left");
            return true;
        }
        // The nodes may have agreed that it takes part while its loss was being decided.
        if (!waits && before.nodeIds().isServer(node) && before.takesPart(node)) {
            failNow(node, lost.reason() + "; the others wait for the slices that it owns");
            return true;
        }
        viewChanges.add(new ViewChange(node, true));
        endWithWorkers(lost.clock());
        return true;
    }

    private boolean leave(Event.Left left) {
        int node = left.node().node();
        if (!become(left.node(), Presence.LEFT, left.clock())
                && !become(left.node(), Presence.WITHDRAWN, left.clock())) {
            return false;
        }
        if (areWorkersLost()) {
            failNow(node, before.nodeIds().nameOf(node) + " has left, so no worker is left");
        } else {
            endWithWorkers(left.clock());
        }
        return true;
    }

    private void failNow(int node, String sentence) {
        if (null == failure) {
            failure = new Event.Failed(Failure.PEER_LOST, node, sentence);
        }
    }

    /**
     * Whether no worker can still complete the job: each place for a worker is empty, or its node is lost or has
     * left early. The job then fails.
     */
    private boolean areWorkersLost() {
        return workers().stream()
                .map(Member::presence)
                .allMatch(
                        worker -> Presence.LOST == worker || Presence.VACANT == worker || Presence.WITHDRAWN == worker);
    }

    private void endWithWorkers(long clock) {
        boolean gone = workers().stream()
                .noneMatch(worker -> worker.presence().isPresent() || Presence.AWAITED == worker.presence());
        if (gone && !over) {
            over = true;
            finalClock = clock;
        }
    }

    private List<Member> workers() {
        return members.subList(job.servers(), members.size());
    }

    private boolean rejoin(Event.Rejoined back) {
        Incarnation dead = back.before();
        int node = dead.node();
        if (null != failure || !before.isCurrent(dead) || Presence.AWAITED != before.presence(node)) {
            return false;
        }
        viewChanges.add(new ViewChange(node, false));
        String home = members.get(node).home();
        Presence now = before.takesPart(node) ? Presence.ACTIVE : Presence.NEWCOMER;
        members.set(node, new Member(back.seat(), home, viewChanges.size(), now, 0, back.start(), 0));
        return true;
    }

    private boolean arrive(Event.Arrived newcomer) {
        int place = newcomer.place();
        Event.Seat seat = newcomer.seat();
        if (null != failure
                || place < 0
                || place >= members.size()
                || !before.isFree(place)
                || isPresent(seat.nonce())) {
            return false;
        }
        viewChanges.add(new ViewChange(place, false));
        long passed = before.nodeIds().isServer(place) ? AHEAD : 0;
        StartPoint start = new StartPoint(job.start().run(), SnapshotSchedule.NONE, SnapshotSchedule.NONE);
        members.set(place, new Member(seat, seat.host(), viewChanges.size(), Presence.NEWCOMER, 0, start, passed));
        return true;
    }

    /** Whether the node that joined with a nonce has a place already. */
    private boolean isPresent(long nonce) {
        return members.stream()
                .anyMatch(
                        member -> member.presence().isPresent() && member.seat().nonce() == nonce);
    }

    private boolean demote(Incarnation node) {
        boolean fits = before.mayBeDemoted(node);
        if (fits) {
            demotions.add(
                    new Demotion(node, before.epoch(), workerSets.changes().size()));
        }
        return fits;
    }

    private boolean propose(Event.Proposed wish) {
        if (null != proposal || null != failure || !before.mayChange(wish.node(), wish.joins())) {
            return false;
        }
        proposal = new Proposal(before.number() + 1, wish.node(), wish.joins());
        return true;
    }

    private boolean agree(Event.Agreed agreed) {
        if (null == proposal || proposal.number() != agreed.proposal()) {
            return false;
        }
        int node = proposal.node().node();
        Member member = members.get(node);
        Place place = new Place(node, member.seat().host(), member.seat().endpoint());
        NodeIds ids = before.nodeIds();
        WorkerSetChange change =
                new WorkerSetChange(agreed.clock(), ids.role(node), ids.index(node), proposal.joins(), place);
        if (!workerSets.fits(change)) {
            return false;
        }
        if (proposal.joins()) {
            become(proposal.node(), Presence.ACTIVE, 0);
            members.set(node, members.get(node).past(ids.isServer(node) ? workerSets.lastClock() : 0));
        } else {
            become(proposal.node(), Presence.LEAVING, 0);
        }
        workerSets = workerSets.with(change);
        proposal = null;
        return true;
    }

    private boolean pass(Event.Passed news) {
        Incarnation server = news.server();
        boolean fits = before.isCurrent(server)
                && before.nodeIds().isServer(server.node())
                && before.presence(server.node()).isPresent()
                && news.clock() > before.member(server.node()).passed()
                && news.clock() <= workerSets.lastClock();
        if (fits) {
            members.set(server.node(), members.get(server.node()).past(news.clock()));
        }
        return fits;
    }

    /** Records a snapshot; the committed clock never decreases. */
    private boolean save(Event.Saved news) {
        boolean fits = news.committed() >= saved.committed() && !news.equals(saved);
        if (fits) {
            saved = news;
        }
        return fits;
    }

    private boolean fail(Event.Failed end) {
        if (null != failure) {
            return false;
        }
        failure = end;
        return true;
    }

    private boolean close() {
        closed = true;
        return true;
    }
}
