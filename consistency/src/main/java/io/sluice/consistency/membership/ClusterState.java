package io.sluice.consistency.membership;

import io.sluice.consistency.snapshot.SnapshotSchedule;
import io.sluice.tree.Place;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The state of a cluster as a state machine: it takes {@link Event}s and yields states; {@link Transition} defines the
 * effect of each event. It depends on nothing else, such as time or links, so equal events in equal order make equal
 * states in each process. An event that does not fit the state, because it is late or repeated, has no effect and no
 * number.
 *
 * <p>Immutable. States of two processes are compared by their text, since {@link WorkerSetHistory} has no equality.
 *
 * @param number      number of the last event, which is the number of events with an effect
 * @param job         constant properties of the job; null before the cluster is complete
 * @param members     all places, in order of node id; none before the cluster is complete
 * @param viewChanges the changes that began the epochs, from epoch 1 on
 * @param demotions   demotions of workers, in order
 * @param workerSets  nodes that take part at each clock, as far as agreed on; null before the cluster is complete
 * @param proposal    change on which the nodes are agreeing; null for none
 * @param saved       progress of snapshots
 * @param failure     failure that ends the cluster; null for none
 * @param isOver      whether all workers have left or are lost
 * @param finalClock  clock at which the last remaining worker left or was lost; 0 until the job is over
 * @param isClosed    whether the job is over and needs no coordinator
 */
public record ClusterState(
        long number,
        Event.Job job,
        List<Member> members,
        List<ViewChange> viewChanges,
        List<Demotion> demotions,
        WorkerSetHistory workerSets,
        Proposal proposal,
        Event.Saved saved,
        Event.Failed failure,
        boolean isOver,
        long finalClock,
        boolean isClosed) {
    /** The state in which no node has joined yet. */
    public static final ClusterState EMPTY = new ClusterState(
            0,
            null,
            List.of(),
            List.of(),
            List.of(),
            null,
            null,
            new Event.Saved(SnapshotSchedule.NONE, SnapshotSchedule.NONE, SnapshotSchedule.NONE),
            null,
            false,
            0,
            false);

    /**
     * The change that began an epoch.
     *
     * @param node id of the place
     * @param lost whether its node was lost; otherwise a node has rejoined or arrived
     */
    public record ViewChange(int node, boolean lost) {}

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
    public record Proposal(long number, Incarnation node, boolean joins) {}

    /** Copies the lists. */
    public ClusterState {
        members = List.copyOf(members);
        viewChanges = List.copyOf(viewChanges);
        demotions = List.copyOf(demotions);
    }

    /**
     * Applies an event.
     *
     * @param event the next event
     * @return the next state, with the next number; this state if the event does not fit it
     */
    public ClusterState apply(Event event) {
        return Transition.apply(this, event);
    }

    /** Whether an incarnation has its place, or had it last. */
    boolean isCurrent(Incarnation node) {
        return node.node() >= 0
                && node.node() < members.size()
                && members.get(node.node()).epoch() == node.epoch();
    }

    /** Whether a node is a worker that takes part and is not demoted yet. */
    boolean mayBeDemoted(Incarnation node) {
        return null == failure
                && isCurrent(node)
                && !nodeIds().isServer(node.node())
                && Presence.ACTIVE == presence(node.node())
                && demotions.stream().noneMatch(each -> each.node().equals(node));
    }

    /**
     * Whether a node may join or leave the worker set. A dead node cannot answer: the others agree on the clock from
     * which they continue without it.
     */
    boolean mayChange(Incarnation node, boolean joins) {
        if (isEnding() || !isCurrent(node)) {
            return false;
        }
        Presence now = presence(node.node());
        return joins
                ? Presence.NEWCOMER == now
                : takesPart(node.node()) && (Presence.ACTIVE == now || Presence.LOST == now);
    }

    /**
     * Whether a leaving server may be released: no worker is leaving, and all other present servers have passed the
     * change that removes this server. A leaving worker may still need to read its last version from any server.
     */
    boolean mayBeReleased(int server) {
        return Presence.LEAVING == presence(server)
                && members.subList(job.servers(), members.size()).stream()
                        .noneMatch(worker -> Presence.LEAVING == worker.presence())
                && goneSince(server) <= passedByAllBut(server);
    }

    /**
     * Whether a node may join at a place: the place is new, or its last node has left or is lost and the other nodes
     * have agreed to continue without it. For the place of a worker, all servers must also have passed that change.
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

    Presence presence(int node) {
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

    /** Whether all nodes have joined, so that there is a state. */
    public boolean isComplete() {
        return null != job;
    }

    /** The epoch, which is the number of losses, rejoins and arrivals of nodes. */
    public int epoch() {
        return viewChanges.size();
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
     * Whether no other node still needs a leaving node.
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
}
