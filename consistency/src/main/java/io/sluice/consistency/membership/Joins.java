package io.sluice.consistency.membership;

import io.sluice.codecs.Frame;
import io.sluice.consistency.membership.ClusterState.Presence;
import io.sluice.consistency.snapshot.SnapshotFolder;
import io.sluice.consistency.snapshot.SnapshotFolder.Held;
import io.sluice.consistency.snapshot.SnapshotSchedule;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.DeathPolicy;
import io.sluice.consistency.terms.NodeIds;
import io.sluice.consistency.terms.Role;
import io.sluice.consistency.terms.TransportKind;
import io.sluice.messaging.Patience;
import io.sluice.messaging.PhiAccrualDetector;
import io.sluice.tree.Place;
import io.sluice.tree.SiteNetwork;
import io.sluice.tree.topology.TopologyText;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Decides on each node that asks to join (decision 8): it is admitted, waits, or is refused, by the state of the
 * cluster alone. While the cluster assembles it takes a place that no other candidate has; later the place of a dead
 * node that is awaited, or a free one. A place whose holder may be dead is worth waiting for, until the holder is
 * missed or shows that it lives. One event admits the node, and a welcome answers it. Used by the coordinator's thread.
 */
final class Joins {
    /** Of nodes that wait for a place: any process can ask where there is no secret. */
    private static final int MOST_WAITING = 16;

    /** Where more are missing, it is said how many, not which. */
    private static final int MOST_NAMED = 8;

    /** Of a state in a welcome: an eighth of a control stream's log, with room for changes of the worker set. */
    private static final int MOST_BYTES = 96 << 10;

    /** Of a place in a state, besides its names. */
    private static final int FIXED_BYTES = 64;

    /** Of a change of the worker set in a state, without names. */
    private static final int CHANGE_BYTES = 24;

    /** Longer than a candidate waits before it asks again: what comes later was not sent by a dead one. */
    private static final long STALE_NS = TimeUnit.MILLISECONDS.toNanos(500);

    private final Members members;
    private final ClusterSettings settings;
    private final NodeIds ids;
    private final long clusterId;
    private final SnapshotOrders snapshots;
    private final Consumer<String> report;
    private final BiConsumer<NodeProxy, String> refuse;
    private final EventSink sink;
    private final Patience assembly;

    /** For which a dead node is awaited. */
    private final long awayLimitNs;

    /** For which a node that has ceased to ask keeps waiting. */
    private final long patienceNs;

    /** Nodes that have a place once all have joined. */
    private final List<NodeProxy> assembling = new ArrayList<>();

    private final List<NodeProxy> waiting = new ArrayList<>();

    /** All nodes, in order of id, once all have joined; before the event that says so. */
    private NodeProxy[] assembled;

    /** Whose event is under way; null for none. */
    private NodeProxy admitting;

    private boolean unfit;
    private long[] awaySinceNs;
    private String[] awayReasons;

    /**
     * Waits for the first node.
     *
     * @param members     of the cluster
     * @param clusterId   names this run
     * @param snapshots   say where the training begins
     * @param awayLimitNs for which a dead node is awaited, in nanoseconds
     * @param report      hears what people should know
     * @param refuse      tells a candidate why it may not join
     * @param sink        takes events
     */
    Joins(
            Members members,
            long clusterId,
            SnapshotOrders snapshots,
            long awayLimitNs,
            Consumer<String> report,
            BiConsumer<NodeProxy, String> refuse,
            EventSink sink) {
        this.members = members;
        this.settings = members.settings;
        this.ids = settings.nodeIds();
        this.clusterId = clusterId;
        this.snapshots = snapshots;
        this.report = report;
        this.refuse = refuse;
        this.sink = sink;
        this.awayLimitNs = awayLimitNs;
        long missedMs = (long) PhiAccrualDetector.CEILING * settings.livenessMs() + 2L * settings.heartbeatMs();
        this.patienceNs = TimeUnit.MILLISECONDS.toNanos(missedMs);
        this.assembly =
                new Patience("the cluster is not complete: it", Patience.UNLIMITED, report, members.clock.nanoTime());
        this.awaySinceNs = new long[ids.count()];
        this.awayReasons = new String[ids.count()];
    }

    // ---- questions

    /** Why a question is refused whatever its sender proves; null if it may be answered otherwise. */
    String refusalOf(int role, int index, int version) {
        if (Frame.SCHEMA_VERSION != version) {
            return "the node speaks protocol version " + version + ", this cluster speaks " + Frame.SCHEMA_VERSION
                    + ": run the same version of Sluice everywhere";
        }
        if (role >= Role.values().length) {
            return "the node asks for role " + role + ", expected 0 (server) or 1 (worker)";
        }
        String word = Role.values()[role].configName();
        int places = places(Role.values()[role]);
        if (index < -1 || index >= places) {
            return "there is no " + word + " " + index + " in a cluster of " + places + " " + word + "s";
        }
        boolean needsName = members.state().isComplete() && settings.awaitsTheDead() && index < 0;
        return needsName ? "the cluster is complete: say which " + word + " comes back" : null;
    }

    /** Whether one more may wait. */
    boolean hasRoom() {
        return waiting.size() < MOST_WAITING;
    }

    /** Takes a node that has proved all it had to; the next cycle decides. */
    void ask(NodeProxy candidate, long nowNs) {
        candidate.askedNs = nowNs;
        candidate.sinceNs = nowNs;
        candidate.askedBeat = members.beat();
        String misplacement = misplacementOf(candidate);
        if (null == misplacement) {
            waiting.add(candidate);
        } else {
            refuse.accept(candidate, misplacement);
        }
    }

    /** The node that asks with a nonce, or has joined with it; null for none. */
    NodeProxy asking(long nonce) {
        return all().filter(candidate -> candidate.nonce == nonce).findFirst().orElse(null);
    }

    private Stream<NodeProxy> all() {
        return Stream.concat(candidates(), members.all());
    }

    /** Those that are no members yet. */
    Stream<NodeProxy> candidates() {
        return Stream.of(assembling, waiting, null == admitting ? List.<NodeProxy>of() : List.of(admitting))
                .flatMap(List::stream);
    }

    List<NodeProxy> assembling() {
        return assembling;
    }

    /** A time in which nothing could be heard proves nothing. */
    void forgive(long stalledNs) {
        waiting.forEach(candidate -> candidate.sinceNs += stalledNs);
    }

    /** Sends what candidates still have to be told; returns the number of messages. */
    int flush() {
        int sent = null == admitting ? 0 : admitting.flush();
        for (int i = 0; i < assembling.size(); i++) { // no iterator: called in every cycle
            sent += assembling.get(i).flush();
        }
        for (int i = 0; i < waiting.size(); i++) {
            sent += waiting.get(i).flush();
        }
        return sent;
    }

    // ---- decisions

    /** Decides on all that ask; nothing else is being decided. */
    void work(long nowNs) {
        if (null == assembled && !members.state().isComplete()) {
            forget(assembling, nowNs, members.liveness.timeoutNs());
            if (assembly.isTime(nowNs) && !unfit) {
                assembly.tell(missing() + " to join", nowNs);
            }
        }
        if (waiting.isEmpty()) {
            return;
        }
        forget(waiting, nowNs, patienceNs);
        for (NodeProxy candidate : List.copyOf(waiting)) {
            String refusal = members.state().isComplete() ? join(candidate, nowNs) : assemble(candidate, nowNs);
            if (null != refusal) {
                waiting.remove(candidate);
                refuse.accept(candidate, refusal);
            }
        }
    }

    private static void forget(List<NodeProxy> asking, long nowNs, long patienceNs) {
        for (int i = asking.size() - 1; i >= 0; i--) {
            if (nowNs - asking.get(i).askedNs > patienceNs) {
                asking.remove(i).close();
            }
        }
    }

    /** Gives a candidate a place before all have joined, or lets it wait (null), or says why not. */
    private String assemble(NodeProxy candidate, long nowNs) {
        if (unfit) {
            return "the nodes of the job cannot work together";
        }
        if (null != assembled) {
            return null; // it is being decided which nodes the cluster begins with
        }
        String disagreement = disagreementOf(candidate);
        if (null != disagreement) {
            return disagreement;
        }
        List<NodeProxy> holders = holders(candidate);
        if (!holders.isEmpty()) {
            boolean live = holders.stream().allMatch(holder -> holder.askedNs - candidate.sinceNs > STALE_NS);
            return live ? takenFor(candidate.role, candidate.index) : null;
        }
        waiting.remove(candidate);
        assembling.add(candidate);
        begin(nowNs);
        return null;
    }

    /** Candidates that have the place that another asks for; all of a role if it has no place left. */
    private List<NodeProxy> holders(NodeProxy candidate) {
        List<NodeProxy> here =
                assembling.stream().filter(each -> each.role == candidate.role).toList();
        List<NodeProxy> same = here.stream()
                .filter(each -> each.index >= 0 && each.index == candidate.index)
                .toList();
        return !same.isEmpty() || here.size() < places(candidate.role) ? same : here;
    }

    /** Lets a candidate join a complete cluster, or lets it wait (null), or says why not. */
    private String join(NodeProxy candidate, long nowNs) {
        ClusterState state = members.state();
        if (null != state.failure()) {
            return "the job has failed: " + state.failure().message();
        }
        if (!settings.awaitsTheDead() && state.isEnding()) {
            return "the job is ending: a worker has done all its work";
        }
        String disagreement = disagreementOf(candidate);
        if (null != disagreement) {
            return disagreement;
        }
        boolean willBeFree = false;
        int first = Math.max(0, candidate.wanted);
        int last = candidate.wanted < 0 ? ids.places(candidate.role) - 1 : candidate.wanted;
        for (int index = first; index <= last; index++) {
            int node = ids.of(candidate.role, index);
            Presence presence = state.member(node).presence();
            if (Presence.AWAY == presence) {
                return rejoin(candidate, node);
            }
            if (settings.isElastic() && state.isFree(node)) {
                return holdsAnotherRun(candidate)
                        ? ids.nameOf(node) + " holds snapshots of another run: name an empty folder"
                        : admit(candidate, index, new Event.Arrived(node, candidate.seat()));
            }
            willBeFree |= settings.isElastic() && willBeFree(presence);
        }
        if (willBeFree || candidate.wanted >= 0 && mayBeDead(candidate)) {
            return null;
        }
        int node = ids.of(candidate.role, first);
        return settings.awaitsTheDead() && state.member(node).presence().hasLeft()
                ? ids.nameOf(node) + " has done its work and left"
                : takenFor(candidate.role, candidate.wanted);
    }

    private boolean holdsAnotherRun(NodeProxy candidate) {
        return 0 != snapshots.run() && candidate.claims.run() != 0 && candidate.claims.run() != snapshots.run();
    }

    private static boolean willBeFree(Presence presence) {
        return switch (presence) {
            case GOING, RELEASED, GONE, LOST -> true;
            case VACANT, NEWCOMER, HERE, LEFT, AWAY -> false;
        };
    }

    /**
     * Whether the holder of a place may have died before another asked for it, which may then have it. The holder shows
     * that it lives by a heartbeat that names a later one of the coordinator: no frame of a dead process can.
     */
    private boolean mayBeDead(NodeProxy candidate) {
        int node = ids.of(candidate.role, candidate.wanted);
        return (settings.awaitsTheDead() || settings.isElastic())
                && members.presence(node).isPresent()
                && members.get(node).heardBeat <= candidate.askedBeat;
    }

    private String rejoin(NodeProxy candidate, int node) {
        long committed = snapshots.committed();
        SnapshotFolder.Held needed = new SnapshotFolder.Held(snapshots.run(), committed);
        if (SnapshotSchedule.NONE != committed && !candidate.claims.held().contains(needed)) {
            return ids.nameOf(node) + " has to go on from the snapshot of clock " + committed
                    + ", and does not hold it: give it the folder in which it has kept its snapshots";
        }
        if (isElsewhere(node, candidate)) {
            return ids.nameOf(node) + " was at host "
                    + members.state().member(node).home() + " and is now at " + candidate.host
                    + ": it can come back only where it was, for broadcasts go by hosts";
        }
        StartPoint start = new StartPoint(snapshots.run(), committed, snapshots.previous());
        Event back = new Event.Rejoined(members.state().incarnation(node), candidate.seat(), start);
        return admit(candidate, ids.index(node), back);
    }

    private String admit(NodeProxy candidate, int index, Event event) {
        if (null == admitting) {
            waiting.remove(candidate);
            candidate.index = index;
            admitting = candidate;
            sink.append(event);
        }
        return null;
    }

    // ---- events

    /** All have joined, as is decided now. */
    void onCompleted() {
        assembling.removeAll(List.of(assembled));
        waiting.addAll(assembling); // they may have a place while the job runs
        assembling.clear();
        members.admit(assembled);
        for (int node = 0; node < members.size(); node++) {
            members.welcome(node);
        }
    }

    /** A node has joined, or could not, since the state has changed meanwhile; then it is decided on anew. */
    void onJoined(int node, long nonce, boolean effective) {
        NodeProxy candidate = admitting;
        if (null == candidate || candidate.nonce != nonce) {
            return; // decided by another coordinator than this
        }
        admitting = null;
        if (!effective) {
            candidate.index = candidate.wanted;
            waiting.add(candidate);
            return;
        }
        members.replace(node, candidate);
        members.welcome(node);
        if (null != awayReasons[node]) {
            StartPoint start = members.state().member(node).start();
            report.accept(ids.nameOf(node) + " is back after "
                    + TimeUnit.NANOSECONDS.toMillis(members.clock.nanoTime() - awaySinceNs[node])
                    + " ms and goes on from " + (start.isRestored() ? "clock " + start.clock() : "the beginning"));
            awayReasons[node] = null;
        }
    }

    /** The place of a dead node is kept for it from now on. */
    void await(int node, String reason) {
        awaySinceNs[node] = members.clock.nanoTime();
        awayReasons[node] = reason;
    }

    /** Why the cluster cannot wait any longer for a node that is dead; null if it can. */
    String overdue(long nowNs) {
        for (int node = 0; node < members.size(); node++) {
            if (Presence.AWAY == members.presence(node) && nowNs - awaySinceNs[node] > awayLimitNs) {
                return awayReasons[node] + ", and did not come back within the "
                        + TimeUnit.NANOSECONDS.toSeconds(awayLimitNs)
                        + " s for which it is awaited; it had reached clock " + members.get(node).clock;
            }
        }
        return null;
    }

    // ---- all have joined

    /** Begins once all have joined: they hear where they begin, or why they cannot work together. */
    private void begin(long nowNs) {
        try {
            Beginning beginning = beginning();
            if (null != beginning && SnapshotSchedule.NONE == beginning.newest) {
                snapshots.requireNoneCommitted(assembling);
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
            assembling.forEach(candidate -> refuse.accept(candidate, e.getMessage()));
            assembling.clear();
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
        DeathPolicy onDeath = endsByDeath ? DeathPolicy.FAIL : settings.onDeath(); // the log knows of no places
        Event.Job job =
                new Event.Job(clusterId, snapshots.terms(settings), declared, settings.serverPlaces(), onDeath, start);
        sink.append(new Event.Completed(job, seats, workerSets));
    }

    /**
     * The nodes with which a job begins, as far as they are known.
     *
     * @param workerSets  the nodes that take part, of which some may have yet to join
     * @param newest clock of the newest snapshot that they may restore
     */
    private record Beginning(WorkerSetHistory workerSets, long newest) {}

    /**
     * The nodes with which the job begins. Where nodes join and leave, server 0 states its snapshots. The job begins
     * with the newest of which no node that took part lacks its part; a node that has yet to join may hold it. Null
     * before server 0 has joined, where its snapshots decide.
     */
    private Beginning beginning() {
        if (!mayBeginWithOthers()) {
            return new Beginning(WorkerSetHistory.of(settings.servers(), settings.workers()), Long.MAX_VALUE);
        }
        NodeProxy server = assembling.stream()
                .filter(candidate -> Role.SERVER == candidate.role && 0 == candidate.index)
                .findFirst()
                .orElse(null);
        if (null == server) {
            return null;
        }
        for (Held held : snapshots.choices(server)) {
            WorkerSetHistory workerSets = WorkerSetHistory.of(settings, server.claims.changes(), held.clock());
            boolean hold = assembling.stream()
                    .filter(each -> indicesOf(workerSets, each.role).contains(each.index))
                    .allMatch(each -> each.claims.held().contains(held));
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

    /** How many nodes of a role have yet to join. */
    private long missingOf(WorkerSetHistory workerSets, Role role) {
        List<Integer> indices = indicesOf(workerSets, role);
        long here = assembling.stream()
                .filter(each -> each.role == role && (each.index < 0 || indices.contains(each.index)))
                .count();
        return Math.max(0, indices.size() - here);
    }

    /** Whether all have joined, and cannot work together. */
    boolean areUnfit() {
        return unfit;
    }

    /** Gives every candidate that named no index the lowest one free, and returns all in order of node id. */
    private NodeProxy[] assign(WorkerSetHistory workerSets) {
        NodeProxy[] nodes = new NodeProxy[ids.count()];
        for (NodeProxy candidate : assembling) {
            if (indicesOf(workerSets, candidate.role).contains(candidate.index)) {
                nodes[ids.of(candidate.role, candidate.index)] = candidate;
            }
        }
        for (NodeProxy candidate : assembling) {
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

    /** A welcome holds all places, and is one message of a control stream. */
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

    // ---- sentences and terms

    private int places(Role role) {
        int atFirst = Role.SERVER == role ? settings.servers() : settings.workers();
        return members.state().isComplete() || mayBeginWithOthers() ? ids.places(role) : atFirst;
    }

    /** Which nodes have yet to join before the cluster is complete, in words. */
    String missing() {
        Beginning beginning = beginning();
        if (null == beginning) {
            return "server 0, whose snapshots say which nodes take part,";
        }
        return Arrays.stream(Role.values())
                .map(role -> missing(beginning.workerSets, role))
                .filter(words -> !words.isEmpty())
                .collect(Collectors.joining(" and "));
    }

    /** By name; but some that are here may have no index yet, and then it is open which of the others lack. */
    private String missing(WorkerSetHistory workerSets, Role role) {
        int places = indicesOf(workerSets, role).size();
        List<String> free = indicesOf(workerSets, role).stream()
                .filter(index -> assembling.stream().noneMatch(each -> each.role == role && each.index == index))
                .map(String::valueOf)
                .toList();
        long count = missingOf(workerSets, role);
        if (count == 0) {
            return "";
        }
        if (count == free.size() && count <= MOST_NAMED) {
            return role.configName() + (count == 1 ? " " : "s ") + String.join(", ", free);
        }
        return (count == places ? "all " : "any " + count + " of the ") + places + " " + role.configName() + "s";
    }

    /** That there is no place for a node that asks for this index, or for any, which is -1. */
    private String takenFor(Role role, int index) {
        if (index >= 0) {
            return role.configName() + " " + index + " has joined already";
        }
        String all = "all " + places(role) + " " + role.configName() + "s have joined already";
        if (!members.state().isComplete()) {
            return all;
        }
        if (Role.SERVER == role && settings.growsTrees()) {
            return all + ": none can come while the job runs where broadcasts go by --tree " + settings.tree();
        }
        return all + ": more can come while the job runs only where its terms have places for them ("
                + (Role.SERVER == role ? "--max-servers" : "--max-workers") + ")";
    }

    /** Why a worker does not fit those that are here, or null if it does: those agree with each other. */
    private String disagreementOf(NodeProxy worker) {
        if (Role.WORKER != worker.role) {
            return null;
        }
        boolean complete = members.state().isComplete();
        NodeProxy other = (complete ? members.all() : assembling.stream())
                .filter(each -> Role.WORKER == each.role && (each.index < 0 || each.index != worker.index))
                .filter(each -> !complete || members.isHere(members.nodeOf(each)))
                .findFirst()
                .orElse(null);
        if (null == other && !complete) {
            return null;
        }
        String agreed = complete ? members.state().job().declared() : other.claims.declared();
        String whose = null == other ? "the worker before it" : nameOf(other);
        return DeclaredTerms.disagreement(nameOf(worker), worker.claims.declared(), whose, agreed);
    }

    private static String nameOf(NodeProxy worker) {
        return worker.index < 0 ? "the worker at " + worker.endpoint : "worker " + worker.index;
    }

    /** Why a node cannot be where it is, or null if it can: all have to be at hosts of the network. */
    private String misplacementOf(NodeProxy candidate) {
        if (settings.topology().isEmpty()) {
            return null;
        }
        try {
            int node = candidate.index < 0 ? assembling.size() : ids.of(candidate.role, candidate.index);
            Place place = new Place(node, candidate.host, candidate.endpoint);
            SiteNetwork.hostOf(TopologyText.parse(settings.topology()), place);
            return null;
        } catch (IllegalArgumentException e) {
            return e.getMessage();
        }
    }

    /** Where no node shares memory with another, and no network is described, one host is as good as another. */
    private boolean isElsewhere(int node, NodeProxy candidate) {
        String before = members.state().member(node).home();
        boolean hostsMatter = TransportKind.IPC == settings.transport()
                || !settings.topology().isEmpty();
        return hostsMatter
                && !before.equals(candidate.host)
                && (isShared(before, node) || isShared(candidate.host, node));
    }

    private boolean isShared(String host, int node) {
        return members.state().places().stream()
                .anyMatch(place -> place.node() != node && place.host().equals(host));
    }

    void close() {
        candidates().forEach(NodeProxy::close);
    }
}
