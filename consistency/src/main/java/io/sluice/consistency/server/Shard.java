package io.sluice.consistency.server;

import io.sluice.codecs.Rejection;
import io.sluice.consistency.membership.Attendance;
import io.sluice.consistency.membership.ClusterPlan;
import io.sluice.consistency.membership.Incarnation;
import io.sluice.consistency.membership.Loss;
import io.sluice.consistency.membership.Membership;
import io.sluice.consistency.placement.Placement;
import io.sluice.consistency.placement.TableSpec;
import io.sluice.consistency.snapshot.NodeSnapshots;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.Failure;
import io.sluice.consistency.terms.Protocol;
import io.sluice.consistency.wire.FrameWriter;
import io.sluice.consistency.wire.Gaps;
import io.sluice.consistency.wire.Peering;
import io.sluice.consistency.wire.StateReceiver;
import io.sluice.consistency.wire.StateSender;
import io.sluice.filter.SliceFilter;
import io.sluice.filter.feedback.NetworkFeedback;
import io.sluice.filter.feedback.SettableFeedback;
import io.sluice.filter.kernel.Kernels;
import io.sluice.messaging.counters.CounterType;
import io.sluice.messaging.outbox.NodeBudget;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.agrona.concurrent.NanoClock;

/** Everything that one server owns: its part of each table, and the links on which that goes out. */
final class Shard {
    private final Membership membership;
    private final ClusterPlan plan;
    private final int server;
    private final Peering peering;
    private final PushSources sources;
    private final Kernels kernels;
    private final NetworkFeedback feedback;
    private final SettableFeedback measured;
    private final NanoClock clock;
    private final NodeBudget budget;
    private final long reorderBytes;
    private final ServerContext context;
    private final Consumer<Rejection> reject;

    /** Null where no snapshots are taken. */
    private final NodeSnapshots saving;

    private final FrameWriter writer;
    private final ShardStats stats;
    private EarlyBroadcasts early;
    private TableShard[] tables = new TableShard[0];
    private TableShard[] owned = new TableShard[0];
    private Outgoing outgoing = Outgoing.NONE;
    private Gaps missing = Gaps.NONE;
    private long reached = -1;
    private int leavers;
    private int epoch;
    private final boolean[] excused;

    /** By worker, the epoch of its last loss that is dealt with. */
    private final int[] lossEpochs;

    private final IntPredicate isHere;
    private final List<Loss> losses = new ArrayList<>();
    private RoundTimer timer;
    private ShardSnapshots snapshots;

    /** These are null where nobody can come or go while the job runs. */
    private ShardCrew crew;

    private SliceMoves moves;
    private StateSender sender;
    private StateReceiver receiver;

    Shard(
            Membership membership,
            Peering peering,
            ServerContext context,
            PushSources sources,
            NodeSnapshots saving,
            Consumer<Rejection> reject) {
        this.reject = reject;
        this.sources = sources;
        this.membership = membership;
        this.plan = membership.plan();
        this.server = membership.node();
        this.epoch = plan.epoch();
        this.excused = new boolean[plan.settings().workerPlaces()];
        this.lossEpochs = new int[excused.length];
        Arrays.fill(lossEpochs, -1);
        this.isHere = worker -> !isGone(plan.workerNode(worker)) && outgoing.sendsTo(worker);
        this.peering = peering;
        this.kernels = context.kernels();
        this.measured = context.measuredFeedback(plan.settings());
        this.feedback = null == measured ? context.feedback() : measured;
        this.clock = context.clock();
        this.budget =
                new NodeBudget(plan.settings().linkBudget(), plan.settings().nodeBudget(), clock);
        this.reorderBytes = context.reorderBytes();
        this.saving = saving;
        this.context = context;
        this.writer = new FrameWriter(
                plan, server, membership.counters(), membership.sealing().newSeal());
        this.stats = new ShardStats(plan.settings().workers(), membership.counters());
    }

    boolean isBuilt() {
        return tables.length > 0;
    }

    /** Digest of the broadcast trees as this server has planned them, once it is built. */
    int plannedTrees() {
        return outgoing.plannedTrees();
    }

    /** This server's part of a table, or null if it owns none of it or the table is not known. */
    TableShard table(int id) {
        return id < tables.length ? tables[id] : null;
    }

    /** Allocates the sums of all slices owned here and opens the links out. */
    void build(List<TableSpec> specs) {
        ClusterSettings settings = plan.settings();
        Placement placement = settings.placement().strategy().place(specs, settings.servers());
        int frames = 0;
        int most = 0;
        long elements = 0;
        for (TableSpec spec : specs) {
            int[] slices = ownedAtFirst(placement, spec);
            frames += slices.length + 1; // and the table's mark
            elements += TableShards.elements(spec, slices);
            most += 2 * (spec.slices() + 1); // of those that are here, and may still go out when they are not
        }
        outgoing = Protocol.PUSH_PULL == settings.protocol()
                ? Outgoing.replies(plan, peering, budget, frames, specs.size())
                : openBroadcast(settings.isElastic() ? most : frames, specs);
        timer = null == measured ? null : RoundTimer.of(settings, outgoing.broadcasting(), measured);
        int sliceCount = frames - specs.size();
        if (settings.isManaged()) {
            SliceFilter mechanism = new SliceFilter(kernels, settings.values(), settings.sliceElements());
            early = new EarlyBroadcasts(outgoing.broadcasting(), mechanism, sliceCount);
        }
        TableShards shards = new TableShards(
                plan, kernels, feedback, writer, stats, outgoing, early, reorderBytes, sliceCount, elements);
        tables = new TableShard[specs.size()];
        for (TableSpec spec : specs) {
            tables[spec.id()] = shards.build(spec, ownedAtFirst(placement, spec));
        }
        serveTables();
        missing = newGaps();
        if (null != saving) {
            takeSnapshots(specs);
        }
        if (settings.isElastic()) {
            followCrews(specs, shards);
        }
        for (int worker = 0; worker < excused.length; worker++) {
            if (excused[worker]) {
                goOnWithout(worker);
            }
        }
        giveUpLinks();
    }

    private Gaps newGaps() {
        ClusterSettings settings = plan.settings();
        FrameWriter own =
                new FrameWriter(plan, server, null, membership.sealing().newSeal());
        return Gaps.inPushes(
                new AwaitedPushes(membership, peering, tables, worker -> isGone(plan.workerNode(worker))),
                new Gaps.Requests(
                        own, peering::pushRequestLinkTo, membership.counters().tally(CounterType.NODE_PUSHES_ASKED)),
                settings.workerPlaces(),
                plan.workerNode(0),
                tables.length,
                TimeUnit.MILLISECONDS.toNanos(settings.livenessMs()),
                clock.nanoTime());
    }

    /** What is missing of pushes, and asked for. */
    Gaps missing() {
        return missing;
    }

    /** Who has come while the job runs owns nothing before it is agreed from which round on. */
    private int[] ownedAtFirst(Placement placement, TableSpec spec) {
        return plan.isOfNewcomer() ? new int[0] : placement.slicesOf(spec.id(), server);
    }

    private void takeSnapshots(List<TableSpec> specs) {
        snapshots = new ShardSnapshots(saving, specs, owned, clock);
        if (plan.start().isRestored()) {
            snapshots.restore(plan.start().clock());
        }
    }

    private void followCrews(List<TableSpec> specs, TableShards shards) {
        FrameWriter own =
                new FrameWriter(plan, server, null, membership.sealing().newSeal());
        int nodes = plan.nodes().size();
        sender = new StateSender(peering, budget, own, plan.settings().sliceElements(), clock, nodes);
        moves = new SliceMoves(membership, specs, shards, tables, sender, worker -> excused[worker], this::serveTables);
        receiver = new StateReceiver(membership, specs, 2, kernels, moves, reject);
        crew = new ShardCrew(membership, outgoing.broadcasting(), sender, moves, stats, tables);
        serveTables();
    }

    /** Where servers come and go, a table may have slices here that had none, or none any more. */
    private void serveTables() {
        owned = Arrays.stream(tables)
                .filter(table -> null != table && !table.isAtRest())
                .toArray(TableShard[]::new);
        if (null != crew) {
            crew.serve(owned);
        }
    }

    /** How slices come and go; null where servers do not. */
    SliceMoves moves() {
        return moves;
    }

    /** Takes in what other servers hand over; null where they do not. */
    StateReceiver receiver() {
        return receiver;
    }

    /** A worker asks for parameters; false if it is not served. */
    boolean pull(int worker, TableShard table, long version) {
        return null == crew ? table.outflow().onPull(worker, version) : crew.pull(worker, table, version);
    }

    /** Whether a worker asks for parameters before it is known here that it takes part in the next round. */
    boolean isEarlyPull(int worker, long version) {
        return null != crew && !membership.crews().history().has(worker, version + 1);
    }

    /** Another process has a worker's place now. */
    private void onArrival(int worker) {
        missing.forget(worker);
        if (membership.attendance().changes()) {
            outgoing.follow(worker);
            return;
        }
        excused[worker] = false;
        if (null != crew) {
            crew.forgetLivesBefore(worker);
        }
    }

    /** Another process has a server's place now. */
    private void onServerArrival(int other) {
        if (null != moves) {
            sender.forgetBefore(new Incarnation(other, membership.attendance().life(other)));
            receiver.forget(other);
        }
    }

    private Outgoing openBroadcast(int frames, List<TableSpec> specs) {
        return Outgoing.broadcast(new Broadcasting(
                membership,
                peering,
                specs,
                frames,
                budget,
                context,
                new ShardReleases(membership, table -> tables[table].versionAtAll(isHere))));
    }

    /** Has a worker that has come while the job runs end, and takes nothing of it: it cannot take part. */
    void turnAway(int worker, int ofEpoch, String reason) {
        excused[worker] = true;
        Attendance.Seat seat = membership.attendance().seat(plan.workerNode(worker));
        if (seat.epoch() == ofEpoch) { // else another is in its place already
            membership.crews().turnAway(plan.workerNode(worker), seat.joinNonce(), reason);
        }
    }

    /** Expects a worker's pushes from a round on, of all tables. */
    void restart(int worker, long round) {
        missing.forget(worker);
        for (TableShard table : owned) {
            table.restart(worker, round);
        }
    }

    /** Sends a worker again what it misses; false if nothing is kept for that. */
    boolean resend(int worker, boolean relay, int table, int way, long version, int sequence) {
        return outgoing.resend(worker, relay, table, way, version, sequence);
    }

    /** One duty cycle: finalise what had to wait, send what is due. */
    int work(long nowNs) {
        int work = null == snapshots ? 0 : snapshots.work();
        follow();
        for (TableShard table : owned) {
            work += table.work();
        }
        if (null != early) {
            work += early.work();
        }
        if (leavers != membership.leavers()) {
            leavers = membership.leavers();
            giveUpLinks();
        }
        work += outgoing.flush(nowNs) + (null == crew ? 0 : crew.work(nowNs)) + missing.work(nowNs);
        if (null != timer) {
            timer.onCycle(nowNs, version());
        }
        return work;
    }

    /**
     * Takes note of workers that were lost, have come, or come back, as soon as the membership knows: of who is lost
     * before another may be in its place.
     */
    void follow() {
        while (epoch != membership.epoch()) {
            excuseLost();
            sources.follow(this::onArrival, this::onServerArrival);
        }
    }

    /** Whoever sees the epoch sees all losses up to it. */
    private void excuseLost() {
        epoch = membership.epoch();
        for (int worker = 0; worker < excused.length; worker++) {
            if (membership.epochOfLoss(worker) > lossEpochs[worker]) {
                lossEpochs[worker] = membership.epochOfLoss(worker);
                excused[worker] = true;
                losses.add(new Loss(worker, lastRoundOf(worker)));
                goOnWithout(worker);
                excused[worker] = membership.isLost(worker); // and not that another has come already
            }
        }
        giveUpLinks();
    }

    /** The last round that is whole here; -1 if there is none. */
    private long lastRoundOf(int worker) {
        long last = owned.length > 0 ? Long.MAX_VALUE : -1;
        for (TableShard table : owned) {
            last = Math.min(last, table.ledger(worker).round() - 1);
        }
        return last;
    }

    /** Whether this server goes on without a worker (decision 25). */
    boolean isExcused(int worker) {
        return excused[worker];
    }

    private void goOnWithout(int worker) {
        for (TableShard table : owned) {
            if (0 == worker && !table.hasStart()) {
                throw membership.fail(
                        Failure.PEER_LOST,
                        "worker 0 was lost before it had given the parameters of table "
                                + table.spec().name() + " their first values: there is nothing to go on with");
            }
            table.excuse(worker);
        }
        outgoing.replies().giveUp(worker);
        if (null != outgoing.broadcasting()) {
            outgoing.broadcasting().forget(worker);
            outgoing.broadcasting().follow();
        }
    }

    /**
     * Links whose receivers have all left or are lost. A relay leaves only when its children have what they can still
     * wait for.
     */
    private void giveUpLinks() {
        if (null != outgoing.broadcasting()) {
            outgoing.broadcasting().giveUp(this::isGone, null == timer ? link -> {} : timer::giveUp);
        }
        for (int worker = 0; null != crew && worker < excused.length; worker++) {
            if (isGone(plan.workerNode(worker))) {
                crew.forget(worker);
            }
        }
    }

    private boolean isGone(int node) {
        int worker = plan.workerIndex(node);
        return excused[worker] || membership.clockAtLeaving(worker) < Long.MAX_VALUE;
    }

    /** Lowest version of the tables here, or that at which the last went; -1 before the start. */
    long version() {
        long version = Long.MAX_VALUE;
        for (TableShard table : owned) { // no stream: asked in every cycle
            version = Math.min(version, table.version());
        }
        reached = owned.length > 0 ? version : reached;
        return reached;
    }

    /** What the round that is open here waits for, in words; empty if there is nothing to wait for. */
    String awaited() {
        long round = version() + 1;
        for (TableShard table : owned) {
            if (table.version() < round) {
                return awaited(table, round);
            }
        }
        if (plan.isOfNewcomer() && reached < 0) {
            return "the coordinator to say from which clock on it owns slices";
        }
        return null == moves ? "" : moves.awaited();
    }

    private String awaited(TableShard table, long round) {
        List<Integer> here = IntStream.range(0, excused.length)
                .filter(worker -> !isGone(plan.workerNode(worker)))
                .filter(worker -> membership.crews().history().has(worker, round))
                .boxed()
                .toList();
        String late = here.stream()
                .filter(worker -> table.ledger(worker).round() <= round)
                .map(worker -> worker + (isAway(worker) ? " (away)" : ""))
                .collect(Collectors.joining(", "));
        String name = " of table " + table.spec().name();
        if (here.isEmpty()) {
            return "";
        }
        return late.isEmpty()
                ? table.awaited()
                : "the pushes of clock " + round + name + " by workers " + late + " to " + membership.endpoint();
    }

    private boolean isAway(int worker) {
        return membership.attendance().seat(plan.workerNode(worker)).isAway();
    }

    ServerReport report(long framesRejected) {
        float residual = 0;
        long taken = 0;
        for (TableShard table : tables) {
            taken += null == table ? 0 : table.framesTaken();
            residual = null == table
                    ? residual
                    : Math.max(residual, table.outflow().residualMaxAbs());
        }
        return new ServerReport(
                version(),
                stats.frames(),
                stats.framesEarly(),
                outgoing.bytes(),
                framesRejected,
                residual,
                stats.lastThreshold(),
                writer.compression(),
                outgoing.framesResent(),
                taken,
                List.copyOf(losses),
                null == moves ? List.of() : moves.done());
    }
}
