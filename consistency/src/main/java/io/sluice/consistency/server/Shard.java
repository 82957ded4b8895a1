package io.sluice.consistency.server;

import io.sluice.codecs.BlockFormat;
import io.sluice.codecs.Frame;
import io.sluice.consistency.feedback.LinkFeedback;
import io.sluice.consistency.membership.ClusterPlan;
import io.sluice.consistency.membership.ClusterSettings;
import io.sluice.consistency.membership.Failure;
import io.sluice.consistency.membership.Loss;
import io.sluice.consistency.membership.Membership;
import io.sluice.consistency.membership.Protocol;
import io.sluice.consistency.placement.Placement;
import io.sluice.consistency.placement.TableSpec;
import io.sluice.consistency.snapshot.NodeSnapshots;
import io.sluice.consistency.wire.FrameWriter;
import io.sluice.consistency.wire.Peering;
import io.sluice.consistency.wire.SliceRanker;
import io.sluice.filter.BlockAccumulator;
import io.sluice.filter.SliceFilter;
import io.sluice.filter.UpdateFilter;
import io.sluice.filter.ValueBoundedFilter;
import io.sluice.filter.feedback.NetworkFeedback;
import io.sluice.filter.feedback.SettableFeedback;
import io.sluice.filter.kernel.Kernels;
import io.sluice.filter.policy.FilterPolicy;
import io.sluice.filter.policy.FilterSite;
import io.sluice.messaging.Link;
import io.sluice.messaging.outbox.LinkWatch;
import io.sluice.messaging.outbox.NodeBudget;
import io.sluice.messaging.outbox.Pacing;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.IntPredicate;
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
    private final long reorderBytes;
    private final ServerContext context;

    /** Null where no snapshots are taken. */
    private final NodeSnapshots saving;

    private final Arena arena;
    private final FrameWriter writer;
    private final ShardStats stats;
    private BlockAccumulator accumulator;
    private ReorderBuffer reorder;
    private UpdateFilter start;
    private SliceRanker ranker;
    private EarlyBroadcasts early;
    private TableShard[] tables = new TableShard[0];
    private TableShard[] owned = new TableShard[0];
    private Outgoing outgoing = Outgoing.NONE;
    private int leavers;
    private int epoch;
    private final boolean[] excused;
    private final IntPredicate isHere;
    private final List<Loss> losses = new ArrayList<>();
    private RoundTimer timer;
    private ShardSnapshots snapshots;

    Shard(
            Membership membership,
            Peering peering,
            ServerContext context,
            PushSources sources,
            NodeSnapshots saving,
            Arena arena) {
        this.sources = sources;
        this.membership = membership;
        this.plan = membership.plan();
        this.server = membership.node();
        this.epoch = plan.epoch();
        this.excused = new boolean[plan.settings().workers()];
        this.isHere = worker -> !isGone(plan.workerNode(worker));
        this.peering = peering;
        this.kernels = context.kernels();
        this.measured = context.measuredFeedback(plan.settings());
        this.feedback = null == measured ? context.feedback() : measured;
        this.clock = context.clock();
        this.reorderBytes = context.reorderBytes();
        this.saving = saving;
        this.context = context;
        this.arena = arena;
        this.writer = new FrameWriter(
                plan, server, membership.counters(), membership.sealing().newSeal());
        this.stats = new ShardStats(plan.settings().workers(), membership.counters());
    }

    boolean isBuilt() {
        return tables.length > 0;
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
        long elements = 0;
        for (TableSpec spec : specs) {
            int[] slices = placement.slicesOf(spec.id(), server);
            frames += slices.length + 1; // and the table's mark
            elements += elements(spec, slices);
        }
        outgoing = Protocol.PUSH_PULL == settings.protocol()
                ? openReplies(frames, specs.size())
                : openBroadcast(frames, specs);
        timer = null == measured ? null : newTimer();
        accumulator = new BlockAccumulator(kernels);
        reorder = newReorderBuffer(frames - specs.size());
        start = ValueBoundedFilter.exact(kernels);
        ranker = new SliceRanker(settings.newSliceOrder(), kernels, settings.sliceElements());
        if (settings.isManaged()) {
            SliceFilter mechanism = new SliceFilter(kernels, settings.values(), settings.sliceElements());
            early = new EarlyBroadcasts(outgoing.broadcasting(), mechanism, frames - specs.size());
        }
        tables = new TableShard[specs.size()];
        for (TableSpec spec : specs) {
            int[] slices = placement.slicesOf(spec.id(), server);
            tables[spec.id()] = 0 == slices.length ? null : build(spec, slices, elements);
        }
        owned = Arrays.stream(tables).filter(Objects::nonNull).toArray(TableShard[]::new);
        if (null != saving) {
            takeSnapshots(specs);
        }
        for (int worker = 0; worker < excused.length; worker++) {
            if (excused[worker]) {
                goOnWithout(worker);
            }
        }
        giveUpLinks();
    }

    private void takeSnapshots(List<TableSpec> specs) {
        snapshots = new ShardSnapshots(saving, specs, owned, arena, clock);
        if (plan.start().isRestored()) {
            snapshots.restore(plan.start().clock());
        }
    }

    /** Only what is sent by an order of its own can come behind something that was put off. */
    private ReorderBuffer newReorderBuffer(int slices) {
        ClusterSettings settings = plan.settings();
        if (!settings.rule().ordered() || 0 == settings.newSliceOrder().bits()) {
            return ReorderBuffer.none();
        }
        return ReorderBuffer.of(
                (settings.workers() - 1L) * slices,
                reorderBytes,
                Frame.DATA_LENGTH + BlockFormat.maxLength(settings.sliceElements()),
                settings.sliceElements(),
                settings.newAcceptedCompressors());
    }

    private TableShard build(TableSpec spec, int[] slices, long shardElements) {
        ClusterSettings settings = plan.settings();
        SliceStore sums = new SliceStore(arena, spec, slices);
        Outflow outflow = Protocol.PUSH_PULL == settings.protocol()
                ? new ParameterReplies(
                        spec,
                        slices,
                        sums,
                        new SliceStore(arena, spec, slices),
                        kernels,
                        writer,
                        outgoing.replies(),
                        ranker,
                        stats)
                : new UpdateBroadcast(
                        spec,
                        slices,
                        sums,
                        newFilter(spec, slices, sums, shardElements),
                        start,
                        kernels,
                        writer,
                        outgoing.broadcasting(),
                        ranker,
                        early,
                        plan.start().clock(),
                        stats);
        boolean ordered = settings.rule().ordered();
        SliceSums parts = new SliceSums(
                sums, slices.length, settings.workers(), plan.start().clock(), ordered, accumulator, reorder);
        return new TableShard(
                spec, slices, parts, settings.rule(), outflow, plan.start().clock());
    }

    private UpdateFilter newFilter(TableSpec spec, int[] slices, SliceStore sums, long shardElements) {
        ClusterSettings settings = plan.settings();
        FilterSite site = new FilterSite(
                kernels,
                settings.values(),
                elements(spec, slices),
                sums.segment().byteSize() / Float.BYTES,
                spec.sliceElements(),
                shardElements,
                feedback);
        return settings.filterPolicy().create(site);
    }

    private static long elements(TableSpec spec, int[] slices) {
        return Arrays.stream(slices).mapToLong(spec::sliceLength).sum();
    }

    private Outgoing openBroadcast(int frames, List<TableSpec> specs) {
        return Outgoing.broadcast(new Broadcasting(
                membership,
                peering,
                specs,
                frames,
                newBudget(),
                context,
                new ShardReleases(membership, table -> tables[table].versionAtAll(isHere))));
    }

    /** Expects a worker's pushes from a round on, of all tables. */
    void restart(int worker, long round) {
        for (TableShard table : owned) {
            table.restart(worker, round);
        }
    }

    /** Sends a worker again what it misses; false if nothing is kept for that. */
    boolean resend(int worker, boolean relay, int table, int way, long version, int sequence) {
        return null != outgoing.broadcasting()
                && outgoing.broadcasting().resend(worker, relay, table, way, version, sequence);
    }

    private RoundTimer newTimer() {
        ClusterSettings settings = plan.settings();
        FilterPolicy policy = settings.filterPolicy();
        List<LinkWatch> watches = outgoing.broadcasting().watches();
        LinkFeedback told = new LinkFeedback(
                watches.stream().map(LinkWatch::rate).toList(),
                outgoing.broadcasting().ways(),
                settings.budgetedBytesPerSecond(Math.max(1, watches.size())),
                policy.leastRate() / Byte.SIZE,
                policy.followsRate(),
                measured);
        return new RoundTimer(told, watches, outgoing.broadcasting().toRelays());
    }

    private Outgoing openReplies(int frames, int tables) {
        Link[] links = new Link[plan.settings().workers()];
        Arrays.setAll(links, worker -> peering.replyLinkTo(plan.workerNode(worker)));
        int sliceElements = plan.settings().sliceElements();
        ReplyLines replies =
                new ReplyLines(links, pacings(links), frames, tables, sliceElements, peering.longestFrame());
        return Outgoing.pulled(links, replies);
    }

    private Pacing[] pacings(Link[] links) {
        NodeBudget budget = newBudget();
        return Arrays.stream(links).map(link -> peering.pace(link, budget)).toArray(Pacing[]::new);
    }

    private NodeBudget newBudget() {
        return new NodeBudget(plan.settings().linkBudget(), plan.settings().nodeBudget(), clock);
    }

    /** One duty cycle: finalise what had to wait, send what is due. */
    int work(long nowNs) {
        int work = null == snapshots ? 0 : snapshots.work();
        if (epoch != membership.epoch()) {
            excuseLost();
            followReturns();
        }
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
        work += outgoing.flush(nowNs);
        if (null != timer) {
            timer.onCycle(nowNs, version());
        }
        return work;
    }

    /** Takes note of workers that have come back, as soon as the membership knows. */
    void followReturns() {
        sources.follow(outgoing::follow);
    }

    /** Whoever sees the epoch sees all losses up to it. */
    private void excuseLost() {
        epoch = membership.epoch();
        for (int worker = 0; worker < excused.length; worker++) {
            if (!excused[worker] && membership.isLost(worker)) {
                excused[worker] = true;
                losses.add(new Loss(worker, lastRoundOf(worker)));
                goOnWithout(worker);
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
    }

    private boolean isGone(int node) {
        int worker = plan.workerIndex(node);
        return excused[worker] || membership.clockAtLeaving(worker) < Long.MAX_VALUE;
    }

    /** Lowest version of the tables here; -1 before the start. */
    long version() {
        long version = owned.length > 0 ? Long.MAX_VALUE : -1;
        for (TableShard table : owned) { // no stream: asked in every cycle
            version = Math.min(version, table.version());
        }
        return version;
    }

    ServerReport report(long framesRejected) {
        float residual = 0;
        long taken = 0;
        for (TableShard table : owned) {
            taken += table.framesTaken();
            residual = Math.max(residual, table.outflow().residualMaxAbs());
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
                List.copyOf(losses));
    }
}
