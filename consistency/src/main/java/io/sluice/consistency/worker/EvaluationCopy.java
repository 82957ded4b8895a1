package io.sluice.consistency.worker;

import io.sluice.codecs.OffHeap;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * A copy of a worker's parameters at one version, for a thread that evaluates the model while the training continues.
 *
 * <pre>{@code
 * // trainer                                     // evaluating thread
 * table.sync();                                  long version;
 * copy.offer();                                  while ((version = copy.await()) >= 0) {
 * ...                                                evaluate(copy.view(table));
 *                                                    copy.release();
 *                                                }
 * }</pre>
 *
 * <p>The copy contains broadcasts only, without this worker's updates that have not returned from the server. At the
 * same version, all workers' copies are identical bit for bit. Its memory, 4 bytes for each parameter, is allocated
 * once.
 *
 * <p>{@link #offer()} is for the thread that owns the worker, and allocates nothing. One other
 * thread calls all other methods; any thread may call {@link #close()}.
 */
public final class EvaluationCopy implements AutoCloseable {
    private static final long NONE = -1;

    private final TrainerCalls calls;
    private final List<Table> tables;
    private final List<MemorySegment> copies = new ArrayList<>();
    private final List<FloatView> views = new ArrayList<>();
    private final Object state = new Object();

    /** Whether the evaluating thread waits for a copy; the trainer's thread then owns the memory. */
    private volatile boolean wanted;

    private long version = NONE;
    private boolean closed;

    EvaluationCopy(TrainerCalls calls, List<Table> tables) {
        this.calls = calls;
        this.tables = List.copyOf(tables);
        for (Table table : tables) {
            MemorySegment copy = OffHeap.allocate(table.replica().byteSize());
            copies.add(copy);
            views.add(new FloatView(copy));
        }
    }

    /**
     * Copies all tables if the evaluating thread waits for a copy and all replicas are exactly at one version. Under
     * {@code ssp} and {@code tap} a replica may have some slices of the next version already; a later call copies then.
     * Call it after the {@code sync} of the last table. Never waits.
     *
     * @return whether it has copied
     */
    public boolean offer() {
        calls.requireStarted("offer()");
        if (!wanted) {
            return false;
        }
        long exact = tables.getFirst().intake().exactVersion();
        for (int i = 0; i < tables.size(); i++) {
            if (exact < 0 || tables.get(i).intake().exactVersion() != exact) {
                return false;
            }
        }
        for (int i = 0; i < copies.size(); i++) {
            MemorySegment copy = copies.get(i);
            MemorySegment.copy(tables.get(i).replica(), 0, copy, 0, copy.byteSize());
        }
        synchronized (state) {
            wanted = false;
            version = exact;
            state.notifyAll();
        }
        return true;
    }

    /**
     * Waits for a copy, which does not change until {@link #release()}.
     *
     * @return its version, or -1 if this object is closed and no further copy follows
     * @throws InterruptedException if this thread is interrupted
     */
    public long await() throws InterruptedException {
        synchronized (state) {
            while (version < 0 && !closed) {
                wanted = true;
                state.wait();
            }
            return version;
        }
    }

    /**
     * The parameters of a table in the copy.
     *
     * @param table table of this worker
     * @return to be read between {@link #await()} and {@link #release()}
     * @throws IllegalArgumentException if the table is another worker's, or was declared after the copy was made
     */
    public FloatView view(Table table) {
        int at = tables.indexOf(table);
        if (at < 0) {
            throw new IllegalArgumentException("table " + table.spec().name() + " is not in this copy of "
                    + tables.size() + " tables, expected a table that the worker declared before it made the copy");
        }
        return views.get(at);
    }

    /** Releases the copy, so that the trainer may write the next one. */
    public void release() {
        synchronized (state) {
            version = NONE;
        }
    }

    /** Ends the wait for a copy. The worker does so when it is closed; any thread may. */
    @Override
    public void close() {
        synchronized (state) {
            closed = true;
            wanted = false;
            state.notifyAll();
        }
    }
}
