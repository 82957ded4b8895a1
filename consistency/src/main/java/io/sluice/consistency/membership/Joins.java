package io.sluice.consistency.membership;

import io.sluice.codecs.Frame;
import io.sluice.consistency.snapshot.SnapshotSchedule;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.TransportKind;
import io.sluice.messaging.PhiAccrualDetector;
import io.sluice.tree.Place;
import io.sluice.tree.SiteNetwork;
import io.sluice.tree.planning.TopologyText;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Admits nodes to the cluster, makes them wait, or refuses them (decision 8). The state of the cluster alone decides.
 * Before the cluster is complete, candidates go to the {@link Assembly}. Later a candidate takes the place of a dead
 * node that the job waits for, or a free place. While the holder of a place may be dead, a candidate waits until the
 * holder is lost or proves that it is alive. One event admits the node, and a welcome answers it. Used by the
 * coordinator's thread.
 */
final class Joins {
    /** Maximum number of nodes that wait for a place: without a secret any process can ask for one. */
    private static final int MOST_WAITING = 16;

    private final Members members;
    private final ClusterSettings settings;
    private final NodeIds ids;
    private final SnapshotOrders snapshots;
    private final Consumer<String> report;
    private final BiConsumer<NodeProxy, String> refuse;
    private final EventSink sink;
    private final Assembly assembly;

    /** Time that the job waits for a dead node, in nanoseconds. */
    private final long awaitedLimitNs;

    /** Time that a candidate stays in the queue after it has ceased to ask, in nanoseconds. */
    private final long patienceNs;

    private final List<NodeProxy> waiting = new ArrayList<>();

    /** The candidate whose event is under way; null for none. */
    private NodeProxy admitting;

    private long[] awaitedSinceNs;
    private String[] awayReasons;

    /**
     * Waits for the first node.
     *
     * @param members        members of the cluster
     * @param clusterId      names this run
     * @param snapshots      state where the training begins
     * @param awaitedLimitNs time that the job waits for a dead node, in nanoseconds
     * @param leadership     a single coordinator is server 0's, which joins its own cluster
     * @param report         prints a sentence for the operator
     * @param refuse         refuses a candidate with a reason
     * @param sink           receives events
     */
    Joins(
            Members members,
            long clusterId,
            SnapshotOrders snapshots,
            long awaitedLimitNs,
            Leadership leadership,
            Consumer<String> report,
            BiConsumer<NodeProxy, String> refuse,
            EventSink sink) {
        this.members = members;
        this.settings = members.settings;
        this.ids = NodeIds.of(settings);
        this.snapshots = snapshots;
        this.report = report;
        this.refuse = refuse;
        this.sink = sink;
        this.awaitedLimitNs = awaitedLimitNs;
        long missedMs = (long) PhiAccrualDetector.CEILING * settings.livenessMs() + 2L * settings.heartbeatMs();
        this.patienceNs = TimeUnit.MILLISECONDS.toNanos(missedMs);
        this.assembly = new Assembly(members, clusterId, snapshots, leadership, report, refuse, sink);
        this.awaitedSinceNs = new long[ids.count()];
        this.awayReasons = new String[ids.count()];
    }

    // ---- queries

    /** The reason to refuse a join before any proof; null for none. */
    String refusalOf(int role, int index, int version) {
        if (Frame.SCHEMA_VERSION != version) {
            return "the node speaks protocol version " + version + ", this cluster speaks " + Frame.SCHEMA_VERSION
                    + ": run the same version of Sluice everywhere";
        }
        if (role >= Role.values().length) {
            return "the node requests role " + role + ", expected 0 (server) or 1 (worker)";
        }
        String word = Role.values()[role].configName();
        int places = places(Role.values()[role]);
        if (index < -1 || index >= places) {
            return "there is no " + word + " " + index + " in a cluster of " + places + " " + word + "s";
        }
        boolean needsName = members.state().isComplete() && settings.awaitsTheDead() && index < 0;
        return needsName ? "the cluster is complete: state the index of the " + word + " that rejoins" : null;
    }

    /** Whether one more candidate may wait. One place is kept for server 0, for which other servers may wait. */
    boolean hasRoom(int role, int index) {
        boolean isFirst = Role.SERVER.ordinal() == role && 0 == index;
        return waiting.size() < (isFirst ? MOST_WAITING + 1 : MOST_WAITING);
    }

    /**
     * Queues a candidate with a valid proof for the next cycle to decide on, or refuses it if the topology excludes its
     * host.
     */
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

    /** Candidates, which are not members yet. */
    Stream<NodeProxy> candidates() {
        return Stream.of(assembly.candidates(), waiting, null == admitting ? List.<NodeProxy>of() : List.of(admitting))
                .flatMap(List::stream);
    }

    /** Assembles the nodes with which the job begins. */
    Assembly assembly() {
        return assembly;
    }

    /** Extends all waits by a time in which this coordinator could not receive. */
    void extendDeadlines(long stalledNs) {
        waiting.forEach(candidate -> candidate.sinceNs += stalledNs);
    }

    /** Sends queued messages to candidates; returns the number of messages. */
    int flush() {
        int sent = null == admitting ? 0 : admitting.flush();
        return sent + flush(assembly.candidates()) + flush(waiting);
    }

    private static int flush(List<NodeProxy> candidates) {
        int sent = 0;
        for (int i = 0; i < candidates.size(); i++) { // no iterator, because this runs in every cycle
            sent += candidates.get(i).flush();
        }
        return sent;
    }

    // ---- decisions

    /** Decides on all candidates. The caller makes sure that no event is under way. */
    void work(long nowNs) {
        if (!members.state().isComplete()) {
            assembly.work(nowNs);
        }
        if (waiting.isEmpty()) {
            return;
        }
        NodeProxy.removeExpired(waiting, nowNs, patienceNs);
        for (NodeProxy candidate : List.copyOf(waiting)) {
            String refusal = members.state().isComplete() ? join(candidate) : assemble(candidate, nowNs);
            if (null != refusal) {
                waiting.remove(candidate);
                refuse.accept(candidate, refusal);
            }
        }
    }

    /** Passes a candidate to the assembly if that has a place for it; returns why not, or null if it waits. */
    private String assemble(NodeProxy candidate, long nowNs) {
        String refusal = assembly.refusalOf(candidate);
        if (null == refusal && assembly.hasPlaceFor(candidate)) {
            waiting.remove(candidate);
            assembly.add(candidate, nowNs);
        }
        return refusal;
    }

    /** Lets a candidate join a complete cluster; returns why not, or null if it joins or waits. */
    private String join(NodeProxy candidate) {
        ClusterState state = members.state();
        if (null != state.failure()) {
            return "the job has failed: " + state.failure().message();
        }
        if (!settings.awaitsTheDead() && state.isEnding()) {
            return "the job is ending: a worker has completed all its work";
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
            if (Presence.AWAITED == presence) {
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
                ? ids.nameOf(node) + " has completed its work and left"
                : takenFor(candidate.role, candidate.wanted);
    }

    private boolean holdsAnotherRun(NodeProxy candidate) {
        return 0 != snapshots.run() && candidate.claims.run() != 0 && candidate.claims.run() != snapshots.run();
    }

    private static boolean willBeFree(Presence presence) {
        return switch (presence) {
            case LEAVING, RELEASED, WITHDRAWN, LOST -> true;
            case VACANT, NEWCOMER, ACTIVE, LEFT, AWAITED -> false;
        };
    }

    /**
     * Whether the holder of a place may have died before a candidate asked for it. The holder proves that it is alive
     * with a heartbeat that names a later beat of the coordinator, which no frame of a dead process can name.
     */
    private boolean mayBeDead(NodeProxy candidate) {
        int node = ids.of(candidate.role, candidate.wanted);
        return (settings.awaitsTheDead() || settings.isElastic())
                && members.presence(node).isPresent()
                && members.get(node).heardBeat <= candidate.askedBeat;
    }

    private String rejoin(NodeProxy candidate, int node) {
        long committed = snapshots.committed();
        if (SnapshotSchedule.NONE != committed && !candidate.claims.restores(snapshots.run(), committed)) {
            return ids.nameOf(node) + " must continue from the snapshot of clock " + committed
                    + ", and does not hold it: give it the folder in which it has kept its snapshots";
        }
        if (isElsewhere(node, candidate)) {
            return ids.nameOf(node) + " was at host "
                    + members.state().member(node).home() + " and is now at " + candidate.host
                    + ": it can rejoin only there, since broadcasts are planned by host";
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

    /** Acts on the event that completes the cluster. Candidates without a place may join while the job runs. */
    void onCompleted() {
        waiting.addAll(assembly.onCompleted());
    }

    /** Acts on the event that admits a node. If the state has changed in between, the candidate waits again. */
    void onJoined(int node, long nonce, boolean effective) {
        NodeProxy candidate = admitting;
        if (null == candidate || candidate.nonce != nonce) {
            return; // another coordinator has proposed the event
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
                    + TimeUnit.NANOSECONDS.toMillis(members.clock.nanoTime() - awaitedSinceNs[node])
                    + " ms and continues from " + (start.isRestored() ? "clock " + start.clock() : "the beginning"));
            awayReasons[node] = null;
        }
    }

    /** Keeps the place of a dead node for it from now on. */
    void await(int node, String reason) {
        awaitedSinceNs[node] = members.clock.nanoTime();
        awayReasons[node] = reason;
    }

    /** The reason to wait no longer for a dead node; null if the cluster still waits. */
    String overdue(long nowNs) {
        for (int node = 0; node < members.size(); node++) {
            if (Presence.AWAITED == members.presence(node) && nowNs - awaitedSinceNs[node] > awaitedLimitNs) {
                return awayReasons[node] + ", and did not rejoin within the "
                        + TimeUnit.NANOSECONDS.toSeconds(awaitedLimitNs)
                        + " s that the cluster waits; it had reached clock " + members.get(node).clock;
            }
        }
        return null;
    }

    // ---- sentences and terms

    private int places(Role role) {
        return members.state().isComplete() ? ids.places(role) : assembly.places(role);
    }

    /** The refusal of a complete cluster for a node that requests an index, or any index (-1). */
    private String takenFor(Role role, int index) {
        String taken = Assembly.taken(role, index, ids.places(role));
        if (index >= 0) {
            return taken;
        }
        if (Role.SERVER == role && settings.growsTrees()) {
            return taken + ": none can join while the job runs with the tree " + settings.tree();
        }
        return taken + ": more can join while the job runs only if its terms have places for them ("
                + (Role.SERVER == role ? "serverPlaces" : "workerPlaces") + ")";
    }

    /** How a worker differs from the workers of the cluster, which agree with each other; null if it does not. */
    private String disagreementOf(NodeProxy worker) {
        if (Role.WORKER != worker.role) {
            return null;
        }
        String other = members.all()
                .filter(each -> worker.isOtherWorker(each) && members.isHere(members.nodeOf(each)))
                .findFirst()
                .map(NodeProxy::workerName)
                .orElse("the worker before it");
        return DeclaredTerms.disagreement(
                worker.workerName(),
                worker.claims.declared(),
                other,
                members.state().job().declared());
    }

    /** The reason why the topology excludes the host of a candidate; null if it does not. */
    private String misplacementOf(NodeProxy candidate) {
        if (settings.topology().isEmpty()) {
            return null;
        }
        try {
            int node = candidate.index < 0 ? assembly.candidates().size() : ids.of(candidate.role, candidate.index);
            Place place = new Place(node, candidate.host, candidate.endpoint);
            SiteNetwork.hostOf(TopologyText.parse(settings.topology()), place);
            return null;
        } catch (IllegalArgumentException e) {
            return e.getMessage();
        }
    }

    /** Whether a node rejoins from another host, and hosts matter: nodes share memory, or a topology names hosts. */
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
