package io.sluice.consistency.worker;

import io.sluice.codecs.api.CompressionReport;
import io.sluice.consistency.membership.ClusterPlan;
import io.sluice.consistency.membership.Membership;
import io.sluice.consistency.membership.StartPoint;
import io.sluice.consistency.policy.Policies;
import io.sluice.consistency.spi.ConsistencyRule;
import io.sluice.consistency.standard.Multicast;
import io.sluice.consistency.terms.ClusterException;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.Failure;
import io.sluice.consistency.terms.WorkerSet;
import io.sluice.filter.kernel.Kernels;
import io.sluice.messaging.api.MessagingException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.function.Supplier;
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
 *     worker.drain();                     // the replica has the updates of all workers
 * }
 * }</pre>
 *
 * <p><b>Completion.</b> A worker has completed once {@link #drain()} has returned for its last clock, once it no longer
 * takes part because it {@linkplain #requestLeave() requested a leave}, or once it has called {@link
 * #leave()} because it does not want to wait for the last updates of others. {@link #close()} is then an orderly leave.
 * In Java, {@code close()} cannot detect whether an exception passes through the {@code try} block, so a worker that is
 * closed before it has completed counts as failed: the coordinator tells the other nodes which worker failed, at which
 * clock and, if known, the cause; then {@code DeathPolicy} decides. The cause is known if a call of the worker or of a
 * table threw it in the current iteration. A trainer reports any other cause with {@link #fail}:
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
 * interrupted. After an interrupt, a wait for parameters can be repeated. An update or {@link #clock()} cannot, because
 * a part of it may have been sent: afterwards only {@link #leave()}, {@link #fail} and {@link #close()} are possible.
 */
public final class Worker implements AutoCloseable {
    private static final String UNDECLARED = "closed before drain() or leave(), as after an exception";

    private final WorkerLinks links;
    private final Membership membership;
    private final TrainerCalls calls;
    private final Kernels kernels;
    private final ConsistencyRule rule;
    private final RequiredVersion required;
    private final DeclaredTables declared;
    private final List<Table> tables;
    private final FactorTables factors;
    private final WorkerStats stats;
    private final WorkerSetView workerSet;
    private final ClockReport report;
    private final List<EvaluationCopy> copies = new ArrayList<>();
    private TrainerState trainerState = TrainerState.NONE;

    /** The composed stages of this worker; null before the start, as is {@link #stages}. */
    private WorkerAssembly assembly;

    private WorkerAssembly.Stages stages;

    /** The clock at which this worker was last drained; -1 before. */
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
        this.declared = new DeclaredTables(links, calls, kernels, stats);
        this.tables = declared.list();
        this.factors = declared.factors();
        this.required = new RequiredVersion(rule, calls, tables, stats, links.clock());
    }

    /**
     * Joins a cluster as a worker. Returns when all its nodes have joined.
     *
     * @param context settings; no longer changeable afterwards
     * @return the worker; close it to leave
     * @throws ClusterException if the cluster refuses the worker, or is not reachable or complete in time
     * @throws io.sluice.messaging.api.MessagingException if there is no media driver, a socket cannot be opened, or the
     *     folder of snapshots cannot be used or holds damaged ones only
     * @throws IllegalArgumentException if the context holds a bad value
     */
    public static Worker connect(WorkerContext context) {
        context.conclude();
        WorkerLinks links = WorkerLinks.join(context);
        try {
            return new Worker(links);
        } catch (RuntimeException | Error e) {
            links.abandon(e);
            throw e;
        }
    }

    /**
     * This worker's index, from 0, by which it may choose its part of the data; in elastic jobs use
     * {@link #workerSet()}.
     */
    public int index() {
        return membership.plan().workerIndex(membership.node());
    }

    /** Number of workers at the start, at least 1; {@link #workerSet()} has those of an elastic job. */
    public int workers() {
        return membership.plan().settings().workers();
    }

    /**
     * The worker set of the next clock, which changes in elastic jobs ({@code ClusterSettings.places}): the set that
     * the listener of {@link #onWorkerSet} received last; before the start, that of the first clock of the job.
     */
    public WorkerSet workerSet() {
        return workerSet.now();
    }

    /**
     * Sets a listener for the worker sets, so that a trainer can choose its part of the data. All workers receive the
     * same sets: a rule that depends on them alone yields parts without overlaps and gaps.
     *
     * @param listener called on the trainer's thread, from {@link #start} and {@link #clock}, before the first clock of
     *     each worker set, with all sets so far, the last one being that of the next clock. The first call is for this
     *     worker's first clock, and the only one in jobs that are not elastic; a worker that joins a running job also
     *     receives the earlier sets
     * @throws IllegalStateException after the start
     */
    public void onWorkerSet(Consumer<List<WorkerSet>> listener) {
        workerSet.onChange(listener);
    }

    /**
     * Whether this worker takes part in the next clock. A worker that does not has no residual. It should drain if it
     * needs the last version, and close soon, because frames that it leaves unread may block other nodes.
     *
     * @return false permanently once it has left the worker set
     */
    public boolean takesPart() {
        return workerSet.takesPart();
    }

    /**
     * Requests that this worker leaves the worker set a few clocks later, while the job continues. The trainer
     * continues until {@link #takesPart()} is false; its last clock pushes the whole residual. The last worker stays
     * until another one has joined.
     *
     * @throws IllegalStateException if the job is not elastic
     */
    public void requestLeave() {
        workerSet.requestLeave();
    }

    /** The first check of a call that belongs to the open clock: this worker takes part in it. */
    void requirePart() {
        workerSet.requirePart();
    }

    /** The last known clock in which this worker takes part. */
    long lastClock() {
        return workerSet.lastClock();
    }

    /**
     * Whether another worker was lost and the cluster continues without it, which only happens under
     * {@code DeathPolicy.SHRINK}. Trainers must redistribute its part of the data themselves. Costs one volatile read.
     *
     * @param worker index of the worker
     * @return true permanently once the coordinator has declared the worker lost
     */
    public boolean isLost(int worker) {
        return membership.state().isLost(worker);
    }

    /** The terms of the cluster. */
    public ClusterSettings settings() {
        return plan().settings();
    }

    /**
     * The clock of the snapshot from which the training continues.
     *
     * @return the clock; empty without a snapshot
     */
    public OptionalLong restoredClock() {
        StartPoint start = plan().start();
        return start.isRestored() ? OptionalLong.of(start.clock()) : OptionalLong.empty();
    }

    /** The cluster as the coordinator has assembled it. */
    ClusterPlan plan() {
        return membership.plan();
    }

    /**
     * Declares a table. All workers must declare the same tables in the same order, before they start.
     *
     * @param name    name of the table
     * @param rows    number of rows
     * @param columns floats in a row
     * @return the table, all zero
     * @throws IllegalArgumentException if the shape or name is invalid, the name is already used, or all tables would
     *     have more than {@link Integer#MAX_VALUE} slices
     * @throws MessagingException       if there is not enough native memory for it
     * @throws IllegalStateException    after the start
     */
    public Table table(String name, int rows, int columns) {
        calls.requireOwner("table()");
        return declared.declare(name, rows, columns);
    }

    /**
     * Declares a matrix whose updates are sums of outer products of vectors, which workers exchange instead of the
     * updates. It has two tables of vectors, {@code NAME/u} and {@code NAME/v}, which are always exchanged exactly: the
     * terms of the cluster for filters, rules and types of values do not apply. All workers must declare the same.
     *
     * @param name      name of the table
     * @param rows      rows of the matrix: floats of a first vector
     * @param columns   columns of the matrix: floats of a second vector
     * @param groups    maximum number of groups of vectors that the trainer adds in an iteration, 1 or more
     * @param selection specification of the groups that are sent: {@code all}, {@code joint:C}, {@code power:C}, or a
     *     user's
     * @return the table
     * @throws IllegalArgumentException if an argument is out of range, the name is already used, the selection names
     *     nothing, or the cluster's protocol is neither {@code update} nor {@code peer}, its consistency rule has no
     *     bound on staleness or
     *     does not await all workers, its workers may join and leave, slices are sent by the order {@code relative}, or
     *     it states other terms of the table than the length of slices
     * @throws MessagingException       if there is not enough native memory for it
     * @throws IllegalStateException    after the start
     */
    public FactorTable factors(String name, int rows, int columns, int groups, String selection) {
        return factors(name, rows, columns, groups, selection, Multicast.ALL);
    }

    /**
     * Like {@link #factors(String, int, int, int, String)} with a multicast, which states which other workers get the
     * vectors of a clock under protocol {@code peer}. If not all do, the replicas differ, and a third table, {@code
     * NAME/mean}, averages them.
     *
     * @param multicast {@code all}, or {@code random:Q}, {@code fixed:Q} or {@code round-robin:Q}, where Q is the
     *     number of other workers that get the vectors; options follow after semicolons, as in {@code
     *     random:4;sync=64;rotate=16}
     * @return the table
     * @throws IllegalArgumentException also if the multicast is malformed, reaches more workers than there are, would
     *     let replicas drift apart without bound, or does not fit the terms of the cluster
     */
    public FactorTable factors(String name, int rows, int columns, int groups, String selection, String multicast) {
        calls.requireOwner("factors()");
        return declared.declareFactors(name, rows, columns, groups, selection, multicast);
    }

    /**
     * Starts: declares the tables to the servers, gives the model its first parameters, and waits until every replica
     * has them.
     *
     * @param initialiser called on worker 0 only, except for factor tables: every worker makes their first values, so
     *     it must give the same values to all workers
     * @throws IllegalStateException    if there are no tables, or the worker has been started before
     * @throws IllegalArgumentException if the terms of the cluster name a table that is not declared
     */
    public void start(Initialiser initialiser) {
        calls.requireOwner("start()");
        Objects.requireNonNull(initialiser, "initialiser");
        if (calls.hasBegun() || tables.isEmpty()) {
            throw new IllegalStateException(
                    calls.hasBegun() ? "the worker is started twice" : "there is no table to start with");
        }
        declared.requireNamed();
        calls.begin();
        try {
            begin(initialiser);
        } catch (RuntimeException | Error e) {
            throw calls.failed(e);
        }
    }

    private void begin(Initialiser initialiser) {
        workerSet.hear();
        factors.start(initialiser);
        assembly = new WorkerAssembly(links, calls, required, workerSet, stats, tables, factors);
        stages = assembly.compose(trainerState);
        factors.compose(stages.snapshots());
        stages.tableDeclarer().begin();
        if (plan().isOfNewcomer()) {
            continueAfter(new Newcomer(links, tables, kernels, stages.versions(), stages.tableDeclarer()).join());
        } else if (plan().start().isRestored()) {
            stages.snapshots().restore(plan().start().clock());
            continueAfter(plan().start().clock());
        } else {
            boolean isFirst = 0 == index();
            tables.forEach(table ->
                    table.push().start(isFirst && null == factors.of(table) ? initialiser : Initialiser.ZEROS));
            tables.forEach(table -> stages.sync().await(table, 0));
        }
        tables.forEach(table -> table.ownWrites().refresh());
        report.begin();
        calls.start();
        beginClock();
    }

    private void continueAfter(long completed) {
        calls.continueAfter(completed);
        factors.continueFrom(completed);
        stages.timer().begin();
    }

    /**
     * Waits until the worker set of the next clock is decided; in its last clock this worker pushes its whole residual.
     */
    private void beginClock() {
        long round = calls.clock() + 1;
        workerSet.begin(round);
        if (workerSet.lastClock() == round) {
            tables.forEach(table -> table.push().keepNothingBack());
        }
    }

    /**
     * Sets how to save and restore the state that the trainer needs, besides the model and the clock, to continue from
     * a snapshot: the position in its data, the state of a random generator. A trainer that derives these from the
     * clock does not need it. Call it before the start, which restores the state if the cluster continues from a
     * snapshot; {@link #completed()} then returns its clock.
     *
     * @param save    returns the state, which is copied at once; called at the clocks of snapshots, on the thread that
     *     calls {@link #clock()}
     * @param restore receives the state that was saved at the clock at which the job begins again; called on the
     *     thread that calls {@link #start}
     * @throws IllegalStateException after the start
     */
    public void trainerState(Supplier<byte[]> save, Consumer<byte[]> restore) {
        calls.requireOwner("trainerState()");
        Objects.requireNonNull(save, "save");
        Objects.requireNonNull(restore, "restore");
        if (calls.hasBegun()) {
            throw new IllegalStateException("the trainer's state is set after the start, expected before");
        }
        trainerState = new TrainerState(save, restore);
    }

    /**
     * Sets the weight of this worker's pushes from the open clock on; it is 1 until then. Call it before the first
     * update of a clock. The weight counts for the tables whose update rule {@linkplain
     * io.sluice.consistency.spi.UpdateRule#weighs weighs}, such as {@code mean;weighted}, also if
     * {@link #clock} pushes a table that was not updated. Snapshots do not hold it.
     *
     * @param examples usually the number of examples from which this worker computes its updates, 1 or more
     * @throws IllegalArgumentException if there are fewer
     * @throws IllegalStateException if no table that has been declared has such a rule
     */
    public void weigh(int examples) {
        calls.requireOwner("weigh()");
        if (examples < 1) {
            throw calls.mistake(new IllegalArgumentException(
                    "the weight of the pushes of worker " + index() + " is " + examples + ", expected 1 or more"));
        }
        if (!declared.weigh()) {
            throw calls.mistake(new IllegalStateException("the pushes of worker " + index()
                    + " are given a weight, but no declared table has an update rule that weighs, expected"
                    + " one such as mean;weighted"));
        }
        calls.weigh(examples);
    }

    /**
     * Ends an iteration: pushes every table that was not updated in it, so servers know that this worker's round is
     * complete, and increments the clock. Syncs a table first if the trainer has not synced it either and the rule
     * demands it.
     *
     * @return number of iterations that this worker has completed
     */
    public long clock() {
        calls.requireStarted("clock()");
        workerSet.requirePart();
        try {
            return endOfClock();
        } catch (RuntimeException | Error e) {
            throw calls.failedHalfDone(e);
        }
    }

    private long endOfClock() {
        long round = calls.clock() + 1;
        factors.push(stages.sync(), round);
        for (int i = 0; i < tables.size(); i++) {
            Table table = tables.get(i);
            if (table.pushedRound() < round) {
                stages.sync().catchUp(table);
                stages.snapshots().capture(table); // polling for another table may have completed this table's version
                table.push().push(null, round);
            }
        }
        stages.endOfClock().run();
        stages.timer().onClock(calls.clock());
        calls.continueAfter(round);
        stages.snapshots().endOfClock(round);
        report.onClock(round);
        beginClock();
        return round;
    }

    /**
     * Sends waiting frames, for trainers that compute for long between two other calls. If the trainer's thread sends
     * ({@code ThreadingMode.INVOKER}), it sends frames from the queues. With {@code Protocol.MANAGED} it hands over
     * parts early while the budget is not used up. Inspects only a few slices and never waits.
     *
     * @return frames sent, and frames handed over early
     * @throws ClusterException if a link is closed
     */
    public int work() {
        calls.requireStarted("work()");
        try {
            return links.invoke() + stages.early().work(calls.clock() + 1, required.get());
        } catch (RuntimeException | Error e) {
            throw calls.failed(e);
        }
    }

    /** Number of iterations completed: the clock. */
    public long completed() {
        return calls.clock();
    }

    /**
     * Waits until this replica holds all updates of all workers up to this worker's clock. At the same clock the
     * replicas of all workers are then identical bit for bit. A worker that is closed afterwards has completed.
     */
    public void drain() {
        calls.requireStarted("drain()");
        try {
            tables.forEach(table -> stages.sync().await(table, calls.clock()));
            tables.forEach(table -> table.ownWrites().refresh());
            factors.consume();
        } catch (RuntimeException | Error e) {
            throw calls.failed(e);
        }
        drainedAt = calls.clock();
    }

    /**
     * Declares that this worker is done at its current clock, without waiting for the updates of others. Call it right
     * before {@link #close()}, which then leaves the cluster. Nodes that need more pushes from this worker fail with a
     * message that it has left. A drained worker need not call this.
     */
    public void leave() {
        calls.requireOwner("leave()");
        leaves = true;
    }

    /**
     * Reports to the cluster that this worker has failed. Other nodes learn of the worker, its clock and the cause, and
     * continue or end as after the death of its process. Afterwards only {@link #close()} is useful. Any thread may
     * call this; the first failure of a node counts, and later ones are ignored.
     *
     * @param cause cause of the failure, usually an exception that the caller rethrows
     */
    public void fail(Throwable cause) {
        membership.fail(Objects.requireNonNull(cause, "cause"));
    }

    /**
     * Allocates a copy of the parameters that another thread evaluates while training continues.
     *
     * @return a copy of all tables declared so far, without factor tables; closed with this worker
     * @throws IllegalStateException if there are no tables
     */
    public EvaluationCopy evaluationCopy() {
        calls.requireOwner("evaluationCopy()");
        List<Table> copied = declared.ordinary();
        if (copied.isEmpty()) {
            throw new IllegalStateException("there is no table to copy");
        }
        EvaluationCopy copy = new EvaluationCopy(calls, copied);
        copies.add(copy);
        return copy;
    }

    /** Live counters of this worker. */
    public WorkerStats stats() {
        return stats;
    }

    /**
     * Number of bytes sent to servers, counted in the Aeron log with headers and alignment.
     *
     * @return bytes of data frames, round commits and requests
     */
    public long bytesPushed() {
        return links.bytesPushed();
    }

    /**
     * Bytes sent to other workers under protocol {@code peer}, counted in the Aeron log with headers and alignment.
     *
     * @return bytes of data frames and round commits
     */
    public long bytesToPeers() {
        return links.bytesToPeers();
    }

    /**
     * Bytes of broadcasts forwarded to other workers, over the network or through shared memory. Together with the
     * bytes that servers have sent themselves they are the bytes that all workers have received.
     *
     * @return bytes of data frames and round commits in the Aeron logs, counted once for each receiver; 0
     *     if this worker is a leaf of all trees
     */
    public long bytesRelayed() {
        return links.bytesRelayed();
    }

    /**
     * Compression statistics of the frames pushed so far.
     *
     * @return a copy of the counters; empty without a compressor
     */
    public CompressionReport compression() {
        return links.compression();
    }

    /** Number of received frames that were dropped: invalid, or for another node. */
    public long framesRejected() {
        return links.framesRejected();
    }

    /**
     * Leaves the cluster and releases all resources. A worker that has not completed reports a failure instead of
     * leaving. A relay continues until its children have all versions that they can still wait for, or have left. Under
     * {@code DeathPolicy.WAIT} and protocol {@code peer} all workers stay until the last one has completed, because
     * another node may need frames that they keep.
     *
     * @throws ClusterException with {@link Failure#TIMEOUT} if several coordinators have not decided in time that this
     *     worker has left: other nodes may declare it lost. All resources are released nevertheless
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
            end.settle();
            links.finishRelaying(rule.isBounded() ? declared.pushedRound() : Long.MAX_VALUE - 1);
            membership.leave(declared.pushedRound());
            end.await();
        } finally {
            CloseHelper.quietCloseAll(assembly, links);
        }
    }

    ConsistencyRule rule() {
        return rule;
    }

    /** The version that the open clock needs. */
    RequiredVersion required() {
        return required;
    }

    WorkerLinks links() {
        return links;
    }

    /** Requires that this worker has started and that its {@link RowClient} has declared all of its tables. */
    void requireRunnable(int ofClient) {
        calls.requireStarted("run()");
        if (ofClient != tables.size()) {
            throw calls.mistake(new IllegalStateException("the worker has " + tables.size() + " tables, but only "
                    + ofClient + " were declared through the RowClient; declare all tables through it"));
        }
    }

    /** Applies broadcasts that have arrived; never waits. */
    int poll() {
        return stages.sync().poll(tables);
    }

    private boolean hasCompleted() {
        boolean hasDrained = !calls.isHalfDone()
                && drainedAt == calls.clock()
                && tables.stream().allMatch(table -> table.pushedRound() <= calls.clock());
        return leaves || calls.hasStarted() && (hasDrained || !workerSet.takesPart());
    }
}
