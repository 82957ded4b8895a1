package io.sluice.consistency.membership;

import io.sluice.consistency.snapshot.SnapshotSchedule;
import io.sluice.consistency.terms.DeathPolicy;
import io.sluice.consistency.terms.Failure;
import io.sluice.tree.Place;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The state of a cluster as a state machine: it takes {@link Event}s and yields states. It depends on nothing else,
 * such as time or links, so equal events in equal order make equal states in each process. An event that does not fit
 * the state, because it is late or repeated, has no effect and no number.
 *
 * <p>Immutable.
 */
public final class ClusterState {
    /** The state in which no node has joined yet. */
    public static final ClusterState EMPTY = new ClusterState();

    /** Passed clock of a server that has joined and owns no slices yet, so no other node waits for it. */
    private static final long AHEAD = Long.MAX_VALUE;

    /**
     * The change that began an epoch.
     *
     * @param node id of the place
     * @param lost whether its node was lost; otherwise a node has rejoined or arrived
     */
    record ViewChange(int node, boolean lost) {}

    /**
     * The demotion of a worker, which forwards broadcasts over the network no more. Nodes apply it to the trees in the
     * order of the log.
     *
     * @param node    the worker
     * @param epoch   epoch in which it was demoted
     * @param changes number of changes of the worker set before it
     */
    public record Demotion(Incarnation node, int epoch, int changes) {}

    /**
     * A change whose clock the nodes have yet to agree on.
     *
     * @param number number of the event that proposed it
     * @param node   node that joins or leaves the rounds
     * @param joins  whether it joins
     */
    record Proposal(long number, Incarnation node, boolean joins) {}

    // Set by the constructors, and by apply() in a copy that is not published yet.
    private List<Member> members;

    /** View change i began epoch i + 1. */
    private List<ViewChange> viewChanges;

    private List<Demotion> demotions;
    private long number;
    private Event.Job job;
    private WorkerSetHistory workerSets;
    private Proposal proposal;
    private Event.Saved saved;
    private Event.Failed failure;
    private boolean over;
    private long finalClock;
    private boolean closed;

    private ClusterState() {
        members = List.of();
        viewChanges = List.of();
        demotions = List.of();
        saved = new Event.Saved(SnapshotSchedule.NONE, SnapshotSchedule.NONE, SnapshotSchedule.NONE);
    }

    private ClusterState(ClusterState other) {
        members = new ArrayList<>(other.members);
        viewChanges = new ArrayList<>(other.viewChanges);
        demotions = other.demotions;
        number = other.number;
        job = other.job;
        workerSets = other.workerSets;
        proposal = other.proposal;
        saved = other.saved;
        failure = other.failure;
        over = other.over;
        finalClock = other.finalClock;
        closed = other.closed;
    }

    /**
     * Applies an event.
     *
     * @param event the next event
     * @return the next state, with the next number; this state if the event does not fit it
     */
    public ClusterState apply(Event event) {
        if (closed || null == job && !(event instanceof Event.Completed) && !(event instanceof Event.Closed)) {
            return this;
        }
        ClusterState next = new ClusterState(this);
        next.number++;
        if (!next.take(event)) {
            return this;
        }
        next.settle();
        return next;
    }

    private boolean take(Event event) {
        return switch (event) {
            case Event.Completed all -> complete(all);
            case Event.Lost lost -> lose(lost);
            case Event.Rejoined back -> rejoin(back);
            case Event.Arrived newcomer -> arrive(newcomer);
            case Event.Left left -> leave(left);
            case Event.Released released -> become(released.node(), Presence.RELEASED);
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

    private boolean isCurrent(Incarnation node) {
        return node.node() >= 0
                && node.node() < members.size()
                && members.get(node.node()).epoch() == node.epoch();
    }

    private boolean become(Incarnation node, Presence next) {
        return become(node, next, 0);
    }

    private boolean become(Incarnation node, Presence next, long clock) {
        if (!isCurrent(node) || !presence(node.node()).leadsTo(next)) {
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
        if (!waits && nodeIds().isServer(node) && takesPart(node)) {
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
            failNow(node, nodeIds().nameOf(node) + " has left, so no worker is left");
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
     * Whether no worker can complete the job any more: each place for a worker is empty, or its node is lost or has
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
        Incarnation before = back.before();
        if (null != failure || !isCurrent(before) || Presence.AWAITED != presence(before.node())) {
            return false;
        }
        viewChanges.add(new ViewChange(before.node(), false));
        String home = members.get(before.node()).home();
        Presence now = takesPart(before.node()) ? Presence.ACTIVE : Presence.NEWCOMER;
        members.set(before.node(), new Member(back.seat(), home, epoch(), now, 0, back.start(), 0));
        return true;
    }

    private boolean arrive(Event.Arrived newcomer) {
        int place = newcomer.place();
        if (null != failure
                || place < 0
                || place >= members.size()
                || !isFree(place)
                || isPresent(newcomer.seat().nonce())) {
            return false;
        }
        viewChanges.add(new ViewChange(place, false));
        Event.Seat seat = newcomer.seat();
        long passed = nodeIds().isServer(place) ? AHEAD : 0;
        StartPoint start = new StartPoint(job.start().run(), SnapshotSchedule.NONE, SnapshotSchedule.NONE);
        members.set(place, new Member(seat, seat.host(), epoch(), Presence.NEWCOMER, 0, start, passed));
        return true;
    }

    /** Whether the node that joined with a nonce has a place already. */
    private boolean isPresent(long nonce) {
        return members.stream()
                .anyMatch(
                        member -> member.presence().isPresent() && member.seat().nonce() == nonce);
    }

    private boolean demote(Incarnation node) {
        boolean fits = mayBeDemoted(node);
        if (fits) {
            demotions = new ArrayList<>(demotions);
            demotions.add(new Demotion(node, epoch(), workerSets.changes().size()));
        }
        return fits;
    }

    /** Whether a node is a worker that takes part and is not demoted yet. */
    boolean mayBeDemoted(Incarnation node) {
        return null == failure
                && isCurrent(node)
                && !nodeIds().isServer(node.node())
                && Presence.ACTIVE == presence(node.node())
                && demotions.stream().noneMatch(each -> each.node().equals(node));
    }

    private boolean propose(Event.Proposed wish) {
        if (null != proposal || null != failure || !isCurrent(wish.node()) || !mayChange(wish.node(), wish.joins())) {
            return false;
        }
        proposal = new Proposal(number, wish.node(), wish.joins());
        return true;
    }

    /**
     * Whether a node may join or leave the worker set. A dead node cannot answer: the others agree on the clock from
     * which they continue without it.
     */
    private boolean mayChange(Incarnation node, boolean joins) {
        if (isEnding() || !isCurrent(node)) {
            return false;
        }
        Presence now = presence(node.node());
        return joins
                ? Presence.NEWCOMER == now
                : takesPart(node.node()) && (Presence.ACTIVE == now || Presence.LOST == now);
    }

    private boolean agree(Event.Agreed agreed) {
        if (null == proposal || proposal.number() != agreed.proposal()) {
            return false;
        }
        int node = proposal.node().node();
        Member member = members.get(node);
        Place place = new Place(node, member.seat().host(), member.seat().endpoint());
        NodeIds ids = nodeIds();
        WorkerSetChange change =
                new WorkerSetChange(agreed.clock(), ids.role(node), ids.index(node), proposal.joins(), place);
        if (!workerSets.fits(change)) {
            return false;
        }
        if (proposal.joins()) {
            become(proposal.node(), Presence.ACTIVE);
            members.set(node, members.get(node).past(ids.isServer(node) ? workerSets.lastClock() : 0));
        } else {
            become(proposal.node(), Presence.LEAVING);
        }
        workerSets = workerSets.with(change);
        proposal = null;
        return true;
    }

    private boolean pass(Event.Passed news) {
        Incarnation server = news.server();
        boolean fits = isCurrent(server)
                && nodeIds().isServer(server.node())
                && presence(server.node()).isPresent()
                && news.clock() > members.get(server.node()).passed()
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

    /** Applies the consequences of the state: void proposals end, and servers that may leave are released. */
    private void settle() {
        if (null == job) {
            return;
        }
        if (null != proposal && !mayChange(proposal.node(), proposal.joins())) {
            proposal = null;
        }
        if (IntStream.range(job.servers(), members.size()).anyMatch(node -> Presence.LEAVING == presence(node))) {
            return; // a leaving worker may not have read its last version from any server yet
        }
        for (int server = 0; server < job.servers(); server++) {
            if (Presence.LEAVING == presence(server) && goneSince(server) <= passedByAllBut(server)) {
                members.set(server, members.get(server).as(Presence.RELEASED, 0));
            }
        }
    }

    /**
     * Whether a node may join at a place: the place is new, or its last node has left or is lost, the other nodes have
     * agreed to continue without that node, and all servers have passed that change.
     *
     * @param node id of the place
     * @return whether the place is free
     */
    public boolean isFree(int node) {
        return switch (presence(node)) {
            case VACANT -> true;
            case WITHDRAWN, LOST ->
                !takesPart(node) && (nodeIds().isServer(node) || goneSince(node) <= passedByAllBut(-1));
            case NEWCOMER, ACTIVE, LEAVING, RELEASED, LEFT, AWAITED -> false;
        };
    }

    /**
     * Whether the cluster continues without a dead worker whose place is still empty.
     *
     * @param worker index of its place
     * @return false even while the cluster waits for the worker
     */
    public boolean isLost(int worker) {
        return Presence.LOST == presence(job.servers() + worker);
    }

    /**
     * The clock that a worker had reached when it left.
     *
     * @param worker index of its place
     * @return its last clock; {@link Long#MAX_VALUE} of a worker that has not left
     */
    public long clockAtLeaving(int worker) {
        Member member = members.get(job.servers() + worker);
        return member.presence().hasLeft() ? member.clock() : Long.MAX_VALUE;
    }

    private Presence presence(int node) {
        return members.get(node).presence();
    }

    private long goneSince(int node) {
        return workerSets.goneSince(nodeIds().role(node), nodeIds().index(node));
    }

    /** The clock of the last change that all present servers but one have passed. */
    private long passedByAllBut(int exempt) {
        return IntStream.range(0, job.servers())
                .filter(server -> server != exempt && presence(server).isPresent())
                .mapToLong(server -> members.get(server).passed())
                .min()
                .orElse(Long.MAX_VALUE);
    }

    /** Whether a node belongs to the last agreed worker set, or is a server that owns slices after all changes. */
    boolean takesPart(int node) {
        int index = nodeIds().index(node);
        return nodeIds().isServer(node)
                ? workerSets.owns(index)
                : workerSets.last().workers().contains(index);
    }

    /**
     * Whether all nodes that take part are present, no change of the worker set is proposed, and all servers have
     * passed the last change. Only then can a snapshot be complete.
     */
    boolean isSteady() {
        boolean passed = workerSets.changes().isEmpty() || passedByAllBut(-1) >= workerSets.lastClock();
        return passed && null == proposal && IntStream.range(0, members.size()).noneMatch(this::isMissed);
    }

    private boolean isMissed(int node) {
        return !presence(node).isPresent() && takesPart(node);
    }

    /** Whether a worker has completed its work. From then on the worker set does not change. */
    boolean isEnding() {
        for (int node = job.servers(); node < members.size(); node++) { // no stream, because this runs in every cycle
            if (Presence.LEFT == presence(node)) {
                return true;
            }
        }
        return false;
    }

    NodeIds nodeIds() {
        return new NodeIds(job.servers(), members.size() - job.servers());
    }

    /** The number of the last event, which is the number of events with an effect. */
    public long number() {
        return number;
    }

    /** Whether all nodes have joined, so that there is a state. */
    public boolean isComplete() {
        return null != job;
    }

    /** The constant properties of the job; null before the cluster is complete. */
    public Event.Job job() {
        return job;
    }

    /** The epoch, which is the number of losses, rejoins and arrivals of nodes. */
    public int epoch() {
        return viewChanges.size();
    }

    /** The changes that began the epochs, from epoch 1 on. */
    List<ViewChange> viewChanges() {
        return viewChanges;
    }

    /** The demotions of workers, in order. */
    public List<Demotion> demotions() {
        return Collections.unmodifiableList(demotions);
    }

    /**
     * The node whose loss began an epoch.
     *
     * @param begun 1 to {@link #epoch()}
     * @return its id; -1 if a node has rejoined or arrived instead
     */
    public int lostIn(int begun) {
        ViewChange viewChange = viewChanges.get(begun - 1);
        return viewChange.lost() ? viewChange.node() : -1;
    }

    /** All places, in order of node id; none before the cluster is complete. */
    public List<Member> members() {
        return Collections.unmodifiableList(members);
    }

    /**
     * The place with an id, and the node that has it or had it last.
     *
     * @param node node id of the place
     * @return the place and its node
     */
    public Member member(int node) {
        return members.get(node);
    }

    /**
     * The incarnation that has a place, or had it last.
     *
     * @param node id of the place
     * @return that incarnation
     */
    public Incarnation incarnation(int node) {
        return new Incarnation(node, members.get(node).epoch());
    }

    /**
     * The places of all nodes, with the hosts for which broadcasts are planned.
     *
     * @return the places, in order of id
     */
    public List<Place> places() {
        return IntStream.range(0, members.size()).mapToObj(this::place).toList();
    }

    /**
     * The place of a node, which may be dead.
     *
     * @param node id of the node
     * @return the place, with the host for which broadcasts were planned
     */
    public Place place(int node) {
        Member member = members.get(node);
        return new Place(node, member.home(), member.seat().endpoint());
    }

    /**
     * Whether no other node needs a leaving node any more.
     *
     * @param node leaving
     * @return true until the node is lost before it leaves
     */
    public boolean isReleased(Incarnation node) {
        Presence now = presence(node.node());
        return Presence.RELEASED == now || Presence.WITHDRAWN == now || !isCurrent(node);
    }

    /**
     * Whether a place of a server has neither a node nor slices, so no node sends to it.
     *
     * @param server index of the server
     * @return false even for a dead server that the cluster waits for
     */
    public boolean hasGone(int server) {
        return !presence(server).isPresent() && !workerSets.owns(server);
    }

    /** The nodes that take part at each clock, as far as agreed on; null before the cluster is complete. */
    public WorkerSetHistory workerSets() {
        return workerSets;
    }

    /** The change on which the nodes are agreeing; null for none. */
    Proposal proposal() {
        return proposal;
    }

    /** The progress of snapshots. */
    public Event.Saved saved() {
        return saved;
    }

    /** The failure that ends the cluster; null for none. */
    public Event.Failed failure() {
        return failure;
    }

    /** Whether all workers have left or are lost. */
    public boolean isOver() {
        return over;
    }

    /** The clock at which the last remaining worker left or was lost; 0 until {@link #isOver}. */
    public long finalClock() {
        return finalClock;
    }

    /** Whether the job is over and needs no coordinator. */
    public boolean isClosed() {
        return closed;
    }

    /** A state that {@link EventCodec} has read. */
    static ClusterState of(
            long number,
            Event.Job job,
            List<Member> members,
            List<ViewChange> viewChanges,
            List<Demotion> demotions,
            WorkerSetHistory workerSets,
            Proposal proposal,
            Event.Saved saved,
            Event.Failed failure,
            boolean over,
            long finalClock,
            boolean closed) {
        ClusterState state = new ClusterState();
        state.number = number;
        state.job = job;
        state.members = members;
        state.viewChanges = viewChanges;
        state.demotions = demotions;
        state.workerSets = workerSets;
        state.proposal = proposal;
        state.saved = saved;
        state.failure = failure;
        state.over = over;
        state.finalClock = finalClock;
        state.closed = closed;
        return state;
    }

    @Override
    public String toString() {
        return "ClusterState[number=" + number + ", job=" + job + ", members=" + members + ", viewChanges="
                + viewChanges + ", demotions=" + demotions
                + ", changes=" + (null == workerSets ? "none" : workerSets.changes()) + ", proposal=" + proposal
                + ", saved="
                + saved + ", failure=" + failure + ", over=" + over + ", finalClock=" + finalClock
                + ", closed=" + closed + "]";
    }
}
