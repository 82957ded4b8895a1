package io.sluice.consistency.server;

import io.sluice.codecs.Frame;
import io.sluice.codecs.Rejection;
import io.sluice.codecs.api.CompressionReport;
import io.sluice.consistency.feedback.MeasuredFeedback;
import io.sluice.consistency.membership.ClusterPlan;
import io.sluice.consistency.membership.ClusterState;
import io.sluice.consistency.membership.Membership;
import io.sluice.consistency.membership.Presence;
import io.sluice.consistency.placement.Placement;
import io.sluice.consistency.placement.PlacementHistory;
import io.sluice.consistency.policy.Policies;
import io.sluice.consistency.snapshot.NodeSnapshots;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.Protocol;
import io.sluice.consistency.terms.TableSpec;
import io.sluice.consistency.terms.TableTerms;
import io.sluice.consistency.wire.FrameLog;
import io.sluice.consistency.wire.FrameWriter;
import io.sluice.consistency.wire.Gaps;
import io.sluice.consistency.wire.Peering;
import io.sluice.consistency.wire.SliceRanker;
import io.sluice.consistency.wire.StateReceiver;
import io.sluice.consistency.wire.StateReceiver.Admission;
import io.sluice.consistency.wire.StateSender;
import io.sluice.filter.BlockAccumulator;
import io.sluice.filter.ValueBoundedFilter;
import io.sluice.filter.feedback.SettableFeedback;
import io.sluice.filter.kernel.Kernels;
import io.sluice.filter.spi.NetworkFeedback;
import io.sluice.filter.spi.UpdateFilter;
import io.sluice.messaging.FrameHandler;
import io.sluice.messaging.counters.CounterType;
import io.sluice.messaging.outbox.NodeBudget;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.IntPredicate;

/**
 * Composes a server's pipeline for the terms: intake, gates, sums, rounds, filter, broadcast. No other class of a
 * server depends on which features the terms enable (decision 1).
 */
final class ServerAssembly {
    private final Membership membership;
    private final ClusterPlan plan;
    private final ClusterSettings settings;
    private final ServerView view;
    private final Peering peering;
    private final ServerContext context;
    private final Kernels kernels;
    private final NodeBudget budget;
    private final FrameWriter writer;
    private final ShardStats stats;
    private final Consumer<Rejection> reject;
    private final Consumer<String> breach;
    private Declarations declarations;

    /** Saves this server's part of snapshots; null if the cluster takes none. */
    private final NodeSnapshots saving;

    private interface NewBroadcast {
        UpdateBroadcast of(TableSpec spec, int[] slices, SliceStore sums, long begun, KeptParameters kept);
    }

    /** A stage that runs in each duty cycle. */
    interface Stage {
        /** Returns the amount of work done. */
        int work(long nowNs);
    }

    /** Handles a worker's request for the parameters of a table. */
    interface Pulls {
        Admission pull(int worker, TableShard table, long version);
    }

    /** Reacts to changes of the cluster in elastic jobs. */
    interface WhatFollows {
        WhatFollows NOTHING = node -> {};

        /** Handles a new incarnation of a place. */
        void onArrived(int node);

        /** Handles the declaration of all tables. */
        default void onBuilt() {}

        /** Handles a newly adopted state. */
        default void onFollowed(ClusterState before) {}

        /** Handles a worker that receives no more frames. */
        default void onGone(int worker) {}

        /** Describes the state that is still to be transferred. */
        default String awaited() {
            return "";
        }

        /** Slices that have moved. */
        default List<ServerReport.Move> moves() {
            return List.of();
        }
    }

    /**
     * The stages of a server once the tables are known.
     *
     * @param outgoing    sends broadcasts or replies
     * @param missing     requests missing pushes
     * @param pulls       answers requests for parameters
     * @param whatFollows reacts to changes of the cluster
     * @param moves       moves of slices; null if the servers never change
     * @param receiver    receiver of moving slices; null if the servers never change
     * @param stages      stages in their order
     */
    record Stages(
            Outgoing outgoing,
            Gaps missing,
            Pulls pulls,
            WhatFollows whatFollows,
            SliceMoves moves,
            StateReceiver receiver,
            Stage... stages) {
        static final Stages NONE = new Stages(
                Outgoing.NONE, Gaps.NONE, (worker, table, version) -> Admission.DROP, WhatFollows.NOTHING, null, null);
    }

    ServerAssembly(
            Membership membership,
            ServerView view,
            Peering peering,
            ServerContext context,
            NodeSnapshots saving,
            Consumer<Rejection> reject,
            Consumer<String> breach) {
        this.membership = membership;
        this.plan = membership.plan();
        this.settings = plan.settings();
        this.view = view;
        this.peering = peering;
        this.context = context;
        this.kernels = Kernels.preferred();
        this.budget = new NodeBudget(settings.linkBudget(), settings.nodeBudget(), context.clock());
        this.saving = saving;
        this.reject = reject;
        this.breach = breach;
        this.writer = newWriter(true);
        this.stats = new ShardStats(settings.workers(), membership.counters());
    }

    private FrameWriter newWriter(boolean counts) {
        return new FrameWriter(
                plan,
                membership.node(),
                counts ? membership.counters() : null,
                membership.sealing().newSeal());
    }

    ShardStats stats() {
        return stats;
    }

    CompressionReport compression() {
        return writer.compression();
    }

    Declarations declarations() {
        return declarations;
    }

    /** The stages before the sums. */
    PushIntake intake(Shard shard) {
        declarations = new Declarations(membership, view, shard, breach);
        Pushes pushes;
        FrameHandler ofServers = (buffer, offset, length, templateId, session) -> {
            reject.accept(Rejection.UNKNOWN_ORIGIN);
            return FrameHandler.Action.CONTINUE;
        };
        if (settings.isElastic()) {
            pushes = new Pushes.OfMovingSlices(settings, declarations, shard, reject, breach);
            ofServers = (buffer, offset, length, templateId, session) -> shard.isBuilt()
                    ? shard.receiver().onFrame(buffer, offset, length, templateId, session)
                    : FrameHandler.Action.ABORT; // workers have not declared the tables yet
        } else if (settings.awaitsTheDead()) {
            pushes = new Pushes.OfReturningNodes(settings, declarations, shard, reject, breach, plan.isOfRejoined());
        } else {
            pushes = new Pushes(settings, declarations, shard, reject, breach);
        }
        return new PushIntake(plan, view, declarations, shard, pushes, ofServers, reject);
    }

    /** Composes the tables and the stages after the sums. */
    Stages assemble(Shard shard, List<TableSpec> specs, TableShard[] tables) {
        Placement placement = PlacementHistory.of(settings, specs)
                .at(view.workerSets().serverChanges(), plan.start().clock());
        List<int[]> ownedAtFirst =
                specs.stream().map(spec -> ownedAtFirst(placement, spec)).toList();
        int slices = ownedAtFirst.stream().mapToInt(owned -> owned.length).sum();
        // in elastic jobs this server may come to own any slice
        int most = settings.isElastic()
                ? specs.stream().mapToInt(TableSpec::slices).sum()
                : slices;
        List<Stage> stages = new ArrayList<>();
        List<Stage> last = new ArrayList<>();
        ShardSnapshots snapshots =
                null == saving ? null : new ShardSnapshots(saving, view, membership.node(), specs, context.clock());
        SettableFeedback measured =
                MeasuredFeedback.of(context.measuresNetwork(), settings, TableTerms::broadcastFilter);
        NetworkFeedback feedback = null == measured ? context.feedback() : measured;
        TableShards shards = new TableShards(
                membership.node(),
                settings,
                specs,
                kernels,
                feedback,
                newReorderBuffer(most),
                plan.start().clock(),
                ownedAtFirst,
                round -> view.workerSets().at(round).size());
        Outgoing outgoing;
        if (Protocol.PUSH_PULL == settings.protocol()) {
            SliceRanker ranker = newRanker();
            ReplyLines replies = ReplyLines.open(plan, peering, budget, slices + specs.size(), specs.size());
            shards.sendBy((spec, owned, sums, begun, kept) -> new ParameterReplies(
                    spec, owned, sums, new SliceStore(spec, owned), kernels, writer, replies, ranker, stats));
            outgoing = replies;
        } else {
            outgoing = broadcast(shard, specs, tables, slices, shards, measured, stages, last);
        }
        if (null != snapshots) {
            shards.passBy(snapshots::around);
            stages.addFirst(nowNs -> snapshots.work());
        }
        for (TableSpec spec : specs) {
            tables[spec.id()] = shards.build(spec, ownedAtFirst.get(spec.id()));
        }
        if (null != snapshots) {
            snapshots.begin(tables);
            if (plan.start().isRestored()) {
                snapshots.restore(plan.start().clock());
            }
        }
        Gaps missing = newGaps(tables);
        stages.add(outgoing::work);
        if (settings.isElastic()) {
            return elastic(shard, specs, tables, shards, outgoing, missing, stages, last);
        }
        stages.add(missing::work);
        stages.addAll(last);
        WhatFollows follows =
                settings.awaitsTheDead() ? node -> onReturn(outgoing, plan.workerIndex(node)) : WhatFollows.NOTHING;
        Pulls pulls =
                (worker, table, version) -> table.roundSink().onPull(worker, version) ? Admission.TAKE : Admission.DROP;
        return new Stages(outgoing, missing, pulls, follows, null, null, stages.toArray(Stage[]::new));
    }

    private static void onReturn(Outgoing outgoing, int worker) {
        if (worker >= 0) {
            outgoing.reopen(worker);
        }
    }

    /** The slices that this server owns at first: none if it joins a running job. */
    private int[] ownedAtFirst(Placement placement, TableSpec spec) {
        return plan.isOfNewcomer() ? new int[0] : placement.slicesOf(spec.id(), membership.node());
    }

    /**
     * Creates the buffer for early pushes. Only needed if workers send in an order, because a deferred frame could then
     * block an urgent one.
     */
    private ReorderBuffer newReorderBuffer(int slices) {
        if (!Policies.rule(settings).ordered()
                || 0 == Policies.newOrder(settings).bits()) {
            return ReorderBuffer.none();
        }
        return ReorderBuffer.of(
                (settings.workerPlaces() - 1L) * slices,
                context.reorderBytes(),
                Frame.longestData(settings.sliceElements()),
                settings.sliceElements(),
                Policies.newAcceptedCompressors(settings));
    }

    /**
     * Keeps the parameters of slices from the start of a job whose order compares changes with them. They are not part
     * of a snapshot, so after a restore the order uses changes alone.
     */
    private UpdateBroadcast.BlockKeeper keeper(SliceRanker ranker, TableSpec spec, int[] owned, long begun) {
        return ranker.compares() && begun < 0
                ? new KeptParameters(spec, owned, new BlockAccumulator(kernels), kernels)
                : UpdateBroadcast.BlockKeeper.NOTHING;
    }

    private SliceRanker newRanker() {
        return new SliceRanker(Policies.newOrder(settings), kernels, settings.sliceElements());
    }

    private Outgoing broadcast(
            Shard shard,
            List<TableSpec> specs,
            TableShard[] tables,
            int slices,
            TableShards shards,
            SettableFeedback measured,
            List<Stage> stages,
            List<Stage> last) {
        int most = slices + specs.size();
        if (settings.isElastic()) { // slices may leave while their frames are still being sent
            most = Math.toIntExact(
                    specs.stream().mapToLong(spec -> 2 * (spec.slices() + 1L)).sum());
        }
        Broadcasting broadcasting = new Broadcasting(
                membership, view.state(), peering, specs, most, budget, context, newReleases(shard, tables));
        shards.routeBy(broadcasting::route);
        SliceRanker ranker = newRanker();
        UpdateFilter exact = ValueBoundedFilter.exact(kernels);
        NewBroadcast versions = (spec, owned, sums, begun, kept) -> new UpdateBroadcast(
                spec,
                owned,
                sums,
                shards.newFilter(spec, owned, sums),
                exact,
                kernels,
                writer,
                broadcasting,
                ranker,
                begun,
                stats,
                null == kept ? keeper(ranker, spec, owned, begun) : kept);
        if (settings.isManaged()) {
            EarlyBroadcasts early = new EarlyBroadcasts(broadcasting, slices);
            shards.sendBy((spec, owned, sums, begun, kept) -> early.of(
                    versions.of(spec, owned, sums, begun, kept),
                    owned.length,
                    Policies.newSliceFilter(settings, spec, kernels)));
            stages.add(nowNs -> early.work());
        } else {
            shards.sendBy(versions::of);
        }
        if (null == measured) {
            return broadcasting;
        }
        RoundTimer timer = RoundTimer.of(settings, broadcasting, measured);
        last.add(nowNs -> {
            timer.onCycle(nowNs, shard.version());
            return 0;
        });
        broadcasting.onGivenUp(timer::giveUp);
        return broadcasting;
    }

    /**
     * States which broadcasts a server need not retain: those that all workers have received and, if nodes may rejoin,
     * that the snapshot contains from which they would continue.
     */
    private FrameLog.Releases newReleases(Shard shard, TableShard[] tables) {
        IntPredicate isHere = worker -> !view.isGone(worker) && shard.sendsTo(worker);
        if (!settings.awaitsTheDead()) {
            return table -> tables[table].versionHeldByAllWorkers(isHere);
        }
        return new FrameLog.Releases() {
            @Override
            public long releasableVersion(int table) {
                return Math.min(
                        tables[table].versionHeldByAllWorkers(isHere),
                        membership.snapshots().committed());
            }

            @Override
            public void onPressed() {
                membership.press();
            }
        };
    }

    private Gaps newGaps(TableShard[] tables) {
        return Gaps.inPushes(
                new Due(tables),
                new Gaps.Requests(
                        newWriter(false),
                        peering::pushRequestLinkTo,
                        membership.counters().counter(CounterType.NODE_PUSHES_ASKED)),
                settings.workerPlaces(),
                plan.workerNode(0),
                tables.length,
                TimeUnit.MILLISECONDS.toNanos(settings.livenessMs()),
                context.clock().nanoTime());
    }

    /** The next expected frame of each worker for the tables of this server; null for a table without slices here. */
    private final class Due implements Gaps.Due {
        private final TableShard[] tables;

        Due(TableShard[] tables) {
            this.tables = tables;
        }

        @Override
        public boolean mayBeLost(int worker) {
            int node = plan.workerNode(worker);
            return Presence.VACANT != view.state().member(node).presence() && peering.pushesMayBeLost(node);
        }

        @Override
        public boolean isThere(int worker) {
            return !view.isGone(worker) && !view.isAwaited(worker);
        }

        @Override
        public boolean expects(int worker, int table) {
            TableShard shard = tables[table];
            return null != shard && !shard.isAtRest() && clock(worker, table) <= shard.version() + 1;
        }

        @Override
        public boolean isAwaited(int worker, int table) {
            return expects(worker, table);
        }

        @Override
        public long clock(int worker, int table) {
            return tables[table].ledger(worker).round();
        }

        @Override
        public int sequence(int worker, int table) {
            return tables[table].ledger(worker).frames();
        }
    }

    private Stages elastic(
            Shard shard,
            List<TableSpec> specs,
            TableShard[] tables,
            TableShards shards,
            Outgoing outgoing,
            Gaps missing,
            List<Stage> stages,
            List<Stage> last) {
        StateSender sender = new StateSender(
                peering, budget, newWriter(false), settings.sliceElements(), context.clock(), view.nodes());
        SliceMoves moves = new SliceMoves(membership, view, specs, shards, tables, sender, shard::serveTables);
        int[] stores = specs.stream()
                // one store for sums, one for parameters, and one for each state of the update rule
                .mapToInt(spec -> 2 + RuleStage.statesOf(Policies.updateRule(settings, spec)))
                .toArray();
        StateReceiver receiver =
                new StateReceiver(membership, specs, spec -> stores[spec.id()], kernels, moves, reject);
        ShardWorkerSet workerSet =
                new ShardWorkerSet(membership, view, outgoing, sender, receiver, moves, stats, shard, tables);
        stages.add(workerSet);
        stages.add(missing::work);
        stages.addAll(last);
        return new Stages(outgoing, missing, workerSet, workerSet, moves, receiver, stages.toArray(Stage[]::new));
    }
}
