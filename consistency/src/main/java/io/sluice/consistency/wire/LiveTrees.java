package io.sluice.consistency.wire;

import io.sluice.consistency.membership.ClusterPlan;
import io.sluice.consistency.membership.ClusterState;
import io.sluice.consistency.membership.ClusterState.Demotion;
import io.sluice.consistency.membership.Membership;
import io.sluice.consistency.membership.Presence;
import io.sluice.consistency.membership.WorkerSetChange;
import io.sluice.consistency.policy.Policies;
import io.sluice.consistency.terms.TableSpec;
import io.sluice.tree.BroadcastTree;
import io.sluice.tree.Hop;
import io.sluice.tree.Place;
import io.sluice.tree.RouteTable;
import io.sluice.tree.TreeDigest;
import io.sluice.tree.TreeRepair;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;

/**
 * The broadcast trees as a function of the cluster's state (decision 6). They are planned for the workers with which
 * the job began, and change, in the order of the log, with each lost worker, each change of the worker set and each
 * demotion of a relay. In an elastic job without a named tree, each server sends to each worker itself.
 *
 * <p>For one thread, whose view this follows.
 */
public final class LiveTrees {
    /** Share of its rate up to which an uplink counts as slow. */
    private static final double SLOW = 0.5;

    /** Share of the present time that a broadcast may take at most after a demotion. */
    private static final double GAIN = 0.8;

    private final Membership membership;
    private final ClusterPlan plan;
    private final Peering peering;
    private final List<TableSpec> specs;
    private final List<BroadcastTree> planned;
    private final int digest;
    private final RouteTable routes;
    private final TreeRepair repair;
    private final boolean repairs;
    private final boolean direct;
    private final boolean grows;
    private final boolean shrinks;

    /** In an elastic job, the workers to which this server sends, directly or through relays. */
    private final BitSet receivers = new BitSet();

    private List<BroadcastTree> trees;
    private List<BroadcastTree> before;

    /** The state that the trees follow. */
    private ClusterState state;

    /** The epoch that the trees have followed. */
    private int epoch;

    /** Rate of this node's uplink in the described network, in bytes per second; 0 until it is needed. */
    private double described;

    /** Number of changes of the worker set that the trees have followed. */
    private int changes;

    /** Number of demotions that the trees have followed. */
    private int demotions;

    /** Whether the last step that {@link #follow} has made was of demotions. */
    private boolean demotes;

    /** Nodes that have lost a parent to its demotion. */
    private final BitSet moved = new BitSet();

    /** Whether the trees have followed all of that state. */
    private boolean settled;

    /** Whether this node is about to leave and therefore keeps its hops. */
    private boolean goes;

    /**
     * Plans the trees.
     *
     * @param membership membership of this node
     * @param peering    peering of this node
     * @param specs      all tables
     * @param state      state that the thread has adopted
     */
    public LiveTrees(Membership membership, Peering peering, List<TableSpec> specs, ClusterState state) {
        this(membership, peering, specs, state, null);
    }

    private LiveTrees(
            Membership membership,
            Peering peering,
            List<TableSpec> specs,
            ClusterState state,
            List<BroadcastTree> known) {
        this.membership = membership;
        this.plan = membership.plan();
        this.peering = peering;
        this.specs = specs;
        this.grows = plan.settings().growsTrees();
        this.state = state;
        List<Place> first = plan.settings().isElastic() ? firstWorkers(plan, state) : plan.workers();
        this.direct = plan.settings().isElastic() && !grows;
        if (direct) {
            receiveAtFirst();
        }
        this.planned = null != known ? known : direct ? direct() : peering.broadcastTrees(specs, first);
        this.digest = direct ? 0 : TreeDigest.of(planned);
        this.trees = planned;
        this.before = planned;
        this.routes =
                SliceRoutes.of(specs, peering.placement(specs), plan.settings().serverPlaces(), planned);
        this.repair = new TreeRepair(
                plan.servers(),
                first,
                peering.sharedMemory(),
                Policies.network(plan.settings()),
                Policies.planner(plan.settings()).limits());
        boolean waits = plan.settings().awaitsTheDead();
        this.repairs = grows
                || waits
                || planned.stream().anyMatch(tree -> tree.hops().stream().anyMatch(hop -> hop.from() != tree.root()));
        this.shrinks = repairs && !waits && !grows;
        this.epoch = plan.epoch();
        if (grows) {
            begin();
        }
    }

    private void receiveAtFirst() {
        int own = plan.workerIndex(membership.node());
        if (own >= 0) {
            receivers.set(own);
        }
        setFirst();
    }

    private void setFirst() {
        boolean isNewServer = plan.workerIndex(membership.node()) < 0 && plan.isOfNewcomer();
        if (!isNewServer) { // a server sends to no worker before it owns slices
            state.workerSets().begun().workers().forEach(receivers::set);
        }
    }

    /** A node that joins while the job runs begins with the present trees: other nodes had its place before. */
    private void begin() {
        setFirst();
        changes = state.workerSets().earlier();
        List<WorkerSetChange> all = state.workerSets().changes();
        while (plan.isOfNewcomer() && changes < all.size()) {
            demote();
            apply(all.get(changes++));
        }
    }

    /** Creates equal trees for another thread of this node, which follows the state separately. */
    public LiveTrees forAnotherThread() {
        return new LiveTrees(membership, peering, specs, state, planned);
    }

    /**
     * The hosts of the workers with which the job began, whose places other workers may have now.
     *
     * @param plan  plan of any node
     * @param state any state of the cluster
     * @return in order of index
     */
    static List<Place> firstWorkers(ClusterPlan plan, ClusterState state) {
        int servers = plan.settings().serverPlaces();
        List<Place> places =
                new ArrayList<>(state.places().subList(servers, state.places().size()));
        List<WorkerSetChange> changes = state.workerSets().changes();
        for (WorkerSetChange change :
                changes.subList(state.workerSets().earlier(), changes.size()).reversed()) {
            if (!change.isOfServer()) {
                // changes are visited backwards: the last write is from the node's first change, in which it left
                places.set(change.index(), change.place());
            }
        }
        return state.workerSets().begun().workers().stream().map(places::get).toList();
    }

    /** Trees in which no worker relays; workers on a server's host share its log if nodes share memory. */
    private List<BroadcastTree> direct() {
        List<Place> places = state.places();
        long[] shardBytes = peering.shardBytes(specs);
        List<BroadcastTree> direct = new ArrayList<>();
        for (Place server : plan.servers()) {
            List<Integer> near = new ArrayList<>();
            List<Hop> hops = new ArrayList<>();
            receivers.stream()
                    .mapToObj(worker -> places.get(plan.workerNode(worker)))
                    .forEach(worker -> {
                        if (peering.sharedMemory() && worker.host().equals(server.host())) {
                            near.add(worker.node());
                        } else {
                            hops.add(new Hop(server.node(), List.of(worker.node()), false, worker.endpoint()));
                        }
                    });
            if (!near.isEmpty()) {
                hops.addFirst(new Hop(server.node(), near, true, ""));
            }
            direct.add(new BroadcastTree(server.node(), shardBytes[server.node()], hops));
        }
        return direct;
    }

    /** The trees as they are now, in the order of the servers. */
    public List<BroadcastTree> trees() {
        return trees;
    }

    /** Digest of the trees that were planned first, for nodes to compare; 0 if each server sends to each worker. */
    public int planned() {
        return digest;
    }

    /** The table by which the tree of a frame is found; a frame's tree never changes. For use by the same thread. */
    public RouteTable routes() {
        return routes;
    }

    /**
     * The routes of all frames that a worker receives: those of broadcasts and, behind them, one from each worker if
     * workers send to each other.
     */
    public RouteTable withPeers() {
        if (!plan.settings().isPeer()) {
            return routes;
        }
        List<BroadcastTree> all = new ArrayList<>(planned);
        plan.workers().forEach(worker -> all.add(new BroadcastTree(worker.node(), 1, List.of())));
        return SliceRoutes.of(specs, peering.placement(specs), plan.nodes().size(), all);
    }

    /** Whether receivers may ask for repair, because relays forward broadcasts, or nodes may rejoin. */
    public boolean repairs() {
        return repairs;
    }

    /**
     * In an elastic job, begins or ceases to send to a worker at its place in the followed state.
     *
     * @param worker index of the worker
     * @param takesPart whether to send to it
     * @return whether this changes the hops of servers: growing trees follow the state alone
     */
    public boolean sendTo(int worker, boolean takesPart) {
        if (receivers.get(worker) == takesPart) {
            return false;
        }
        receivers.set(worker, takesPart);
        if (grows) {
            return false;
        }
        trees = direct();
        return true;
    }

    /** Whether servers send to a worker, or may send to it if the worker set never changes. */
    public boolean sendsTo(int worker) {
        return !plan.settings().isElastic() || receivers.get(worker);
    }

    /**
     * Whether a hop that the trees no longer have stays open, because it leads to workers that are about to leave and
     * may still need its frames.
     *
     * @param hop hop of an earlier tree
     * @return true until they have left
     */
    public boolean keeps(Hop hop) {
        return grows && hop.to().stream().allMatch(node -> isGoing(node) && isAt(node, hop));
    }

    /** Whether a node is a worker that is about to leave: only workers then keep hops that the trees do not have. */
    private boolean isGoing(int node) {
        return plan.workerIndex(node) >= 0
                && Presence.LEAVING == state.member(node).presence();
    }

    private boolean isAt(int node, Hop hop) {
        return hop.sharedMemory()
                || hop.endpoint().equals(state.member(node).seat().endpoint());
    }

    /**
     * Follows a state by one change at most; call it until it returns false.
     *
     * @param now the state that the thread has adopted
     * @return whether hops may have changed
     */
    public boolean follow(ClusterState now) {
        if (now == state && settled) {
            return false;
        }
        state = now;
        before = trees;
        settled = !isChangedOnce();
        return true;
    }

    private boolean isChangedOnce() {
        if (goes) {
            return false;
        }
        demotes = demote();
        if (demotes) {
            return true;
        }
        List<WorkerSetChange> all = state.workerSets().changes();
        if (grows && changes < all.size()) {
            WorkerSetChange change = all.get(changes++);
            goes = !change.joins() && change.place().node() == membership.node();
            if (!goes) {
                apply(change);
            }
            return true;
        }
        while (shrinks && epoch < state.epoch()) {
            int lost = state.lostIn(++epoch);
            if (lost >= 0 && lost != membership.node()) { // a node that is itself lost is about to end
                trees = repair.without(trees, lost);
            }
            demote();
        }
        return false;
    }

    /**
     * Applies the demotions that precede the next loss and the next change of the worker set.
     *
     * @return whether there were any
     */
    private boolean demote() {
        int followed = demotions;
        List<Demotion> all = state.demotions();
        while (!direct && demotions < all.size() && isNext(all.get(demotions))) {
            int node = all.get(demotions++).node().node();
            children(trees, node).forEach(moved::set);
            trees = repair.demote(trees, node);
        }
        return demotions > followed;
    }

    private boolean isNext(Demotion demotion) {
        return (!grows || demotion.changes() <= changes) && (!shrinks || demotion.epoch() <= epoch);
    }

    /** The nodes to which a node sends over the network, once for each tree. */
    private static IntStream children(List<BroadcastTree> trees, int node) {
        return trees.stream()
                .flatMap(tree -> tree.from(node).stream())
                .filter(hop -> !hop.sharedMemory())
                .mapToInt(hop -> hop.to().getFirst());
    }

    private void apply(WorkerSetChange change) {
        if (!change.isOfServer()) {
            Place place = change.place();
            moved.clear(place.node());
            trees = change.joins() ? repair.with(trees, place) : repair.without(trees, place.node());
        }
    }

    /**
     * Whether this worker should request to be demoted, because its uplink carries at most half of its rate, and other
     * nodes would forward in much less time. If the network is described, the rate of the uplink is known; otherwise
     * the best measured rate stands for it.
     *
     * <p>A child that is slow itself looks like a slow uplink to a relay without other children. Therefore some child
     * must be one that no demotion has moved: a slow child costs one relay its place, and not all.
     *
     * @param rate rate at which the uplink forwards while links to all children have frames, in bytes per second
     * @param best the highest rate that any of its links has had, in bytes per second
     * @return whether a demotion would take at least a fifth off the time of a broadcast
     */
    public boolean shouldForwardLess(double rate, double best) {
        if (direct) {
            return false;
        }
        int node = membership.node();
        if (0 == described && !plan.settings().topology().isEmpty()) {
            described = repair.uplink(trees, node);
        }
        double full = 0 == described ? best : described;
        return shouldForwardLess(repair, trees, node, moved, rate / full);
    }

    /** The decision by the share of an uplink's rate at which it forwards. */
    static boolean shouldForwardLess(
            TreeRepair repair, List<BroadcastTree> trees, int node, BitSet moved, double share) {
        return share <= SLOW
                && !children(trees, node).allMatch(moved::get)
                && repair.timeIfDemoted(trees, node, share) <= GAIN;
    }

    /**
     * The trees in which this node's trainer may miss frames since the last {@link #follow}, because another node sends
     * them.
     *
     * @param changed receives the number of each tree
     */
    public void changed(IntConsumer changed) {
        int node = membership.node();
        for (int tree = 0; tree < before.size(); tree++) {
            BroadcastTree old = before.get(tree);
            if (old.reaches(node)
                    && isCutOff(old.delivery(node), trees.get(tree).delivery(node))) {
                changed.accept(tree);
            }
        }
    }

    /** Whether this node's relay may miss frames of a tree since the last {@link #follow}, as its trainer may. */
    public boolean isRelayCutOff(int tree) {
        int node = membership.node();
        return isCutOff(before.get(tree).parent(node), trees.get(tree).parent(node));
    }

    private boolean isCutOff(Hop old, Hop now) {
        return isCutOff(old.from(), now.from());
    }

    /**
     * Whether a change of parent may lose frames. A worker that is about to leave forwards until it has left, and by
     * then its successor forwards; but a relay that was demoted before forwards no more.
     */
    private boolean isCutOff(int old, int now) {
        return old != now && (demotes || !isGoing(old));
    }
}
