package io.sluice.consistency.worker;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import io.sluice.consistency.placement.Placement;
import io.sluice.consistency.terms.ClusterException;
import io.sluice.consistency.terms.Failure;
import io.sluice.consistency.terms.TableSpec;
import io.sluice.filter.kernel.Kernels;
import io.sluice.filter.spi.NotFiniteException;
import io.sluice.tree.RouteTable;
import java.lang.foreign.MemorySegment;
import java.util.function.IntConsumer;

/**
 * A parameter vector or matrix (a layer) of the model. In each iteration the trainer calls {@link #sync()} before it
 * computes, {@link #update} with the result, and {@link Worker#clock()} at the end.
 *
 * <p>For the thread that owns the {@link Worker}; calls that change a table throw {@link WrongThreadException} on any
 * other thread. The steady state allocates nothing.
 */
public final class Table {
    private final TrainerCalls calls;
    private final Kernels kernels;
    private final TableSpec spec;
    private final int firstKey;
    private final MemorySegment replica;
    private final MemorySegment residual;
    private final MemorySegment read;
    private final FloatView view;
    private final FloatView pending;
    private final UpdateCheck finite;

    /** The vectors that the table carries; null unless workers consume the table. */
    private VectorBlocks blocks;

    private TablePush push;
    private TableSync sync;
    private Placement placement;
    private TableIntake intake;
    private OwnWrites ownWrites = OwnWrites.NONE;
    private SliceWrites writes = SliceWrites.NONE;
    private long pushedRound = -1;
    private Object lastGiven;
    private Update lastUpdate;

    /**
     * Creates a table without its stages, which {@link #compose} adds.
     *
     * @param calls    calls of the trainer
     * @param kernels  kernels to run
     * @param spec     spec of the table
     * @param firstKey first key of its first slice: keys number the slices of all tables
     * @param replica  replica of the parameters
     * @param residual residual of the updates
     * @param read     memory that the trainer reads: the replica, or a copy of the same size
     */
    Table(
            TrainerCalls calls,
            Kernels kernels,
            TableSpec spec,
            int firstKey,
            MemorySegment replica,
            MemorySegment residual,
            MemorySegment read) {
        this.calls = calls;
        this.kernels = kernels;
        this.spec = spec;
        this.firstKey = firstKey;
        this.replica = replica;
        this.residual = residual;
        this.read = read;
        this.view = new FloatView(read);
        this.pending = new FloatView(residual);
        this.finite = UpdateCheck.finite(spec, kernels, calls);
    }

    /** Adds the stages. */
    void compose(TablePush newPush, TableSync newSync, OwnWrites newOwnWrites) {
        push = newPush;
        sync = newSync;
        ownWrites = newOwnWrites;
    }

    /**
     * Name, shape and slices.
     *
     * @return the spec
     */
    public TableSpec spec() {
        return spec;
    }

    /**
     * Waits until the parameters are as fresh as the consistency rule demands for the next iteration, and applies all
     * received broadcasts. Under {@code ssp} and {@code tap} the parameters also include this worker's updates that
     * have not returned in a broadcast yet, unless {@link WorkerContext#readMyWrites} is off.
     *
     * @return the parameters; constant until the next {@code sync} of any table
     * @throws ClusterException      if the cluster fails while waiting
     * @throws IllegalStateException if the worker has not been started
     */
    public FloatView sync() {
        calls.requireStarted("sync()");
        sync.sync(this);
        return view;
    }

    /**
     * Pushes this iteration's update. For each slice the filter splits residual + update: the kept elements are sent,
     * and the others become the residual. At most once per iteration; {@link Worker#clock()} pushes a table without an
     * update, including all increments by {@link #inc}.
     *
     * @param update one float per parameter, in row order; not changed, and reusable on return
     * @throws IllegalArgumentException if the update has a different length; nothing is pushed then
     * @throws ClusterException         with {@link Failure#NOT_FINITE} if the update holds NaN or infinity; nothing is
     *     pushed then, and the trainer may update again
     * @throws IllegalStateException    if the table was already updated in this iteration
     */
    public void update(float[] update) {
        calls.requireStarted("update()");
        push.update(given(update));
    }

    /**
     * Like {@link #update(float[])}, from native memory or a part of an array.
     *
     * @param update {@code 4 * rows * columns} bytes of floats in native order; until this returns, no other thread may
     *     close its arena, which could end the process
     * @throws IllegalArgumentException also if it is on the heap in anything but a writable array of floats
     */
    public void update(MemorySegment update) {
        calls.requireStarted("update()");
        push.update(given(update));
    }

    /**
     * Like {@link #update(float[])} for few changed parameters; the update of all others is 0.
     *
     * @param indices positions in row order, below {@code rows * columns}; values of an index that occurs twice add up
     * @param values  one finite float for each index
     * @throws IllegalArgumentException  if the lengths differ; nothing is pushed then
     * @throws ClusterException          with {@link Failure#NOT_FINITE} if a value is not finite; nothing is pushed
     *     then
     * @throws IndexOutOfBoundsException if a parameter does not exist; nothing is pushed then
     * @throws IllegalStateException     if the table was already updated in this iteration
     */
    public void update(int[] indices, float[] values) {
        calls.requireStarted("update()");
        if (indices.length != values.length) {
            throw calls.mistake(new IllegalArgumentException("the update of table " + spec.name() + " has "
                    + indices.length + " indices and " + values.length + " values, expected equal numbers"));
        }
        for (int i = 0; i < indices.length; i++) {
            if (indices[i] < 0 || indices[i] >= spec.elements()) {
                throw calls.mistake(new IndexOutOfBoundsException("index " + i + " of the update of table "
                        + spec.name() + " is " + indices[i] + ", expected 0 to " + (spec.elements() - 1)));
            }
            if (!Float.isFinite(values[i])) {
                throw UpdateCheck.notFinite(spec, calls, indices[i], values[i]);
            }
        }
        push.update(indices, values);
    }

    /**
     * Like {@link #update(float[])} for few changed rows; the update of all others is 0.
     *
     * @param rows   numbers of rows, from 0; values of a row that occurs twice add up
     * @param values finite floats, {@code columns} for each of these rows, one row after the other
     * @throws IllegalArgumentException  if there are more or fewer values; nothing is pushed then
     * @throws ClusterException          with {@link Failure#NOT_FINITE} if a value is not finite; nothing is pushed
     *     then
     * @throws IndexOutOfBoundsException if a row does not exist; nothing is pushed then
     * @throws IllegalStateException     if the table was already updated in this iteration
     */
    public void updateRows(int[] rows, float[] values) {
        calls.requireStarted("updateRows()");
        requireRows(rows, values);
        for (int i = 0; i < values.length; i++) {
            if (!Float.isFinite(values[i])) {
                long row = rows[i / spec.columns()];
                throw UpdateCheck.notFinite(spec, calls, row * spec.columns() + i % spec.columns(), values[i]);
            }
        }
        push.updateRows(rows, values);
    }

    private void requireRows(int[] rows, float[] values) {
        if ((long) rows.length * spec.columns() != values.length) {
            throw calls.mistake(new IllegalArgumentException(
                    rows.length + " rows of table " + spec.name() + " with " + spec.columns()
                            + " columns were given " + values.length + " floats, expected "
                            + (long) rows.length * spec.columns()));
        }
        for (int i = 0; i < rows.length; i++) {
            if (rows[i] < 0 || rows[i] >= spec.rows()) {
                throw calls.mistake(new IndexOutOfBoundsException("rows[" + i + "] of table " + spec.name() + " is "
                        + rows[i] + ", expected 0 to " + (spec.rows() - 1)));
            }
        }
    }

    /**
     * Adds to this iteration's update without pushing it, for trainers with several steps per iteration. {@link
     * #update} pushes the sum together with its own argument, or {@link Worker#clock()} pushes it. Under {@code
     * Protocol.MANAGED} the worker sends the most significant slices earlier, while the budget is not used up; a {@link
     * #sync()} between two steps applies such parts of other workers.
     *
     * @param update one float per parameter, in row order; not changed, and reusable on return
     * @throws IllegalArgumentException if the update has a different length; nothing is added then
     * @throws ClusterException         with {@link Failure#NOT_FINITE} if the update holds NaN or infinity; nothing is
     *     added then
     * @throws IllegalStateException    if the table was already updated in this iteration, or has not been synced
     */
    public void accumulate(float[] update) {
        calls.requireStarted("accumulate()");
        push.accumulate(given(update));
    }

    /**
     * Like {@link #accumulate(float[])}, from native memory or a part of an array.
     *
     * @param update {@code 4 * rows * columns} bytes of floats in native order; until this returns, no other thread may
     *     close its arena, which could end the process
     * @throws IllegalArgumentException also if it is on the heap in anything but a writable array of floats
     */
    public void accumulate(MemorySegment update) {
        calls.requireStarted("accumulate()");
        push.accumulate(given(update));
    }

    private Update given(float[] update) {
        requireLength((long) update.length * Float.BYTES);
        if (update != lastGiven) {
            lastGiven = update;
            lastUpdate = new Update.InArray(update, 0);
        }
        return lastUpdate;
    }

    private Update given(MemorySegment update) {
        requireLength(update.byteSize());
        if (update != lastGiven) {
            lastUpdate = Update.of(update);
            lastGiven = update;
        }
        return lastUpdate;
    }

    /** Syncs if an update would be refused at the present version. */
    void syncIfRequired() {
        if (!push.isRecent()) {
            sync();
        }
    }

    /** A trainer's update that has been checked: its length, and that all its values are finite. */
    Update checked(float[] update) {
        return checked(given(update));
    }

    Update checked(MemorySegment update) {
        return checked(given(update));
    }

    private Update checked(Update update) {
        calls.requireStarted("add()");
        finite.require(update);
        return update;
    }

    /** Adds a part of an update to memory that has the table's shape. */
    void addTo(MemorySegment sums, Update update, long start, int count) {
        try {
            update.addTo(sums, kernels, start, count);
        } catch (NotFiniteException e) {
            throw calls.failed(new ClusterException(
                    Failure.NOT_FINITE,
                    "the local steps of table " + spec.name() + " in clock " + (calls.clock() + 1) + " make " + e.sum()
                            + " of element " + (start + e.element()) + ", expected finite numbers"));
        }
    }

    private void requireLength(long bytes) {
        if (bytes != spec.elements() * Float.BYTES) {
            String given = bytes % Float.BYTES == 0 ? bytes / Float.BYTES + " floats" : bytes + " bytes";
            throw calls.mistake(new IllegalArgumentException("the update of table " + spec.name() + " has " + given
                    + ", expected " + spec.elements() + " floats"));
        }
    }

    /**
     * Adds to the pending update of one parameter, which is pushed at the end of the iteration. For models whose
     * updates touch few rows.
     *
     * @param row    row from 0
     * @param column column from 0
     * @param value  finite number to add
     * @throws IndexOutOfBoundsException if a parameter does not exist
     * @throws ClusterException          with {@link Failure#NOT_FINITE} if the pending update would be NaN or infinite
     */
    public void inc(int row, int column, float value) {
        calls.requireStarted("inc()");
        long element = index(row, column);
        long at = element * Float.BYTES;
        float sum = residual.get(JAVA_FLOAT, at) + value;
        if (!Float.isFinite(sum)) {
            throw calls.mistake(new ClusterException(
                    Failure.NOT_FINITE,
                    "the increment of table " + spec.name() + " in clock " + (calls.clock() + 1) + " is " + value
                            + " at row " + row + ", column " + column + ", which makes " + sum
                            + ", expected finite numbers"));
        }
        residual.set(JAVA_FLOAT, at, sum);
        push.touched(element);
    }

    /**
     * Adds to one row's pending update.
     *
     * @param row    row from 0
     * @param values one float per column; nothing is added if a sum would not be finite
     */
    public void incRow(int row, float[] values) {
        calls.requireStarted("incRow()");
        if (values.length != spec.columns()) {
            throw calls.mistake(new IllegalArgumentException("row " + row + " of table " + spec.name() + " was given "
                    + values.length + " values, expected " + spec.columns()));
        }
        for (int column = 0; column < values.length; column++) {
            if (!Float.isFinite(residual.get(JAVA_FLOAT, index(row, column) * Float.BYTES) + values[column])) {
                inc(row, column, values[column]); // throws, because the sum is not finite; inc() makes the message
            }
        }
        for (int column = 0; column < values.length; column++) {
            inc(row, column, values[column]);
        }
    }

    /**
     * The value of a parameter.
     *
     * @param row    row from 0
     * @param column column from 0
     * @return its value as of the last {@code sync}
     */
    public float get(int row, int column) {
        return view.get(index(row, column));
    }

    /**
     * Copies one row of parameters, as of the last {@code sync}.
     *
     * @param row    row from 0
     * @param target receives one float per column
     */
    public void getRow(int row, float[] target) {
        if (target.length != spec.columns()) {
            throw new IllegalArgumentException("row " + row + " of table " + spec.name() + " has " + spec.columns()
                    + " columns, expected that many floats in the array, which has " + target.length);
        }
        view.copyTo(index(row, 0), target);
    }

    /**
     * Copies rows of parameters, as of the last {@code sync}.
     *
     * @param rows   numbers of rows, from 0, in any order
     * @param target receives one float per column and row, one row after the other
     * @throws IllegalArgumentException if {@code target} has a different length
     * @throws IndexOutOfBoundsException if a row does not exist; nothing is copied then
     */
    public void getRows(int[] rows, float[] target) {
        requireRows(rows, target);
        for (int i = 0; i < rows.length; i++) {
            view.copyTo((long) rows[i] * spec.columns(), target, i * spec.columns(), spec.columns());
        }
    }

    /**
     * The values that this worker has not sent yet: increments and accumulated updates of this iteration, and the
     * elements that the filter holds back. Added to {@link #view()}, it lets a trainer read its own increments within
     * an iteration. Under the protocol {@code managed} it lacks parts that were sent early: they are in neither until
     * their broadcast arrives.
     *
     * @return the pending update; it changes as the trainer adds to it or pushes
     */
    public FloatView pending() {
        return pending;
    }

    /**
     * The version of the replica: it holds all updates of all workers up to that clock, except residuals.
     *
     * @return clock, -1 before the start
     */
    public long version() {
        return null == intake ? -1 : intake.version();
    }

    /**
     * Largest magnitude in this worker's residual.
     *
     * @return at most the threshold of the last update
     */
    public float residualMaxAbs() {
        return new Update.InMemory(residual).maxAbs(kernels, spec.elements());
    }

    MemorySegment replica() {
        return replica;
    }

    /** Lets the residual hold only the block of this worker's open clock. */
    Table carrying(VectorBlocks vectors) {
        blocks = vectors;
        return this;
    }

    VectorBlocks blocks() {
        return blocks;
    }

    /** The memory that the trainer reads. */
    MemorySegment read() {
        return read;
    }

    MemorySegment residual() {
        return residual;
    }

    TableIntake intake() {
        return intake;
    }

    /** Lets other threads read the table: {@code newWrites} is notified before and after a slice changes. */
    void share(SliceWrites newWrites) {
        writes = newWrites;
    }

    SliceWrites writes() {
        return writes;
    }

    OwnWrites ownWrites() {
        return ownWrites;
    }

    /**
     * The current parameters, without a wait.
     *
     * @return what {@link #sync()} returns
     */
    public FloatView view() {
        return view;
    }

    /** Offset of a slice in the replica, in bytes. */
    long offset(int slice) {
        return spec.sliceStart(slice) * Float.BYTES;
    }

    boolean isOwner(int server, int slice) {
        return slice < spec.slices() && placement.owner(spec.id(), slice) == server;
    }

    int owner(int slice) {
        return placement.owner(spec.id(), slice);
    }

    int firstKey() {
        return firstKey;
    }

    TablePush push() {
        return push;
    }

    /** Sets the owners of the slices and the last round that has been pushed completely. */
    void placed(Placement agreed, long version) {
        placement = agreed;
        pushedRound = version;
    }

    /**
     * Switches to the owners of a round that is about to be pushed. All earlier versions have arrived; nothing of this
     * round can have, because it requires this push.
     *
     * @param round  round that may be begun
     * @param now    owners of slices in it
     * @param gained receives each server that had no slice of the table before
     */
    void follow(long round, Placement now, IntConsumer gained) {
        if (now != placement) {
            placement = now;
            intake.follow(spec.id(), spec.slices(), now, round, gained);
        }
    }

    /** The owners of the table's slices in the latest round. */
    Placement placement() {
        return placement;
    }

    /** Opens the ledgers of received frames. */
    void receive(RouteTable routes, int servers, TableIntake.Maker maker) {
        intake = maker.make(spec.id(), spec.slices(), placement, routes, servers, pushedRound);
    }

    /** Starts after a version that was transferred. */
    void continueFrom(long version) {
        pushedRound = version;
        intake.continueFrom(version);
    }

    long pushedRound() {
        return pushedRound;
    }

    void pushed(long round) {
        pushedRound = round;
    }

    private long index(int row, int column) {
        if (row < 0 || row >= spec.rows() || column < 0 || column >= spec.columns()) {
            boolean isRow = row < 0 || row >= spec.rows();
            throw calls.mistake(new IndexOutOfBoundsException((isRow ? "row " + row : "column " + column) + " of table "
                    + spec.name() + " does not exist, expected 0 to " + ((isRow ? spec.rows() : spec.columns()) - 1)));
        }
        return (long) row * spec.columns() + column;
    }
}
