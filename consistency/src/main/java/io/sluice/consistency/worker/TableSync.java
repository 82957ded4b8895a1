package io.sluice.consistency.worker;

import io.sluice.consistency.membership.ClusterPlan;
import io.sluice.consistency.membership.ClusterState;
import io.sluice.consistency.membership.Membership;
import io.sluice.consistency.policy.Policies;
import io.sluice.consistency.spi.ConsistencyRule;
import io.sluice.consistency.terms.ClusterException;
import io.sluice.consistency.terms.Failure;
import io.sluice.consistency.wire.Gaps;
import io.sluice.consistency.wire.LiveTrees;
import io.sluice.messaging.Patience;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.NanoClock;

/** Applies broadcasts to a worker's replicas: polls until a table has the required version. */
class TableSync {
    /** Maximum number of frames applied between two checks of the version. */
    private static final int POLL_LIMIT = 64;

    private final WorkerLinks links;
    private final Membership membership;
    private final TrainerView view;
    private final TrainerCalls calls;
    private final ConsistencyRule rule;
    private final RequiredVersion required;
    private final SnapshotStage snapshots;
    private final WorkerStats stats;
    private final NanoClock clock;
    private final IdleStrategy idle;
    private final Patience patience;
    private ClusterState checked;
    private long checkedVersion;

    TableSync(
            WorkerLinks links,
            TrainerCalls calls,
            RequiredVersion required,
            SnapshotStage snapshots,
            WorkerStats stats) {
        this.links = links;
        this.membership = links.membership();
        this.view = links.view();
        this.calls = calls;
        this.required = required;
        this.rule = Policies.rule(membership.plan().settings());
        this.snapshots = snapshots;
        this.stats = stats;
        this.clock = links.clock();
        this.idle = links.idleOnBell();
        this.patience = membership.patience(links.progressNs());
    }

    /** Waits until a table is as fresh as the rule demands for the next clock. */
    final void sync(Table table) {
        try {
            awaitRequired(table);
        } catch (RuntimeException | Error e) {
            throw calls.failed(e);
        }
        stats.onSync(calls.clock() - table.version());
    }

    /**
     * Waits as {@link #sync} does if a table lacks the version that the open clock needs, for a caller that reports
     * failures itself; the wait is not counted.
     */
    final void catchUp(Table table) {
        if (!required.isMetBy(table)) {
            awaitRequired(table);
        }
    }

    private void awaitRequired(Table table) {
        if (!required.isDecided()) {
            links.poll(POLL_LIMIT); // the rule decides by what has arrived by now
        }
        await(table, required.get());
        prepare(table);
    }

    /**
     * Applies frames that have arrived, without a wait, and prepares tables that are as fresh as the rule demands.
     *
     * @return frames applied
     */
    final int poll(List<Table> tables) {
        try {
            int work = links.poll(POLL_LIMIT) + links.invoke() + repair();
            membership.check();
            for (int i = 0; work > 0 && i < tables.size(); i++) {
                if (isThere(tables.get(i), required.get())) {
                    prepare(tables.get(i));
                }
            }
            return work;
        } catch (RuntimeException | Error e) {
            throw calls.failed(e);
        }
    }

    private void prepare(Table table) {
        snapshots.capture(table);
        table.intake().begin(table, calls.clock());
        table.ownWrites().refresh();
    }

    /** Waits until a table has a version, then applies frames that have already arrived. */
    final void await(Table table, long version) {
        ask(table, version); // may wait for room in a queue, which counts by itself
        long startNs = clock.nanoTime();
        stats.beginWait(startNs);
        idle.reset();
        patience.begin(startNs);
        while (!isThere(table, version)) {
            int work = links.poll(POLL_LIMIT) + links.invoke() + repair();
            if (0 == work) {
                membership.check();
                checkReachable(table, version);
                look(table, version, clock.nanoTime());
                ClusterException.checkInterrupt("waiting for parameters");
            }
            idle.idle(work);
        }
        takeMore();
        long nowNs = clock.nanoTime();
        stats.endWait(nowNs);
        required.arrived(nowNs);
    }

    /** Prepares to wait for a version: restarts the measurement of other nodes' silence, or sends requests. */
    void ask(Table table, long version) {
        links.listen(clock.nanoTime());
    }

    boolean isThere(Table table, long version) {
        return table.version() >= version;
    }

    /** Applies frames that have already arrived, up to a bound, so that many new versions cannot delay the trainer. */
    void takeMore() {
        int work = links.poll(POLL_LIMIT);
        for (int i = 0; work > 0 && i < POLL_LIMIT; i++) {
            work = links.poll(POLL_LIMIT);
        }
        membership.check();
        repair();
    }

    /** Requests missing frames if frames may be lost; returns the number of requests. */
    int repair() {
        return 0;
    }

    /** Describes the awaited frames. */
    String missing(Table table, long version) {
        return table.intake().missing(table, version, links::delivery);
    }

    private void look(Table table, long version, long nowNs) {
        stats.continueWait(nowNs);
        if (view.isAwaiting()) {
            patience.extend(nowNs);
        }
        if (patience.isOver(nowNs)) {
            int slowest = table.intake().slowest();
            throw membership.fail(
                    Failure.TIMEOUT,
                    "version " + version + " of table " + table.spec().name() + " did not arrive within "
                            + TimeUnit.NANOSECONDS.toSeconds(patience.waitedNs(nowNs))
                            + " s although all nodes are alive; "
                            + membership.plan().nameOf(slowest) + " is at version " + table.version());
        }
        if (patience.isTime(nowNs)) {
            patience.report(
                    "version " + version + " of table " + table.spec().name() + ": " + missing(table, version), nowNs);
        }
    }

    /** Fails if a version needs a push from a worker that has left, because it cannot be reached. */
    private void checkReachable(Table table, long version) {
        ClusterState state = view.state();
        if (state == checked && version == checkedVersion) {
            return;
        }
        checked = state;
        checkedVersion = version;
        ClusterPlan plan = membership.plan();
        int spared = version > 0 ? rule.backups() : 0;
        for (int worker = 0; worker < plan.settings().workerPlaces(); worker++) {
            long last = state.clockAtLeaving(worker);
            if (last < version && state.workerSets().has(worker, version) && spared-- == 0) {
                String when = last < 0 ? "before the start" : "at clock " + last;
                throw membership.fail(
                        Failure.PEER_LEFT,
                        "worker " + worker + " has left " + when + ", so version " + version + " of table "
                                + table.spec().name() + " cannot be reached");
            }
        }
    }

    /** Requests missing frames, including those on trees in which this worker's parent has changed. */
    static final class Repairing extends TableSync {
        private final LiveTrees trees;
        private final Gaps missing;

        Repairing(
                WorkerLinks links,
                TrainerCalls calls,
                RequiredVersion required,
                SnapshotStage snapshots,
                WorkerStats stats,
                LiveTrees trees,
                Gaps missing) {
            super(links, calls, required, snapshots, stats);
            this.trees = trees;
            this.missing = missing;
        }

        @Override
        void ask(Table table, long version) {
            super.ask(table, version);
            missing.listen(super.clock.nanoTime());
        }

        @Override
        int repair() {
            while (trees.follow(super.view.state())) {
                trees.changed(missing::changed);
            }
            return missing.work(super.clock.nanoTime());
        }
    }

    /** Requests the version of each server first, and applies the replies. */
    static final class Pulling extends TableSync {
        Pulling(WorkerLinks links, TrainerCalls calls, RequiredVersion required, WorkerStats stats) {
            super(links, calls, required, SnapshotStage.NONE, stats);
        }

        /** Requests nothing if the replica has the rounds of all clocks that this worker has completed. */
        @Override
        void ask(Table table, long version) {
            if (version >= super.calls.clock() && table.version() >= version) {
                return; // servers have no later version before this worker pushes
            }
            WorkerLinks links = super.links;
            for (int server = 0; server < links.servers(); server++) {
                if (table.intake().owns(server)) {
                    table.intake().askAgain(server);
                    PushChannel channel = links.channel(server);
                    int slot = channel.claimWritten();
                    channel.publishWritten(
                            slot,
                            links.writer()
                                    .to(server)
                                    .pull(channel.buffer(slot), table.spec().id(), version));
                }
            }
        }

        @Override
        boolean isThere(Table table, long version) {
            return table.intake().isAnsweredByAll();
        }

        /** Nothing is received unasked; the call reports a failure of the cluster even if it waits for no reply. */
        @Override
        void takeMore() {
            super.membership.check();
        }

        @Override
        String missing(Table table, long version) {
            return table.intake().unanswered(table, super.links::delivery);
        }
    }
}
