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
import org.agrona.concurrent.IdleStrategy;

/**
 * Who takes part, as one worker knows it: where workers come and go ({@code ClusterSettings.places}), it begins no
 * clock before that is agreed on, and tells the trainer (decision 10). For the trainer's thread. Allocates nothing
 * while nothing changes.
 */
public final class WorkerSetView {
    private static final long NEVER = Long.MAX_VALUE;

    private final WorkerLinks links;
    private final Membership membership;
    private final WorkerSetChanges changes;
    private final TrainerView view;
    private final int worker;
    private WorkerSetListener listener = workerSets -> {};
    private WorkerSetHistory followed;
    private WorkerSet workerSet;
    private long nextChange = NEVER;

    /** The first clock in which this worker takes part no more, as far as is known. */
    private long goneFrom = NEVER;

    WorkerSetView(WorkerLinks links) {
        this.links = links;
        this.membership = links.membership();
        this.changes = membership.workerSetChanges();
        this.view = links.view();
        this.worker = membership.plan().workerIndex(membership.node());
        this.workerSet = view.workerSets().begun();
    }

    /**
     * Has a trainer told of who takes part; once, where workers do not come and go. To be called before the start.
     *
     * @param newListener told before each clock that begins with another worker set
     * @throws IllegalStateException after the start
     */
    public void tell(WorkerSetListener newListener) {
        if (null != followed) {
            throw new IllegalStateException("the listener of the worker set is set after the start, expected before");
        }
        listener = newListener;
    }

    /**
     * Who takes part in the next clock, after the start.
     *
     * @return as the trainer was told last
     */
    public WorkerSet now() {
        return workerSet;
    }

    /**
     * Whether this worker takes part in the next clock. One that does not has no residual any more. It should drain, if
     * it wants the last version, and close soon: others may have to wait for what it does not read.
     *
     * @return false for good, after it has asked to go
     */
    public boolean takesPart() {
        return workerSet.rank(worker) >= 0;
    }

    void requirePart() {
        if (!takesPart()) {
            throw new IllegalStateException("worker " + worker + " is not in the worker set since clock "
                    + workerSet.since() + ": it has asked to leave");
        }
    }

    /** The last clock in which this worker takes part, as far as is known. */
    long lastClock() {
        return NEVER == goneFrom ? NEVER : goneFrom - 1;
    }

    /**
     * Asks that this worker takes part no more from some clock on, a few clocks hence, while the job goes on. The
     * trainer goes on until {@link #takesPart()} says no; in its last clock all that was kept back is pushed. The last
     * worker stays until another has come.
     *
     * @throws IllegalStateException where workers may not come and go
     */
    public void askToGo() {
        if (!membership.plan().settings().isElastic()) {
            throw new IllegalStateException(
                    "worker " + worker + " asks to leave, but the terms have no places for workers"
                            + " that join and leave: every clock needs its push");
        }
        changes.ask(false);
    }

    /** Begins a clock, once it is agreed who takes part in it. */
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
            listener.onWorkerSet(workerSets.subList(0, workerSets.indexOf(workerSet) + 1));
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
     * A worker that has joined while the job runs waits until it knows all changes before: they say which
     * workers take part, and how the trees go. They were told before any heartbeat of the coordinator.
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
                patience.tell(awaited, nowNs);
            }
            ClusterException.checkInterrupt("waiting for " + awaited);
            idle.idle(links.invoke());
        }
    }
}
