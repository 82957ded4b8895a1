package io.sluice.consistency.server;

import io.sluice.consistency.membership.ClusterState;
import io.sluice.consistency.membership.Incarnation;
import io.sluice.consistency.membership.Membership;
import io.sluice.consistency.membership.WorkerSetChange;
import io.sluice.consistency.membership.WorkerSetHistory;
import io.sluice.consistency.terms.WorkerSet;
import io.sluice.consistency.wire.StateReceiver;
import io.sluice.consistency.wire.StateReceiver.Admission;
import io.sluice.consistency.wire.StateSender;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The stage that starts rounds in elastic jobs (decision 7). A table starts a round with the worker set and the owned
 * slices of that round. A worker that joins receives the parameters first. For the server's thread.
 */
final class ShardWorkerSet implements ServerAssembly.Stage, ServerAssembly.Pulls, ServerAssembly.WhatFollows {
    private final Membership membership;
    private final ServerView view;
    private final Outgoing outgoing;
    private final StateSender sender;
    private final StateReceiver receiver;
    private final SliceMoves moves;
    private final ShardStats stats;
    private final Shard shard;
    private final List<Request> requests = new ArrayList<>();

    /** The changes that have been reported as passed. */
    private WorkerSetHistory passed;

    /** The clock of the last passed change. */
    private long passedClock;

    /** The request of a joining worker for the parameters of a version. */
    private record Request(int worker, TableShard table, long version) {
        /**
         * The version precedes the round that needs the worker, so the parameters do not change while they are sent.
         */
        boolean isReady() {
            return table.version() == version && table.begins(version + 1);
        }
    }

    /**
     * Starts with the first worker set.
     *
     * @param membership membership of this server
     * @param view       view of this server
     * @param outgoing   sends to workers that take part
     * @param sender     hands state to nodes that join
     * @param receiver   receiver of state
     * @param moves      moves of slices between servers
     * @param stats      statistics of this server
     * @param shard      shard of this server
     * @param tables     all tables
     */
    ShardWorkerSet(
            Membership membership,
            ServerView view,
            Outgoing outgoing,
            StateSender sender,
            StateReceiver receiver,
            SliceMoves moves,
            ShardStats stats,
            Shard shard,
            TableShard[] tables) {
        this.membership = membership;
        this.view = view;
        this.outgoing = outgoing;
        this.sender = sender;
        this.receiver = receiver;
        this.moves = moves;
        this.stats = stats;
        this.shard = shard;
        WorkerSetHistory workerSets = view.workerSets();
        this.passedClock = 0 == workerSets.earlier()
                ? workerSets.all().getFirst().since()
                : workerSets.changes().get(workerSets.earlier() - 1).clock();
        for (TableShard table : tables) {
            IntStream.range(0, membership.plan().settings().workerPlaces())
                    .filter(worker -> workerSets.begun().rank(worker) < 0)
                    .forEach(table::leaveOut);
            table.gateBy(this::mayBegin);
        }
    }

    /** Whether a table may begin a round; all changes up to that round are then known. */
    private boolean mayBegin(TableShard table, long round) {
        if (!hasWorkers(round) || !membership.workerSetChanges().mayBegin(round) || view.isBehind()) {
            return false;
        }
        WorkerSetChange change = view.workerSets().changeAt(round);
        if (null == change) {
            return true;
        }
        WorkerSet workerSet = view.workerSets().at(round);
        if (change.isOfServer()) {
            moves.migrate(table, change);
            workerSet.workers().forEach(this::sendTo); // a server without slices has not sent to any worker yet
        } else if (change.joins() && !view.isExcused(change.index())) {
            table.admit(change.index(), round);
            sendTo(change.index());
        } else {
            table.leaveOut(change.index());
        }
        stats.receivers(workerSet.size());
        return true;
    }

    private void sendTo(int worker) {
        if (!view.isExcused(worker)) {
            outgoing.sendTo(view.state(), worker, true);
        }
    }

    /**
     * Whether a round has a worker, or its next worker is known. If all workers are lost and another is about to join,
     * the rounds must wait for it.
     */
    private boolean hasWorkers(long round) {
        for (WorkerSet workerSet : view.workerSets().all().reversed()) {
            for (int worker : workerSet.workers()) {
                if (!view.state().isLost(worker)) {
                    return true;
                }
            }
            if (workerSet.since() <= round) {
                return false;
            }
        }
        return false;
    }

    /**
     * Reports the last change that all tables here have passed. Then the places of workers that left may be assigned
     * again, and leaving servers may end.
     */
    private int reportPassed() {
        WorkerSetHistory history = view.workerSets();
        if (history == passed) {
            return 0;
        }
        long begun = Long.MAX_VALUE; // a server without slices has no open round
        for (TableShard table : shard.owned()) {
            begun = Math.min(begun, table.begun());
        }
        long since = history.passedAt(begun);
        passed = history.isLast(since) ? history : passed;
        if (since == passedClock) {
            return 0;
        }
        passedClock = since;
        membership.workerSetChanges().passed(since);
        return 1;
    }

    @Override
    public Admission pull(int worker, TableShard table, long version) {
        if (!view.workerSets().has(worker, version + 1)) {
            return Admission.LATER;
        }
        if (version < table.version()) {
            return Admission.DROP;
        }
        sender.open(incarnation(worker));
        requests.removeIf(request -> request.worker == worker && request.table == table);
        requests.add(new Request(worker, table, version));
        return Admission.TAKE;
    }

    private Incarnation incarnation(int worker) {
        return view.incarnation(membership.plan().workerNode(worker));
    }

    private int handOver() {
        int work = 0;
        for (int i = requests.size() - 1; i >= 0; i--) {
            Request request = requests.get(i);
            if (request.isReady()) {
                TablePart part = request.table.part();
                int[] all = IntStream.range(0, part.slices().length).toArray();
                MemorySegment parameters = part.parameters().store().segment();
                sender.send(
                        incarnation(request.worker), part.load(request.table.spec(), request.version, all, parameters));
                requests.remove(i);
                work++;
            }
        }
        return work;
    }

    @Override
    public void onBuilt() {
        moves.rise(membership.plan().isOfNewcomer() ? view.state() : null);
    }

    /** Drops frames that were queued for the previous incarnation. */
    @Override
    public void onArrived(int node) {
        sender.forget(node);
        int worker = membership.plan().workerIndex(node);
        if (worker < 0) {
            receiver.forget(node);
        } else {
            onGone(worker);
        }
    }

    @Override
    public void onFollowed(ClusterState before) {
        moves.rise(before);
    }

    @Override
    public void onGone(int worker) {
        outgoing.sendTo(view.state(), worker, false);
        requests.removeIf(request -> request.worker == worker);
        sender.forget(membership.plan().workerNode(worker));
    }

    @Override
    public String awaited() {
        return moves.awaited();
    }

    @Override
    public List<ServerReport.Move> moves() {
        return moves.done();
    }

    @Override
    public int work(long nowNs) {
        return handOver() + sender.work(nowNs) + reportPassed();
    }
}
