package io.sluice.consistency.worker;

import io.sluice.codecs.api.ValueType;
import io.sluice.consistency.clock.ClockLedger;
import io.sluice.consistency.feedback.LinkFeedback;
import io.sluice.consistency.feedback.MeasuredFeedback;
import io.sluice.consistency.membership.ClusterPlan;
import io.sluice.consistency.membership.Membership;
import io.sluice.consistency.membership.Role;
import io.sluice.consistency.membership.SnapshotKeeping;
import io.sluice.consistency.placement.Placement;
import io.sluice.consistency.policy.Policies;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.Protocol;
import io.sluice.consistency.terms.TableSpec;
import io.sluice.consistency.terms.TableTerms;
import io.sluice.consistency.wire.Gaps;
import io.sluice.consistency.wire.LiveTrees;
import io.sluice.consistency.wire.Peering;
import io.sluice.consistency.wire.RoundTraffic;
import io.sluice.filter.BlockAccumulator;
import io.sluice.filter.DenseFilter;
import io.sluice.filter.feedback.SettableFeedback;
import io.sluice.filter.kernel.Kernels;
import io.sluice.filter.policy.FilterPolicies;
import io.sluice.filter.policy.TableSite;
import io.sluice.filter.spi.FilterSite;
import io.sluice.filter.spi.NetworkFeedback;
import io.sluice.filter.spi.UpdateFilter;
import io.sluice.messaging.FrameHandler;
import io.sluice.messaging.bandwidth.DeliveryRate;
import io.sluice.messaging.counters.CounterType;
import io.sluice.messaging.counters.DutyCycle;
import io.sluice.messaging.counters.SingleWriterCounter;
import io.sluice.messaging.outbox.NodeBudget;
import io.sluice.tree.Place;
import io.sluice.tree.RouteTable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import java.util.function.LongUnaryOperator;
import org.agrona.CloseHelper;
import org.agrona.concurrent.NanoClock;

/**
 * Composes a worker's two pipelines at its start: updates pass filter, framing and queue to the link, and broadcasts
 * pass the gates to the replicas. The terms select the stages (decision 1).
 */
final class WorkerAssembly implements AutoCloseable {
    /** Minimum number of slices per lane; with fewer, waking the lanes costs more than they save. */
    private static final int MIN_SLICES_PER_LANE = 16;

    /** Maximum number of frames from other workers that are processed between two attempts to send on a full link. */
    private static final int TAKE_IN_LIMIT = 64;

    private final WorkerLinks links;
    private final WorkerContext context;
    private final Membership membership;
    private final ClusterPlan plan;
    private final ClusterSettings settings;
    private final TrainerView view;
    private final TrainerCalls calls;
    private final RequiredVersion required;
    private final WorkerSetView workerSet;
    private final WorkerStats stats;
    private final List<Table> tables;
    private final List<TableSpec> specs;
    private final FactorTables factors;
    private final Kernels kernels;
    private final NanoClock clock;
    private final NodeBudget budget;
    private final SettableFeedback measured;
    private final boolean elastic;
    private final boolean waits;

    /** The trees of all servers' broadcasts; null if servers reply to pulls instead of broadcasting. */
    private LiveTrees trees;

    private TableSync sync;
    private SnapshotStage snapshots = SnapshotStage.NONE;
    private FilterLane[] lanes = {};
    private IntakeGates.OwnVersions versions;
    private Relaying relaying;

    /**
     * The composed stages. {@code versions} is null if the worker set never changes; {@code endOfClock} sends waiting
     * frames if no thread does.
     */
    record Stages(
            TableSync sync,
            EarlyStage early,
            SnapshotStage snapshots,
            ClockTimer timer,
            TableDeclarer tableDeclarer,
            IntakeGates.OwnVersions versions,
            Runnable endOfClock) {}

    /** Prepares the composition for a worker with these tables. */
    WorkerAssembly(
            WorkerLinks links,
            TrainerCalls calls,
            RequiredVersion required,
            WorkerSetView workerSet,
            WorkerStats stats,
            List<Table> tables,
            FactorTables factors) {
        this.links = links;
        this.context = links.context();
        this.membership = links.membership();
        this.plan = membership.plan();
        this.settings = plan.settings();
        this.view = links.view();
        this.calls = calls;
        this.required = required;
        this.workerSet = workerSet;
        this.stats = stats;
        this.tables = tables;
        this.specs = tables.stream().map(Table::spec).toList();
        this.factors = factors;
        this.kernels = Kernels.preferred();
        this.clock = links.clock();
        this.budget = new NodeBudget(settings.linkBudget(), settings.nodeBudget(), clock);
        this.measured = MeasuredFeedback.of(context.measuresNetwork(), settings, TableTerms::filter);
        this.elastic = settings.isElastic();
        this.waits = settings.awaitsTheDead();
    }

    /** Opens all links and composes the stages. Inboxes open first, since servers broadcast when all have declared. */
    Stages compose(TrainerState trainerState) {
        long before = plan.start().clock();
        view.place(specs);
        Placement placement = view.placement(before);
        tables.forEach(table -> table.placed(placement, before));
        snapshots = WorkerSnapshots.of(
                SnapshotKeeping.begin(context, membership, Role.WORKER, links.transport()::report),
                tables,
                factors,
                trainerState,
                settings,
                stats,
                clock);
        if (Protocol.PUSH_PULL == settings.protocol()) {
            composePulls();
        } else {
            composeBroadcasts();
        }
        PushRoutes.Load load = new PushRoutes.Load(
                specs,
                factors,
                links.plannedTrees(),
                links.frames(),
                links.isDirect(),
                () -> links.takeIn(TAKE_IN_LIMIT));
        PushRoutes pushes = new PushRoutes(membership, view, links.peering(), context, budget, load, stats);
        links.push(pushes);
        EarlyStage early =
                settings.isManaged() ? new EarlyPushes(settings, pushes, tables, kernels, stats) : EarlyStage.NONE;
        TableDeclarer tableDeclarer = new TableDeclarer(links, specs, factors);
        composePushes(pushes, early, tableDeclarer);
        ClockTimer timer =
                null == measured ? ClockTimer.NONE : new ClockTimer.Measuring(clock, stats, measuring(pushes));
        pushes.start(links.idleOnBell());
        return new Stages(sync, early, snapshots, timer, tableDeclarer, versions, pushes.endOfClock());
    }

    private void composePulls() {
        RouteTable routes = RouteTable.single(links.servers());
        tables.forEach(table -> table.receive(routes, links.servers(), TableIntake::new));
        sync = new TableSync.Pulling(links, calls, required, stats);
        FrameHandler intake = new BroadcastIntake.Pulled(intakeParts(routes));
        links.receive(links.peering().receiveFrom(plan.servers(), intake), null);
    }

    /** How a table takes frames in: servers may repeat them, or pushes state which of them have arrived. */
    private TableIntake.Maker newIntake(TableSpec table) {
        if (waits) {
            return TableIntake.Repeated::new;
        }
        boolean states = Policies.updateRule(settings, table).revises()
                && !Policies.rule(settings).ordered();
        return states ? TableIntake.Ahead::new : TableIntake::new;
    }

    private void composeBroadcasts() {
        Peering peering = links.peering();
        trees = new LiveTrees(membership, peering, specs, view.state());
        RouteTable routes = trees.withPeers();
        tables.forEach(table -> table.receive(routes, routes.roots(), newIntake(table.spec())));
        if (settings.isPeer()) {
            receiveFromPeers(routes);
        }
        Gaps missing = trees.repairs() ? newGaps() : Gaps.NONE;
        sync = trees.repairs()
                ? new TableSync.Repairing(links, calls, required, snapshots, stats, trees, missing)
                : new TableSync(links, calls, required, snapshots, stats);
        FrameHandler intake = newIntake(routes, missing);
        if (settings.changesHands()) {
            intake = new IntakeGates.Incarnations(view, links.servers(), links::reject, intake);
        }
        if (elastic) {
            IntConsumer ahead = trees.repairs() ? missing::ahead : tree -> {};
            long handedOver = plan.isOfNewcomer() ? Long.MAX_VALUE : -1;
            int worker = plan.workerIndex(membership.node());
            versions = new IntakeGates.OwnVersions(
                    view, links.servers(), worker, tables, routes, handedOver, ahead, intake);
            intake = versions;
        }
        if (waits) {
            view.onRejoin(node -> restart(node, missing));
        }
        links.receive(peering.receiveBroadcast(trees.trees(), intake, trees.repairs()), trees);
        if (trees.trees().stream().anyMatch(tree -> tree.relays(membership.node()))) {
            context.requireCores(settings, true);
            DutyCycle cycle = links.transport().counters().agent("relay");
            LiveTrees its = trees.forAnotherThread();
            relaying = new Relaying(membership, peering, its, tables, context, budget.forAnotherThread(), cycle);
            links.relay(relaying);
            relaying.start(links.idleOnBell());
        }
    }

    private void receiveFromPeers(RouteTable routes) {
        Peering peering = links.peering();
        SingleWriterCounter asked = membership.counters().counter(CounterType.NODE_PUSHES_ASKED, WorkerStats.TRAINER);
        int first = plan.workerNode(0);
        Gaps missing = Gaps.inPushes(
                new DueOfPeers(routes),
                new Gaps.Requests(links.writer(), peering::pushRequestLinkTo, asked),
                settings.workers(),
                first,
                tables.size(),
                TimeUnit.MILLISECONDS.toNanos(settings.livenessMs()),
                clock.nanoTime());
        BroadcastIntake.Parts parts = new BroadcastIntake.Parts(
                membership, routes, tables, snapshots, kernels, links::rejectOfPeer, stats::onDecoded);
        PeerIntake intake = new PeerIntake(
                parts, calls, factors, Policies.rule(settings), missing, first, membership.node(), settings.workers());
        List<Place> others = plan.workers().stream()
                .filter(worker -> worker.node() != membership.node())
                .toList();
        if (!others.isEmpty()) {
            links.receiveFromPeers(peering.receiveFrom(others, intake), missing);
        }
    }

    /** The next expected frame of each worker that sends its vectors to this one. */
    private final class DueOfPeers implements Gaps.Due {
        private final int firstWorker = plan.workerNode(0);
        private final RouteTable routes;

        DueOfPeers(RouteTable routes) {
            this.routes = routes;
        }

        @Override
        public boolean mayBeLost(int worker) {
            int node = firstWorker + worker;
            return node != membership.node() && links.peering().pushesMayBeLost(node);
        }

        @Override
        public boolean expects(int worker, int table) {
            return tables.get(table).spec().consumed() && clock(worker, table) <= calls.clock();
        }

        @Override
        public boolean isAwaited(int worker, int table) {
            return expects(worker, table);
        }

        @Override
        public long clock(int worker, int table) {
            return ledger(worker, table).round();
        }

        @Override
        public int sequence(int worker, int table) {
            return ledger(worker, table).frames();
        }

        private ClockLedger ledger(int worker, int table) {
            return tables.get(table).intake().ledger(routes.tree(firstWorker + worker, 0));
        }
    }

    private BroadcastIntake.Parts intakeParts(RouteTable routes) {
        return new BroadcastIntake.Parts(
                membership, routes, tables, snapshots, kernels, links::reject, stats::onDecoded);
    }

    private FrameHandler newIntake(RouteTable routes, Gaps missing) {
        BroadcastIntake.Parts parts = intakeParts(routes);
        if (Gaps.NONE == missing) {
            return new BroadcastIntake(parts);
        }
        return plan.isOfRejoined()
                ? new BroadcastIntake.Returned(parts, missing)
                : new BroadcastIntake.Repaired(parts, missing);
    }

    /** Expects all frames of a rejoined server after the clock from which it continues. */
    private void restart(int node, Gaps missing) {
        if (node < links.servers()) {
            long from = view.state().member(node).start().clock() + 1;
            tables.forEach(table -> table.intake().restart(node, from));
            missing.reopened(node);
        }
    }

    private Gaps newGaps() {
        SingleWriterCounter asked = membership.counters().counter(CounterType.NODE_RESENDS_ASKED, WorkerStats.TRAINER);
        Gaps.Requests requests = new Gaps.Requests(links.writer(), links.peering()::requestLinkTo, asked);
        long silenceNs = TimeUnit.MILLISECONDS.toNanos(settings.livenessMs());
        Gaps missing = Gaps.inBroadcasts(
                new Due(), requests, trees.routes(), tables.size(), false, silenceNs, clock.nanoTime());
        missing.askIfBack(waits ? plan.epoch() : 0);
        return missing;
    }

    /** The due frame of each table by its ledger, and whether it has been broadcast. */
    private final class Due implements Gaps.Due {
        @Override
        public boolean expects(int tree, int table) {
            return tables.get(table).intake().expects(tree);
        }

        @Override
        public long clock(int tree, int table) {
            return tables.get(table).intake().ledger(tree).round();
        }

        @Override
        public int sequence(int tree, int table) {
            return tables.get(table).intake().ledger(tree).frames();
        }

        @Override
        public boolean isAwaited(int tree, int table) {
            return expects(tree, table) && clock(tree, table) <= membership.versionBroadcast();
        }
    }

    /** Creates the feedback, which also measures the links of broadcasts, because pushed updates return on them. */
    private LinkFeedback measuring(PushRoutes pushes) {
        Policies.Needs needs = Policies.needs(settings, TableTerms::filter);
        List<DeliveryRate> rates = new ArrayList<>();
        pushes.addRates(rates);
        int servers = rates.size();
        if (null != relaying) {
            rates.addAll(relaying.rates());
        }
        return new LinkFeedback(
                rates,
                servers,
                settings.budgetedBytesPerSecond(rates.size()),
                needs.leastRate() / Byte.SIZE,
                needs.followsRate(),
                measured);
    }

    /** Gives each table its stages. */
    private void composePushes(PushRoutes pushes, EarlyStage early, TableDeclarer tableDeclarer) {
        // Servers that sum in worker order need all frames of a round before the next round.
        LongUnaryOperator tiers = Policies.rule(settings).ordered() ? round -> round : _ -> 0;
        TablePush.Parts parts = new TablePush.Parts(
                calls,
                membership,
                Policies.rule(settings),
                required,
                PushGate.of(Policies.rule(settings)),
                workerSet,
                pushes,
                kernels,
                stats,
                clock,
                new SliceRanking(settings, specs, kernels),
                tiers,
                spec -> Policies.updateRule(settings, spec),
                early,
                elastic ? tableDeclarer : TablePush.PushPreparation.ALWAYS_SAME,
                links.isDirect() ? pushes::settle : () -> {},
                snapshots);
        int count = EarlyStage.NONE == early ? context.filterLanes() : 1;
        boolean lanesPay = specs.stream().anyMatch(spec -> isWide(spec, count));
        lanes = new FilterLane[lanesPay ? count - 1 : 0];
        Arrays.setAll(lanes, i -> new FilterLane(i + 1, count, settings.sliceElements(), links.idle(), links.idle()));
        for (Table table : tables) {
            table.compose(newPush(table, parts), sync, newOwnWrites(table));
        }
    }

    /**
     * Creates the overlay of a table. The trainer reads a copy if its own rounds may be later than the version on which
     * it computes.
     */
    private OwnWrites newOwnWrites(Table table) {
        int rounds = context.ownRoundsToRead(settings, table.spec().name());
        return 0 == rounds || table.spec().consumed()
                ? OwnWrites.NONE
                : new WriteOverlay(
                        table, rounds, table.read(), membership, new BlockAccumulator(kernels), sync::takeMore);
    }

    private static boolean isWide(TableSpec spec, int lanes) {
        return lanes > 1 && !spec.consumed() && spec.slices() >= lanes * MIN_SLICES_PER_LANE;
    }

    /**
     * Creates the pushes of a table. They are not merged under ordered sums, where no update follows a waiting one, nor
     * under push-pull, the plain baseline, nor for an update rule that makes a step of each push.
     */
    private TablePush newPush(Table table, TablePush.Parts parts) {
        FactorTable of = factors.of(table);
        if (null != of) {
            UpdateFilter[] exact = {newFilter(table.spec(), 0, 1)};
            if (table == of.mean()) {
                return new Averaging(table, parts, exact, of);
            }
            if (settings.isPeer()) {
                return new PeerPush(table, parts, exact, of, table == of.left());
            }
            return new TablePush.OfBlock(table, parts, exact, plan.workerIndex(membership.node()));
        }
        boolean merges = settings.queues()
                && !Policies.rule(settings).ordered()
                && Protocol.PUSH_PULL != settings.protocol()
                && !Policies.updateRule(settings, table.spec()).isForEachPush();
        // The filter for bfloat16 does not check values.
        boolean checks = context.finiteOnly()
                || ValueType.BF16 == settings.table(table.spec()).values().plain();
        UpdateCheck check = checks ? UpdateCheck.finite(table.spec(), kernels, calls) : UpdateCheck.NONE;
        boolean laned = isWide(table.spec(), 1 + lanes.length);
        UpdateFilter[] filters = new UpdateFilter[laned ? 1 + lanes.length : 1];
        Arrays.setAll(filters, lane -> newFilter(table.spec(), lane, filters.length));
        if (laned) {
            return new TablePush.Laned(table, parts, check, filters, lanes);
        }
        return merges
                ? new TablePush.Merged(table, parts, check, filters)
                : new TablePush(table, parts, check, filters);
    }

    private UpdateFilter newFilter(TableSpec spec, int lane, int used) {
        if (Protocol.PUSH_PULL == settings.protocol()) {
            return new DenseFilter(kernels);
        }
        long elements = 0;
        for (int slice = lane; slice < spec.slices(); slice += used) {
            elements += spec.sliceLength(slice);
        }
        NetworkFeedback feedback = null == measured ? context.feedback() : measured;
        TableTerms terms = settings.table(spec);
        return FilterPolicies.named(terms.filter())
                .create(new TableSite(
                        kernels,
                        terms.values(),
                        TableSite.stream(membership.node(), spec.id()),
                        elements,
                        spec.elements(),
                        spec.sliceElements(),
                        settings.linkRate(),
                        traffic(),
                        feedback));
    }

    /** The traffic of a round: each server that owns slices of a table receives the table's round commit. */
    private FilterSite.NodeTraffic traffic() {
        long elements = specs.stream().mapToLong(TableSpec::elements).sum();
        int commits = 0;
        for (Table table : tables) {
            for (int server = 0; server < links.servers(); server++) {
                commits += table.intake().owns(server) ? 1 : 0;
            }
        }
        return RoundTraffic.of(settings, tables.size(), elements, commits);
    }

    /** Ends all threads but the trainer's. */
    @Override
    public void close() {
        CloseHelper.quietCloseAll(lanes);
        CloseHelper.quietClose(snapshots);
    }
}
