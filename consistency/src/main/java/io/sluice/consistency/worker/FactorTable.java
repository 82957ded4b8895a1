package io.sluice.consistency.worker;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import io.sluice.consistency.membership.Membership;
import io.sluice.consistency.spi.FactorSelection;
import io.sluice.consistency.terms.ClusterException;
import io.sluice.consistency.terms.Failure;
import io.sluice.consistency.terms.TableSpec;
import io.sluice.filter.OuterProducts;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.agrona.concurrent.NanoClock;

/**
 * A parameter matrix whose updates are sums of outer products of vectors (Xie et al., SoCC 2018). Workers exchange the
 * vectors instead of the update: {@code groups * (rows + columns)} floats of each worker instead of
 * {@code rows * columns}. Each worker holds the matrix, servers do not.
 *
 * <pre>{@code
 * FactorTable weights = worker.factors("weights", rows, columns, batch, "all");
 * worker.start(Initialiser.ZEROS);          // all workers must give the same first values
 * while (!done) {
 *     FloatView w = weights.sync();
 *     for (Example x : batch) {
 *         weights.add(u(w, x), x.values()); // adds u v^T to this iteration's update
 *     }
 *     worker.clock();                       // selects vectors, and pushes them
 * }
 * }</pre>
 *
 * <p>Every replica adds the vectors of clock after clock in the order of workers, and for each worker in the order of
 * its groups, so replicas of the same version are identical bit for bit. Under SSP the matrix has the clocks up to its
 * version only, without this worker's updates that are under way.
 *
 * <p>Under protocol {@code peer} workers send each other the vectors. If a multicast does not reach all workers, the
 * replicas differ, and each has all groups of its own worker.
 *
 * <p>A copy for evaluation ({@link Worker#evaluationCopy()}) leaves factor tables out.
 *
 * <p>For the thread that owns the {@link Worker}. The steady state allocates nothing.
 */
public final class FactorTable {
    private final TrainerCalls calls;
    private final Membership membership;
    private final Declared declared;
    private final String name;
    private final int rows;
    private final int columns;
    private final int groups;
    private final FactorSelection selection;
    private final List<Table> carriers;
    private final Table left;
    private final Table right;

    /** Table that carries the mean of the replicas; null unless replicas are averaged. */
    private final Table mean;

    /** Exchange of vectors with other workers; null unless workers exchange vectors among themselves. */
    private final PeerVectors peers;

    private final int workers;
    private final OuterProducts products;
    private final MemorySegment matrix;
    private final FloatView view;
    private final WorkerStats stats;
    private final NanoClock clock;
    private SnapshotStage snapshots = SnapshotStage.NONE;
    private int added;
    private long version = -1;
    private long vectorBytes;
    private long sumBytes;
    private long addNs;

    /** The terms that all workers must declare alike; their text is a part of the digest that servers compare. */
    record Declared(TableSpec shape, int groups, String selection, int sent, String multicast) {}

    /** The tables that carry first vectors, second vectors and, unless null, the mean of the replicas. */
    record Carriers(Table left, Table right, Table mean) {
        List<Table> all() {
            return Stream.of(left, right, mean).filter(Objects::nonNull).toList();
        }
    }

    /** Creates a table without first values; {@link FactorTables} has checked the terms. */
    FactorTable(
            TrainerCalls calls,
            Membership membership,
            Declared declared,
            FactorSelection selection,
            Carriers carriers,
            PeerVectors peers,
            OuterProducts products,
            MemorySegment matrix,
            WorkerStats stats,
            NanoClock clock) {
        this.calls = calls;
        this.membership = membership;
        this.declared = declared;
        this.name = declared.shape().name();
        this.rows = declared.shape().rows();
        this.columns = declared.shape().columns();
        this.groups = declared.groups();
        this.selection = selection;
        this.carriers = carriers.all();
        this.left = carriers.left();
        this.right = carriers.right();
        this.mean = carriers.mean();
        this.peers = peers;
        this.workers = left.blocks().workers();
        this.products = products;
        this.matrix = matrix;
        this.view = new FloatView(matrix);
        this.stats = stats;
        this.clock = clock;
    }

    /** The name as declared. */
    public String name() {
        return name;
    }

    /** Number of rows: floats of the first vector of a group. */
    public int rows() {
        return rows;
    }

    /** Number of columns: floats of the second vector of a group. */
    public int columns() {
        return columns;
    }

    /**
     * Waits until the matrix is as fresh as the consistency rule demands for the next iteration, and adds the products
     * of all vectors of versions that have arrived completely.
     *
     * @return the matrix in row order; constant until the next {@code sync} of any table, {@link Worker#clock()} or
     *     {@link Worker#drain()}
     * @throws ClusterException      if the cluster fails while waiting, or with {@link Failure#NOT_FINITE} if an
     *     element becomes NaN or infinite
     * @throws IllegalStateException if the worker has not been started
     */
    public FloatView sync() {
        for (int i = 0; i < carriers.size(); i++) {
            carriers.get(i).sync();
        }
        consume();
        return view;
    }

    /** Waits as {@link #sync()} does, but only for versions that the open clock requires and that have not arrived. */
    void awaitRequired(TableSync sync) {
        for (int i = 0; i < carriers.size(); i++) {
            sync.catchUp(carriers.get(i));
        }
    }

    /**
     * The current matrix, without a wait.
     *
     * @return what {@link #sync()} returns
     */
    public FloatView view() {
        return view;
    }

    /**
     * Adds {@code u v^T} to this iteration's update, which {@link Worker#clock()} pushes.
     *
     * @param u one finite float for each row
     * @param v one finite float for each column
     * @throws IllegalArgumentException if a vector has another length; nothing is added then
     * @throws ClusterException         with {@link Failure#NOT_FINITE} if a value is NaN or infinite; nothing is added
     *     then
     * @throws IllegalStateException    if as many groups have been added in this iteration as were declared
     */
    public void add(float[] u, float[] v) {
        begin(u);
        requireLength("second vector", v.length, columns);
        requireFinite("second vector", v);
        MemorySegment.copy(v, 0, right.residual(), JAVA_FLOAT, offset(columns), columns);
        end(u);
    }

    /**
     * Like {@link #add(float[], float[])} for a sparse second vector, whose other elements are 0.
     *
     * @param u       one finite float for each row
     * @param indices columns of the second vector, each from 0; values of a column that occurs twice add up
     * @param values  one finite float for each index
     * @throws IllegalArgumentException  also if there are more or fewer values than indices
     * @throws IndexOutOfBoundsException if a column does not exist; nothing is added then
     */
    public void add(float[] u, int[] indices, float[] values) {
        begin(u);
        requireLength("list of values", values.length, indices.length);
        requireFinite("list of values", values);
        for (int i = 0; i < indices.length; i++) {
            if (indices[i] < 0 || indices[i] >= columns) {
                throw calls.mistake(new IndexOutOfBoundsException("index " + i + " of group " + added + " of table "
                        + name + " is " + indices[i] + ", expected 0 to " + (columns - 1)));
            }
        }
        MemorySegment batch = right.residual();
        long row = offset(columns);
        for (int i = 0; i < indices.length; i++) {
            long at = row + (long) indices[i] * Float.BYTES;
            float sum = batch.get(JAVA_FLOAT, at) + values[i];
            if (!Float.isFinite(sum)) {
                VectorBlocks.clear(batch, row, (long) columns * Float.BYTES);
                throw notFinite("list of values", "the sum " + sum + " at column " + indices[i]);
            }
            batch.set(JAVA_FLOAT, at, sum);
        }
        end(u);
    }

    private void begin(float[] u) {
        calls.requireStarted("add()");
        if (added == groups) {
            throw calls.mistake(new IllegalStateException("table " + name + " is given group " + (added + 1)
                    + " in iteration " + (calls.clock() + 1) + ", expected at most " + groups + " as declared"));
        }
        requireLength("first vector", u.length, rows);
        requireFinite("first vector", u);
    }

    private void end(float[] u) {
        MemorySegment.copy(u, 0, left.residual(), JAVA_FLOAT, offset(rows), rows);
        added++;
    }

    /** Offset of the next group in a batch of vectors, in bytes. */
    private long offset(int length) {
        return (long) added * length * Float.BYTES;
    }

    private void requireLength(String what, int given, int expected) {
        if (given != expected) {
            throw calls.mistake(new IllegalArgumentException("the " + what + " of group " + added + " of table " + name
                    + " has " + given + " floats, expected " + expected));
        }
    }

    private void requireFinite(String what, float[] values) {
        for (int i = 0; i < values.length; i++) {
            if (!Float.isFinite(values[i])) {
                throw notFinite(what, values[i] + " at index " + i);
            }
        }
    }

    private RuntimeException notFinite(String what, String given) {
        return calls.mistake(new ClusterException(
                Failure.NOT_FINITE,
                "the " + what + " of group " + added + " of table " + name + " in clock " + (calls.clock() + 1)
                        + " has " + given + ", expected finite numbers"));
    }

    /**
     * The version of the matrix: it has the vectors of all workers up to that clock, as far as a multicast sends them.
     *
     * @return clock, -1 before the start
     */
    public long version() {
        return version;
    }

    /**
     * Bytes of the vectors that this worker was sent and has added, without headers of frames and without pushes.
     * Servers send a worker its own vectors, too; other workers do not.
     *
     * @return bytes of the elements that are not zero and of their indices, of all versions that this worker has added
     */
    public long vectorBytes() {
        return vectorBytes;
    }

    /**
     * Bytes that the same broadcasts of an ordinary table with the filter {@code none} would have cost. Where it is
     * below {@link #vectorBytes}, an ordinary table is cheaper.
     *
     * @return bytes of the non-zero elements of the update of each version, and of their indices
     */
    public long updateBytes() {
        return sumBytes;
    }

    /**
     * Time in which this worker has added products, which also counts as waiting time.
     *
     * @return nanoseconds since the worker joined
     */
    public long addNs() {
        return addNs;
    }

    /** Number of the table of first vectors, which also numbers this table. */
    int id() {
        return left.spec().id();
    }

    Declared declared() {
        return declared;
    }

    /** The tables of vectors and, if replicas are averaged, of the mean. */
    List<Table> carriers() {
        return carriers;
    }

    Table left() {
        return left;
    }

    Table right() {
        return right;
    }

    /** The maximum number of slices of a table of its vectors that this worker pushes in a round. */
    long slicesOfRound(Table carrier) {
        int clocks = null == peers ? 1 : peers.multicast().depth();
        return (long) clocks * carrier.blocks().slices() + carrier.blocks().ofMatrix();
    }

    /** The table that averages replicas; null for none. */
    Table mean() {
        return mean;
    }

    /** This worker's exchange with others; null if servers pass vectors on. */
    PeerVectors peers() {
        return peers;
    }

    MemorySegment matrix() {
        return matrix;
    }

    /** The state that the selection keeps from clock to clock. */
    MemorySegment kept() {
        return selection.state();
    }

    /** Fills the matrix with first values. */
    void start(Initialiser initialiser) {
        FirstValues first = new FirstValues(declared.shape(), initialiser);
        for (int row = 0; row < rows; row++) {
            float[] values = first.next(columns);
            MemorySegment.copy(values, 0, matrix, JAVA_FLOAT, (long) row * columns * Float.BYTES, columns);
            for (int column = 0; column < columns; column++) {
                if (!Float.isFinite(values[column])) {
                    throw new IllegalArgumentException("the initialiser gives table " + name + " the value "
                            + values[column] + " at row " + row + ", column " + column + ", expected finite numbers");
                }
            }
        }
    }

    /** Adds the stage that copies the matrix for snapshots. */
    void compose(SnapshotStage stage) {
        snapshots = stage;
    }

    /** Continues after a version that the matrix has. */
    void continueFrom(long begun) {
        version = begun;
        if (null != peers) {
            peers.continueFrom(begun);
        }
    }

    /** Selects vectors of the open clock and pushes them; all versions that have arrived are consumed. */
    void push(long round) {
        long startNs = clock.nanoTime();
        if (null != peers) {
            peers.keep(left.residual(), right.residual());
            peers.begin(round);
        }
        int sent = select(round);
        if (sent < 0 || sent > declared.sent()) {
            throw new IllegalStateException("the selection " + declared.selection() + " of table " + name + " sends "
                    + sent + " groups, expected 0 to " + declared.sent());
        }
        stats.onPush(clock.nanoTime() - startNs);
        clear(left.residual(), sent, rows);
        clear(right.residual(), sent, columns);
        added = 0;
        left.push().push(null, round);
        right.push().push(null, round);
        if (null != peers) {
            peers.end(round);
        }
    }

    private int select(long round) {
        try {
            return selection.select(left.residual(), right.residual(), added, round);
        } catch (ArithmeticException e) {
            throw membership.fail(
                    Failure.NOT_FINITE,
                    "the selection " + declared.selection() + " of table " + name + " fails in clock " + round + ": "
                            + e.getMessage(),
                    e);
        }
    }

    /** Clears the vectors that are not sent. */
    private void clear(MemorySegment batch, int sent, int length) {
        VectorBlocks.clear(batch, (long) sent * length * Float.BYTES, (long) (added - sent) * length * Float.BYTES);
    }

    /** Adds the products of all versions that both tables of vectors have. */
    void consume() {
        long complete = Long.MAX_VALUE;
        for (int i = 0; i < carriers.size(); i++) {
            complete = Math.min(complete, carriers.get(i).version());
        }
        if (version == complete) {
            return;
        }
        long startNs = clock.nanoTime();
        stats.beginWait(startNs); // counted as waiting, like the time in which other tables apply broadcasts
        while (version < complete) {
            consumeNext();
            snapshots.capture(this);
        }
        long endNs = clock.nanoTime();
        stats.endWait(endNs);
        addNs += endNs - startNs;
    }

    /** Adds the products of the next version, which all tables have that carry it. */
    void consumeNext() {
        products.begin();
        if (null != mean && version + 1 > 0) {
            replace(version + 1);
        }
        for (int worker = 0; worker < workers; worker++) {
            long before = products.vectorBytes();
            consume(worker, version + 1);
            boolean isSent = null == peers || worker != peers.worker(); // a server sends a worker its own vectors, too
            vectorBytes += isSent ? products.vectorBytes() - before : 0;
        }
        sumBytes += products.sumBytes();
        version++;
    }

    /** Replaces the replica by that of the worker before, and its averaged slices by the mean of all. */
    private void replace(long round) {
        if (peers.multicast().rotates(round)) {
            VectorBlocks blocks = right.blocks();
            long bytes = (long) blocks.sliceElements() * Float.BYTES;
            for (int part = 0; part * bytes < matrix.byteSize(); part++) {
                long at = right.offset(blocks.sliceOfMatrix(part));
                long length = Math.min(bytes, matrix.byteSize() - part * bytes);
                MemorySegment.copy(right.replica(), at, matrix, part * bytes, length);
                VectorBlocks.clear(right.replica(), at, length);
            }
        }
        Averaging.replace(mean, peers.multicast(), round, matrix);
    }

    /** Adds the vectors that a worker sent in a clock, or in the clocks before that it had not sent. */
    private void consume(int worker, long round) {
        if (null == peers) {
            consumeBlock(worker, round);
        } else if (worker != peers.worker()) {
            for (long clock = peers.firstGot(worker, round); clock <= round; clock++) {
                consumeBlock(worker, clock);
            }
        } else if (peers.keepsBatch()) {
            if (!peers.addKept(products, matrix)) {
                throw notFinite(worker, round);
            }
        } else if (!add(worker, round)) { // the block stays until it is written again
            throw notFinite(worker, round);
        }
    }

    private void consumeBlock(int worker, long round) {
        if (!add(worker, round)) {
            throw notFinite(worker, round);
        }
        VectorBlocks.clear(
                left.replica(),
                left.blocks().offset(worker, round),
                left.blocks().bytes());
        VectorBlocks.clear(
                right.replica(),
                right.blocks().offset(worker, round),
                right.blocks().bytes());
    }

    private boolean add(int worker, long round) {
        VectorBlocks u = left.blocks();
        long uAt = u.offset(worker, round);
        long vAt = right.blocks().offset(worker, round);
        return products.add(left.replica(), uAt, right.replica(), vAt, u.vectors(), matrix);
    }

    private ClusterException notFinite(int worker, long round) {
        long at = 0;
        while (Float.isFinite(view.get(at))) {
            at++;
        }
        return membership.fail(
                Failure.NOT_FINITE,
                "the vectors that worker " + worker + " pushed for table " + name + " in clock " + round + " make "
                        + view.get(at) + " of row " + at / columns + ", column " + at % columns
                        + ", expected finite numbers");
    }
}
