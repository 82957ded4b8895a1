package io.sluice.consistency.worker;

import io.sluice.consistency.membership.Membership;
import io.sluice.consistency.membership.WorkerSetChanges;
import io.sluice.consistency.membership.WorkerSetHistory;
import io.sluice.consistency.terms.ClusterException;
import io.sluice.consistency.terms.Failure;
import io.sluice.consistency.terms.WorkerSet;
import io.sluice.messaging.Patience;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.agrona.concurrent.IdleStrategy;

/**
 * One worker's view of the worker set. In elastic jobs ({@code ClusterSettings.places}) it starts a clock only after
 * the nodes have agreed on its worker set, and then informs the trainer (decision 7). For the trainer's thread.
 * Allocates only when the set changes.
 */
final class WorkerSetView {
    private static final long NEVER = Long.MAX_VALUE;

    private final WorkerLinks links;
    private final Membership membership;
    private final WorkerSetChanges changes;
    private final TrainerView view;
    private final int worker;
    private Consumer<List<WorkerSet>> listener = workerSets -> {};
    private WorkerSetHistory followed;
    private WorkerSet workerSet;
    private long nextChange = NEVER;

    /** The first clock in which this worker no longer takes part. */
    private long goneFrom = NEVER;

    WorkerSetView(WorkerLinks links) {
        this.links = links;
        this.membership = links.membership();
        this.changes = membership.workerSetChanges();
        this.view = links.view();
        this.worker = membership.plan().workerIndex(membership.node());
        this.workerSet = view.workerSets().begun();
    }

    /** See {@link Worker#onWorkerSet}. */
    void onChange(Consumer<List<WorkerSet>> newListener) {
        if (null != followed) {
            throw new IllegalStateException("the listener of the worker set is set after the start, expected before");
        }
        listener = newListener;
    }

    /** The worker set of the next clock: the one that the listener received last. */
    WorkerSet now() {
        return workerSet;
    }

    /** Whether this worker takes part in the next clock; false permanently once it has left the worker set. */
    boolean takesPart() {
        return workerSet.rank(worker) >= 0;
    }

    void requirePart() {
        if (!takesPart()) {
            throw new IllegalStateException("worker " + worker + " has not been in the worker set since clock "
                    + workerSet.since() + ": it has requested to leave");
        }
    }

    /** The last known clock in which this worker takes part. */
    long lastClock() {
        return NEVER == goneFrom ? NEVER : goneFrom - 1;
    }

    /** Requests that this worker leaves the worker set a few clocks later; refused if the job is not elastic. */
    void requestLeave() {
        if (!membership.plan().settings().isElastic()) {
            throw new IllegalStateException(
                    "worker " + worker + " requests to leave, but the terms have no places for workers"
                            + " that join and leave: every clock needs its push");
        }
        changes.ask(false);
    }

    /** Starts a clock once the nodes have agreed on its worker set. */
    void begin(long clock) {
        if (!changes.mayBegin(clock)) {
            awaitAgreement(clock);
        }
        view.advance();
        WorkerSetHistory now = view.workerSets();
        if (now == followed && clock < nextChange) {
            return;
        }
        WorkerSet before = null == followed ? null : workerSet;
        follow(now, clock);
        if (null == before || before.since() != workerSet.since()) {
            List<WorkerSet> workerSets = now.all();
            listener.accept(workerSets.subList(0, workerSets.indexOf(workerSet) + 1));
        }
    }

    private void follow(WorkerSetHistory now, long clock) {
        followed = now;
        workerSet = now.at(clock);
        nextChange = NEVER;
        goneFrom = NEVER;
        for (WorkerSet later : now.all().reversed()) {
            if (later.since() > clock) {
                nextChange = later.since();
                goneFrom = later.rank(worker) < 0 ? later.since() : goneFrom;
            }
        }
    }

    private void awaitAgreement(long clock) {
        await(
                "the worker set was not agreed on for clock " + clock,
                "the coordinator to announce the worker set of clock " + clock,
                () -> changes.mayBegin(clock));
    }

    /**
     * Waits, at a worker that joins a running job, for all earlier changes, which determine the worker set and the
     * trees. The coordinator sends them before its first heartbeat.
     */
    void hear() {
        if (membership.plan().isOfNewcomer()) {
            await(
                    "the coordinator has announced no version",
                    "the coordinator to announce a version",
                    () -> membership.versionBroadcast() >= 0);
            view.advance();
        }
    }

    private void await(String late, String awaited, BooleanSupplier done) {
        IdleStrategy idle = links.idle();
        Patience patience = membership.patience(links.progressNs());
        while (!done.getAsBoolean()) {
            membership.check();
            long nowNs = links.clock().nanoTime();
            if (patience.isOver(nowNs)) {
                throw membership.fail(
                        Failure.TIMEOUT,
                        late + " within " + TimeUnit.NANOSECONDS.toSeconds(patience.waitedNs(nowNs))
                                + " s although all nodes are alive");
            }
            if (patience.isTime(nowNs)) {
                patience.report(awaited, nowNs);
            }
            ClusterException.checkInterrupt("waiting for " + awaited);
            idle.idle(links.invoke());
        }
    }
}
