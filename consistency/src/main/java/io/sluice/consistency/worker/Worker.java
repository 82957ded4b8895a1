package io.sluice.consistency.worker;

import io.sluice.codecs.OffHeap;
import io.sluice.codecs.api.CompressionReport;
import io.sluice.consistency.clock.ConsistencyRule;
import io.sluice.consistency.membership.ClusterPlan;
import io.sluice.consistency.membership.Membership;
import io.sluice.consistency.membership.StartPoint;
import io.sluice.consistency.policy.Policies;
import io.sluice.consistency.terms.ClusterException;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.Failure;
import io.sluice.consistency.terms.TableSpec;
import io.sluice.consistency.terms.TrainerState;
import io.sluice.filter.kernel.Kernels;
import io.sluice.messaging.api.MessagingException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import org.agrona.CloseHelper;

/**
 * A trainer's membership in a cluster, and its tables.
 *
 * <pre>{@code
 * try (Worker worker = Worker.connect(new WorkerContext().cluster("localhost:40100"))) {
 *     Table weights = worker.table("weights", rows, columns);
 *     worker.start(Initialiser.ZEROS);
 *     while (!done) {
 *         FloatView w = weights.sync();   // waits as long as the staleness rule demands, then applies
 *         step(w, u);                     // u = -rate * gradient: updates are added
 *         weights.update(u);              // filters, frames and sends; waits while the link is full
 *         worker.clock();
 *     }
 *     worker.drain();                     // all that anyone pushed is in the replica
 * }
 * }</pre>
 *
 * <p><b>Completion.</b> A worker has completed once {@link #drain()} has returned for its last clock, once it takes
 * part no more because it {@linkplain WorkerSetView#askToGo() asked to go}, or once it has called {@link #leave()}
 * because it does not want to wait for the last updates of others. {@link #close()} is then an orderly leave. Java
 * does not tell {@code close()} whether an exception passes through the {@code try} block, so a worker that is closed
 * before it has completed counts as failed: other nodes hear which worker failed, at which clock and, as far as it is
 * known, why, and they end, shrink or wait as {@code DeathPolicy} says. An exception that a call of the worker or of a
 * table has thrown in the current iteration is known. A trainer reports any other with {@link #fail}:
 *
 * <pre>{@code
 * try (Worker worker = Worker.connect(context)) {
 *     try {
 *         train(worker);
 *     } catch (RuntimeException | Error e) {
 *         worker.fail(e);
 *         throw e;
 *     }
 * }
 * }</pre>
 *
 * <p><b>Threads.</b> The thread that connects a worker owns it and its tables. A call by another thread that would
 * change the worker throws {@link WrongThreadException} and changes nothing. Any thread may call {@link #fail},
 * {@link #isLost} and {@link #settings()}, and may close the worker once its owner has ended. Every call that waits
 * throws {@link ClusterException} as soon as the cluster fails, and with {@link Failure#CLOSED} if the thread is
 * interrupted.
 */
public final class Worker implements AutoCloseable {
    private static final String UNDECLARED = "closed before drain() or leave(), as after an exception";

    private final WorkerLinks links;
    private final Membership membership;
    private final TrainerCalls calls;
    private final Kernels kernels;
    private final ConsistencyRule rule;
    private final List<Table> tables = new ArrayList<>();
    private final WorkerStats stats;
    private final WorkerSetView workerSet;
    private final ClockReport report;
    private final List<EvaluationCopy> copies = new ArrayList<>();
    private TrainerState trainerState = TrainerState.NONE;

    /** Null before the start, as are its stages. */
    private WorkerAssembly assembly;

    private WorkerAssembly.Stages stages;

    /** The clock at which this worker was drained last; -1 before. */
    private long drainedAt = -1;

    private boolean leaves;

    private Worker(WorkerLinks links) {
        this.links = links;
        this.membership = links.membership();
        this.calls = new TrainerCalls(membership);
        this.stats = links.newStats();
        this.workerSet = new WorkerSetView(links);
        this.report = ClockReport.to(links.context().clockListener(), stats, links::bytesPushed);
        this.kernels = Kernels.preferred();
        this.rule = Policies.rule(plan().settings());
    }

    /**
     * Joins a cluster as a worker. Returns when all its nodes have joined.
     *
     * @param context where and how; concluded here
     * @return the worker; close it to leave
     * @throws ClusterException if the cluster refuses, or is not there or complete in time
     * @throws io.sluice.messaging.api.MessagingException if there is no media driver, or a socket cannot be had
     * @throws IllegalArgumentException if the context holds a bad value
     */
    public static Worker connect(WorkerContext context) {
        context.conclude();
        return new Worker(WorkerLinks.join(context));
    }

    /** This worker's index, from 0, by which it may choose its part of the data; but see {@link #workerSet()}. */
    public int index() {
        return membership.plan().workerIndex(membership.node());
    }

    /** Number of workers, at least 1; where they come and go, of those of the start. */
    public int workers() {
        return membership.plan().settings().workers();
    }

    /**
     * Who takes part, where workers come and go.
     *
     * @return for the life of this worker
     */
    public WorkerSetView workerSet() {
        return workerSet;
    }

    /**
     * Whether another worker was taken for dead and the cluster went on without it, which only happens under
     * {@code DeathPolicy.SHRINK}. No worker trains on its part of the data unless the trainer sees to it. Costs one
     * volatile read.
     *
     * @param worker index of the worker
     * @return true for good once the coordinator has said so
     */
    public boolean isLost(int worker) {
        return membership.state().isLost(worker);
    }

    /** The terms of the cluster. */
    public ClusterSettings settings() {
        return plan().settings();
    }

    /**
     * The clock of the snapshot with which the training begins.
     *
     * @return the clock; empty if it begins afresh
     */
    public OptionalLong restoredClock() {
        StartPoint start = plan().start();
        return start.isRestored() ? OptionalLong.of(start.clock()) : OptionalLong.empty();
    }

    /** The cluster as the coordinator has put it together. */
    ClusterPlan plan() {
        return membership.plan();
    }

    /**
     * Declares a table. All workers must declare the same tables in the same order, before they start.
     *
     * @param name    what to call it
     * @param rows    number of rows
     * @param columns floats of a row
     * @return the table, all zero
     * @throws IllegalArgumentException if the shape or name cannot be, or the name is taken
     * @throws MessagingException       if there is not enough native memory for it
     * @throws IllegalStateException    after the start
     */
    public Table table(String name, int rows, int columns) {
        calls.requireOwner("table()");
        if (calls.hasBegun()) {
            throw new IllegalStateException("table " + name + " is declared after the start");
        }
        if (null == name) {
            throw new IllegalArgumentException(
                    "the name of a table is null, expected 1 to " + TableSpec.MAX_NAME_BYTES + " bytes");
        }
        if (tables.stream().anyMatch(table -> table.spec().name().equals(name))) {
            throw new IllegalArgumentException("table " + name + " is declared twice");
        }
        int sliceElements = plan().settings().sliceElements();
        TableSpec spec = new TableSpec(tables.size(), name, rows, columns, sliceElements);
        long bytes = spec.elements() * Float.BYTES;
        MemorySegment replica = allocate(spec, bytes);
        MemorySegment residual = allocate(spec, bytes);
        boolean overlays = links.context().ownRoundsToRead(plan().settings()) > 0;
        MemorySegment read = overlays ? allocate(spec, bytes) : replica;
        int firstKey =
                tables.stream().mapToInt(before -> before.spec().slices()).sum();
        Table table = new Table(calls, kernels, spec, firstKey, replica, residual, read);
        tables.add(table);
        return table;
    }

    private static MemorySegment allocate(TableSpec spec, long bytes) {
        try {
            return OffHeap.allocate(bytes);
        } catch (OutOfMemoryError e) {
            throw new MessagingException(
                    "table " + spec.name() + " of " + spec.elements() + " floats takes at least twice " + bytes
                            + " bytes of native memory, and this process can have no more: " + e.getMessage(),
                    e);
        }
    }

    /**
     * Starts: declares the tables to the servers, gives the model its first parameters, and waits until every replica
     * has them.
     *
     * @param initialiser asked on worker 0 alone
     * @throws IllegalStateException if there are no tables, or the worker has been started before
     */
    public void start(Initialiser initialiser) {
        calls.requireOwner("start()");
        Objects.requireNonNull(initialiser, "initialiser");
        if (calls.hasBegun() || tables.isEmpty()) {
            throw new IllegalStateException(
                    calls.hasBegun() ? "the worker is started twice" : "there is no table to start with");
        }
        calls.begin();
        try {
            begin(initialiser);
        } catch (RuntimeException | Error e) {
            throw calls.failed(e);
        }
    }

    private void begin(Initialiser initialiser) {
        workerSet.hear();
        assembly = new WorkerAssembly(links, calls, workerSet, stats, tables);
        stages = assembly.compose(trainerState);
        stages.tableDeclarer().begin();
        if (plan().isOfNewcomer()) {
            goOnBehind(new Newcomer(links, tables, kernels, stages.versions(), stages.tableDeclarer()).join());
        } else if (plan().start().isRestored()) {
            stages.snapshots().restore(plan().start().clock());
            goOnBehind(plan().start().clock());
        } else {
            tables.forEach(table -> table.push().start(0 == index() ? initialiser : Initialiser.ZEROS));
            tables.forEach(table -> stages.sync().await(table, 0));
        }
        tables.forEach(table -> table.ownWrites().refresh());
        report.begin();
        calls.start();
        beginClock();
    }

    private void goOnBehind(long completed) {
        calls.goOnBehind(completed);
        stages.timer().begin();
    }

    /** Waits until it is agreed who takes part in the next clock; in this worker's last it keeps nothing back. */
    private void beginClock() {
        long round = calls.clock() + 1;
        workerSet.begin(round);
        if (workerSet.lastClock() == round) {
            tables.forEach(table -> table.push().keepNothingBack());
        }
    }

    /**
     * Says what the trainer needs, beside the model and the clock, to go on from a snapshot. To be called before the
     * start, which restores it if the cluster takes up an earlier training: {@link #completed()} then says where.
     *
     * @param state saved at the clocks of snapshots, on the thread that calls {@link #clock()}
     */
    public void trainerState(TrainerState state) {
        calls.requireOwner("trainerState()");
        if (calls.hasBegun()) {
            throw new IllegalStateException("the trainer's state is set after the start, expected before");
        }
        trainerState = state;
    }

    /**
     * Ends an iteration: pushes every table that was not updated in it, so that every server knows that this worker has
     * nothing more to give, and counts. A table that was not synced either is synced first, if the rule demands it.
     *
     * @return iterations completed
     */
    public long clock() {
        calls.requireStarted("clock()");
        workerSet.requirePart();
        try {
            return endOfClock();
        } catch (RuntimeException | Error e) {
            throw calls.failed(e);
        }
    }

    private long endOfClock() {
        long round = calls.clock() + 1;
        for (int i = 0; i < tables.size(); i++) {
            Table table = tables.get(i);
            if (table.pushedRound() < round) {
                if (table.version() < rule.requiredVersion(calls.clock())) {
                    stages.sync().awaitRequired(table);
                }
                stages.snapshots().capture(table); // its frames may have come in with another's
                table.push().push(null, round);
            }
        }
        stages.endOfClock().run();
        stages.timer().onClock(calls.clock());
        calls.goOnBehind(round);
        stages.snapshots().endOfClock(round);
        report.onClock(round);
        beginClock();
        return round;
    }

    /**
     * Does what is best done often, for a trainer that computes for long between two other calls: sends some of what
     * waits for its link, where that is left to the trainer's calls ({@code SendingMode.INVOKER}), and with
     * {@code Protocol.MANAGED} hands over early what the budget has room for. Looks at a few slices only; never waits.
     *
     * @return frames sent, and frames handed over early
     * @throws ClusterException if a link is closed
     */
    public int work() {
        calls.requireStarted("work()");
        try {
            return links.invoke() + stages.early().work(calls.clock() + 1, rule.requiredVersion(calls.clock()));
        } catch (RuntimeException | Error e) {
            throw calls.failed(e);
        }
    }

    /** Iterations completed: the clock. */
    public long completed() {
        return calls.clock();
    }

    /**
     * Waits until every replica can hold all updates up to this worker's clock, and this one does. At the same clock
     * all workers' replicas are then identical bit for bit. A worker that is closed after that has completed.
     */
    public void drain() {
        calls.requireStarted("drain()");
        try {
            tables.forEach(table -> stages.sync().await(table, calls.clock()));
            tables.forEach(table -> table.ownWrites().refresh());
        } catch (RuntimeException | Error e) {
            throw calls.failed(e);
        }
        drainedAt = calls.clock();
    }

    /**
     * Declares that this worker has done its work, wherever it is and without waiting for the updates of others. To be
     * called right before {@link #close()}, which then leaves the cluster. Others that need more of its pushes are told
     * that it has left, and end. A worker that has been drained need not call this.
     */
    public void leave() {
        calls.requireOwner("leave()");
        leaves = true;
    }

    /**
     * Tells the cluster that this worker has failed. Other nodes hear of the worker, its clock and the cause, and go on
     * or end as after a death of its process. The worker has only to be closed then. Any thread may call this; the
     * first failure of a node counts, and later ones are ignored.
     *
     * @param cause what ends the training, as a rule an exception that the caller throws again
     */
    public void fail(Throwable cause) {
        membership.fail(Objects.requireNonNull(cause, "cause"));
    }

    /**
     * Makes room for a copy of the parameters that another thread evaluates while the training goes on.
     *
     * @return of all tables declared so far; closed with this worker
     * @throws IllegalStateException if there are none
     */
    public EvaluationCopy evaluationCopy() {
        calls.requireOwner("evaluationCopy()");
        if (tables.isEmpty()) {
            throw new IllegalStateException("there is no table to copy");
        }
        EvaluationCopy copy = new EvaluationCopy(calls, tables);
        copies.add(copy);
        return copy;
    }

    /** What this worker has done so far, in live counters. */
    public WorkerStats stats() {
        return stats;
    }

    /**
     * Bytes sent to servers, as they lie in the Aeron log with headers and alignment.
     *
     * @return bytes of data frames, marks and requests
     */
    public long bytesPushed() {
        return links.bytesPushed();
    }

    /**
     * Bytes of broadcasts passed on to other workers, over the network or through shared memory. With those that the
     * servers have sent themselves they are what all workers have received.
     *
     * @return bytes of data frames and marks, as they lie in the Aeron logs, once for each worker that receives them; 0
     *     if this worker is a leaf of all trees
     */
    public long bytesRelayed() {
        return links.bytesRelayed();
    }

    /**
     * What compression did to the frames pushed so far.
     *
     * @return a copy of the counters; empty without a compressor
     */
    public CompressionReport compression() {
        return links.compression();
    }

    /** Frames received that were dropped because they were not sound, or not meant for this worker. */
    public long framesRejected() {
        return links.framesRejected();
    }

    /**
     * Leaves the cluster and releases everything. A worker that has not completed reports a failure instead of leaving.
     * One that passes broadcasts on does so until its children have all that they can still wait for, or are gone; and
     * under {@code DeathPolicy.WAIT} all stay until the last is done, for who comes back may need what they keep.
     *
     * @throws ClusterException with {@link Failure#TIMEOUT} if several coordinators have not decided in time that this
     *     worker has left: others may take it for dead. Everything is released all the same
     * @throws WrongThreadException if another thread owns the worker and has not ended
     */
    @Override
    public void close() {
        if (!calls.close()) {
            return;
        }
        copies.forEach(EvaluationCopy::close);
        LeaveBarrier end = new LeaveBarrier(links);
        try {
            if (!hasCompleted()) {
                Throwable thrown = calls.thrown();
                membership.fail(null == thrown ? new ClusterException(Failure.CLOSED, UNDECLARED) : thrown);
            }
            if (calls.hasBegun()) {
                end.settle();
            }
            links.finishRelaying(rule.isBounded() ? lastPushedRound() : Long.MAX_VALUE - 1);
            membership.leave(lastPushedRound());
            if (null != links.pushes() && plan().settings().awaitsTheDead()) {
                end.await();
            }
        } finally {
            CloseHelper.quietCloseAll(assembly, links);
        }
    }

    private boolean hasCompleted() {
        boolean hasDrained =
                drainedAt == calls.clock() && tables.stream().allMatch(table -> table.pushedRound() <= calls.clock());
        return leaves || calls.hasStarted() && (hasDrained || !workerSet.takesPart());
    }

    /** The last round that is pushed for all tables; -1 before the start. */
    private long lastPushedRound() {
        return tables.stream().mapToLong(Table::pushedRound).min().orElse(-1);
    }
}
