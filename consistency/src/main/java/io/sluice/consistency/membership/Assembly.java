package io.sluice.consistency.membership;

import io.sluice.consistency.snapshot.SnapshotFolder.Held;
import io.sluice.consistency.snapshot.SnapshotSchedule;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.DeathPolicy;
import io.sluice.messaging.Patience;
import io.sluice.tree.Place;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Assembles the nodes with which a job begins, afresh or from a snapshot (decision 8). Each candidate takes a place
 * that no other candidate has. Once no place is empty, one event completes the cluster. Used by the coordinator's
 * thread.
 */
final class Assembly {
    /** If more nodes are missing, a message states their number instead of their names. */
    private static final int MOST_NAMED = 8;

    /**
     * Maximum size of a state in a welcome, in bytes. By default the longest control frame is 128 KiB, an eighth of a
     * term; the rest is for changes that make the state longer.
     */
    private static final int MOST_BYTES = 96 << 10;

    /** Number of bytes of a place in a state, without its names. */
    private static final int FIXED_BYTES = 64;

    /** Number of bytes of a change of the worker set in a state, without names. */
    private static final int CHANGE_BYTES = 24;

    /** Time after the last request of a candidate until it is removed; longer than the interval of its requests. */
    private static final long STALE_NS = TimeUnit.MILLISECONDS.toNanos(500);

    private final Members members;
    private final ClusterSettings settings;
    private final NodeIds ids;
    private final long clusterId;
    private final SnapshotOrders snapshots;
    private final Leadership leadership;
    private final Consumer<String> report;
    private final BiConsumer<NodeProxy, String> refuse;
    private final EventSink sink;
    private final Patience patience;

    /** Nodes that get a place once all have joined. */
    private final List<NodeProxy> candidates = new ArrayList<>();

    /** All nodes in order of id, while the event that completes the cluster is under way; null before. */
    private NodeProxy[] assembled;

    private boolean unfit;

    /**
     * Waits for the first node.
     *
     * @param members    members of the cluster
     * @param clusterId  id of this run
     * @param snapshots  state where the training begins
     * @param leadership leadership of this coordinator; a single coordinator runs in server 0, which joins its own
     *     cluster
     * @param report     prints a sentence for the operator
     * @param refuse     refuses a candidate with a reason
     * @param sink       receives events
     */
    Assembly(
            Members members,
            long clusterId,
            SnapshotOrders snapshots,
            Leadership leadership,
            Consumer<String> report,
            BiConsumer<NodeProxy, String> refuse,
            EventSink sink) {
        this.members = members;
        this.settings = members.settings;
        this.ids = NodeIds.of(settings);
        this.clusterId = clusterId;
        this.snapshots = snapshots;
        this.leadership = leadership;
        this.report = report;
        this.refuse = refuse;
        this.sink = sink;
        this.patience = new Patience("the coordinator", leadership.completeNs(), report, members.clock.nanoTime());
    }

    /** Candidates that have a place, or get one once all have joined. */
    List<NodeProxy> candidates() {
        return candidates;
    }

    /** Whether the nodes that have joined cannot work together. */
    boolean isUnfit() {
        return unfit;
    }

    /** Number of places of a role before the cluster is complete. */
    int places(Role role) {
        int atFirst = Role.SERVER == role ? settings.servers() : settings.workers();
        return mayBeginWithOthers() ? ids.places(role) : atFirst;
    }

    /**
     * Removes candidates that no longer repeat their requests, and reports from time to time which nodes are missing.
     */
    void work(long nowNs) {
        if (null != assembled) {
            return;
        }
        NodeProxy.removeExpired(candidates, nowNs, members.liveness.timeoutNs());
        if (patience.isTime(nowNs) && !unfit) {
            patience.report(missing() + " to join the cluster", nowNs);
        }
    }

    /** Why a candidate cannot have a place; null if it can have one, now or later. */
    String refusalOf(NodeProxy candidate) {
        if (unfit) {
            return "the nodes of the job cannot work together";
        }
        if (null != assembled) {
            return null; // the event that completes the cluster is under way
        }
        String disagreement = disagreementOf(candidate);
        if (null != disagreement) {
            return disagreement;
        }
        List<NodeProxy> holders = holders(candidate);
        boolean live = holders.stream().allMatch(holder -> holder.askedNs - candidate.sinceNs > STALE_NS);
        return holders.isEmpty() || !live ? null : taken(candidate.role, candidate.index, places(candidate.role));
    }

    /** Whether a candidate that is not refused can have a place now. */
    boolean hasPlaceFor(NodeProxy candidate) {
        return null == assembled && !isKept(candidate) && holders(candidate).isEmpty();
    }

    /** Whether the only place left is that of server 0, which coordinates but has not joined yet. */
    private boolean isKept(NodeProxy candidate) {
        long servers =
                candidates.stream().filter(each -> Role.SERVER == each.role).count();
        boolean isOther = Role.SERVER == candidate.role && 0 != candidate.index;
        return isOther && awaitsItsServer() && servers == places(Role.SERVER) - 1;
    }

    /** Whether server 0, which coordinates, has not joined yet. */
    private boolean awaitsItsServer() {
        return !leadership.isOfSeveral()
                && candidates.stream().noneMatch(each -> Role.SERVER == each.role && 0 == each.index);
    }

    /** Assigns a place to a candidate, and completes the cluster if no other node is missing. */
    void add(NodeProxy candidate, long nowNs) {
        candidates.add(candidate);
        begin(nowNs);
    }

    /**
     * Candidates that hold the place that another requests; if its role has no place left, all candidates of the role.
     */
    private List<NodeProxy> holders(NodeProxy candidate) {
        List<NodeProxy> here =
                candidates.stream().filter(each -> each.role == candidate.role).toList();
        List<NodeProxy> same = here.stream()
                .filter(each -> each.index >= 0 && each.index == candidate.index)
                .toList();
        return !same.isEmpty() || here.size() < places(candidate.role) ? same : here;
    }

    /**
     * Why the declared terms of a worker disagree with those of the workers that have joined; null if they agree. The
     * workers that have joined agree with each other.
     */
    private String disagreementOf(NodeProxy worker) {
        NodeProxy other = candidates.stream()
                .filter(each -> Role.WORKER == worker.role && worker.isOtherWorker(each))
                .findFirst()
                .orElse(null);
        return null == other
                ? null
                : DeclaredTerms.disagreement(
                        worker.workerName(), worker.claims.declared(), other.workerName(), other.claims.declared());
    }

    /** A sentence which states that an index of a role is in use or, for index -1, that all indices are. */
    static String taken(Role role, int index, int places) {
        return index >= 0
                ? role.configName() + " " + index + " has already joined"
                : "all " + places + " " + role.configName() + "s have already joined";
    }

    /**
     * Admits the nodes, once the event that completes the cluster is decided.
     *
     * @return candidates that have no place at the start
     */
    List<NodeProxy> onCompleted() {
        candidates.removeAll(List.of(assembled));
        List<NodeProxy> others = List.copyOf(candidates);
        candidates.clear();
        members.admit(assembled);
        for (int node = 0; node < members.size(); node++) {
            members.welcome(node);
        }
        return others;
    }

    /** Completes the cluster once all nodes have joined, or refuses all of them if they cannot work together. */
    private void begin(long nowNs) {
        try {
            Beginning beginning = beginning();
            if (null != beginning && SnapshotSchedule.NONE == beginning.newest) {
                snapshots.requireNoneCommitted(candidates);
            }
            if (null != beginning && areHere(beginning.workerSets)) {
                NodeProxy[] nodes = assign(beginning.workerSets);
                int[] present = nodesOf(beginning.workerSets).toArray();
                StartPoint start = snapshots.begin(
                        Arrays.stream(present).mapToObj(node -> nodes[node]).toArray(NodeProxy[]::new),
                        Arrays.stream(present).mapToObj(ids::nameOf).toList(),
                        ids.count(),
                        beginning.newest,
                        nowNs);
                complete(nodes, start, beginning.workerSets);
            }
        } catch (IllegalArgumentException e) {
            unfit = true;
            candidates.forEach(candidate -> refuse.accept(candidate, e.getMessage()));
            candidates.clear();
        }
    }

    private void complete(NodeProxy[] nodes, StartPoint start, WorkerSetHistory workerSets) {
        List<Event.Seat> seats = Arrays.stream(nodes).map(NodeProxy::seat).toList();
        List<Place> places = IntStream.range(0, nodes.length)
                .mapToObj(node -> new Place(node, nodes[node].host, nodes[node].endpoint))
                .toList();
        new ClusterPlan(clusterId, 0, settings, places, start).requireTrees();
        requireRoom(seats, workerSets);
        boolean isOfOthers =
                nodes[0].claims.changes().stream().anyMatch(code -> WorkerSetChange.clockOf(code) <= start.clock());
        if (isOfOthers && !settings.isElastic()) {
            throw new IllegalArgumentException(
                    "the snapshot of clock " + start.clock() + " is of a job whose nodes join"
                            + " and leave: restore it with the same places for workers and servers");
        }
        if (null != snapshots.anew()) {
            report.accept(snapshots.anew());
        }
        assembled = nodes;
        int worker = workerSets.last().workers().getFirst();
        String declared = nodes[ids.of(Role.WORKER, worker)].claims.declared();
        boolean endsByDeath = DeathPolicy.WAIT == settings.onDeath() && !settings.awaitsTheDead();
        DeathPolicy onDeath = endsByDeath ? DeathPolicy.FAIL : settings.onDeath(); // the state has no places
        Event.Job job =
                new Event.Job(clusterId, snapshots.terms(settings), declared, settings.serverPlaces(), onDeath, start);
        sink.append(new Event.Completed(job, seats, workerSets));
    }

    /**
     * The nodes with which a job begins, as far as they are known.
     *
     * @param workerSets the nodes that take part; some may be missing
     * @param newest     clock of the newest snapshot that they may restore
     */
    private record Beginning(WorkerSetHistory workerSets, long newest) {}

    /**
     * The nodes with which the job begins. In an elastic job, server 0 states its snapshots. The job begins with the
     * newest one of which each node that took part holds its part; no snapshot is skipped while one of its nodes is
     * missing. Null while the choice is up to server 0 and it has not joined.
     */
    private Beginning beginning() {
        if (!mayBeginWithOthers()) {
            return new Beginning(WorkerSetHistory.of(settings.servers(), settings.workers()), Long.MAX_VALUE);
        }
        NodeProxy server = candidates.stream()
                .filter(candidate -> Role.SERVER == candidate.role && 0 == candidate.index)
                .findFirst()
                .orElse(null);
        if (null == server) {
            return null;
        }
        for (Held held : snapshots.choices(server)) {
            WorkerSetHistory workerSets = WorkerSetHistory.of(settings, server.claims.changes(), held.clock());
            boolean hold = candidates.stream()
                    .filter(each -> indicesOf(workerSets, each.role).contains(each.index))
                    .allMatch(each -> each.claims.holds(held));
            if (hold || !areHere(workerSets)) {
                return new Beginning(workerSets, held.clock());
            }
        }
        return new Beginning(WorkerSetHistory.of(settings.servers(), settings.workers()), SnapshotSchedule.NONE);
    }

    private boolean mayBeginWithOthers() {
        return settings.isElastic() && snapshots.restores();
    }

    private IntStream nodesOf(WorkerSetHistory workerSets) {
        return IntStream.range(0, ids.count())
                .filter(node -> indicesOf(workerSets, ids.role(node)).contains(ids.index(node)));
    }

    private static List<Integer> indicesOf(WorkerSetHistory workerSets, Role role) {
        return Role.SERVER == role ? workerSets.owners() : workerSets.last().workers();
    }

    private boolean areHere(WorkerSetHistory workerSets) {
        return Arrays.stream(Role.values()).allMatch(role -> 0 == missingOf(workerSets, role));
    }

    /** Number of missing nodes of a role. */
    private long missingOf(WorkerSetHistory workerSets, Role role) {
        List<Integer> indices = indicesOf(workerSets, role);
        long here = candidates.stream()
                .filter(each -> each.role == role && (each.index < 0 || indices.contains(each.index)))
                .count();
        return Math.max(0, indices.size() - here);
    }

    /** Assigns the lowest free index to each candidate without one, and returns all nodes in order of id. */
    private NodeProxy[] assign(WorkerSetHistory workerSets) {
        NodeProxy[] nodes = new NodeProxy[ids.count()];
        for (NodeProxy candidate : candidates) {
            if (indicesOf(workerSets, candidate.role).contains(candidate.index)) {
                nodes[ids.of(candidate.role, candidate.index)] = candidate;
            }
        }
        for (NodeProxy candidate : candidates) {
            if (candidate.index < 0) {
                candidate.index = indicesOf(workerSets, candidate.role).stream()
                        .filter(index -> null == nodes[ids.of(candidate.role, index)])
                        .findFirst()
                        .orElse(candidate.index);
            }
            if (indicesOf(workerSets, candidate.role).contains(candidate.index)) {
                nodes[ids.of(candidate.role, candidate.index)] = candidate;
            }
        }
        for (int node = 0; node < nodes.length; node++) {
            nodes[node] = null == nodes[node] ? NodeProxy.absent(ids.role(node), ids.index(node)) : nodes[node];
        }
        return nodes;
    }

    /** Checks that a welcome, which holds all places, fits one message of a control stream. */
    private static void requireRoom(List<Event.Seat> seats, WorkerSetHistory workerSets) {
        int bytes = CHANGE_BYTES * workerSets.changes().size()
                + seats.stream()
                        .mapToInt(seat ->
                                seat.endpoint().length() + 2 * seat.host().length() + FIXED_BYTES)
                        .sum();
        if (bytes > MOST_BYTES) {
            throw new IllegalArgumentException("the state of " + seats.size() + " places, and "
                    + workerSets.changes().size() + " changes so far, takes " + bytes
                    + " bytes, expected at most " + MOST_BYTES + ": use fewer places, or shorter names of hosts");
        }
    }

    /** Names the nodes without which the cluster is not complete. */
    String missing() {
        Beginning beginning = beginning();
        if (null == beginning) {
            return "server 0, whose snapshots state which nodes take part,";
        }
        return Arrays.stream(Role.values())
                .map(role -> missing(beginning.workerSets, role))
                .filter(words -> !words.isEmpty())
                .collect(Collectors.joining(" and "));
    }

    /** Names missing nodes of a role, or counts them while a candidate of that role has no index. */
    private String missing(WorkerSetHistory workerSets, Role role) {
        int places = indicesOf(workerSets, role).size();
        List<Integer> free = indicesOf(workerSets, role).stream()
                .filter(index -> candidates.stream().noneMatch(each -> each.role == role && each.index == index))
                .toList();
        long count = missingOf(workerSets, role);
        if (count == 0) {
            return "";
        }
        if (count == 1 && Role.SERVER == role && awaitsItsServer()) {
            return "server 0";
        }
        if (count == free.size() && count <= MOST_NAMED) {
            return NodeIds.namesOf(role.configName(), free);
        }
        return (count == places ? "all " : "any " + count + " of the ") + places + " " + role.configName() + "s";
    }
}
