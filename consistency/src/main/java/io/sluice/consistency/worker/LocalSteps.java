package io.sluice.consistency.worker;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import io.sluice.codecs.OffHeap;
import io.sluice.consistency.terms.ClusterException;
import io.sluice.consistency.terms.Failure;
import io.sluice.consistency.terms.Protocol;
import io.sluice.consistency.terms.TrainerState;
import io.sluice.filter.kernel.Kernels;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Takes several steps on private copies of tables between two clocks, for links that are slow beside a step. A worker
 * pushes the sum of the steps that it has added since its last push; the rule of the cluster makes one outer step of
 * the pushes of all workers: {@code mean} averages them, {@code nesterov:0.7,0.9;outer} is DiLoCo (Douillard et al.
 * 2023, algorithm 1), and {@code mean} with the filter {@code topk:0.03;decay=0.95} is SparseLoCo (Sarfi et al. 2025).
 *
 * <pre>{@code
 * LocalSteps local = LocalSteps.of(worker, 16, weights, bias);
 * worker.start(initialiser);
 * while (...) {
 *     FloatView w = local.parameters(weights);
 *     local.add(weights, stepOf(w, ...)); // what the trainer's own optimiser adds to the parameters
 *     local.add(bias, ...);
 *     local.step();                       // each 16th step pushes, ends a clock, and takes the new parameters
 * }
 * }</pre>
 *
 * <p><b>Fragments</b> (Streaming DiLoCo, Douillard et al. 2025): with F {@link #fragments}, a clock ends after every
 * H / F steps and pushes every F-th table only, so a link carries at most a share of the model at a time. The new
 * parameters of a fragment may be taken some {@linkplain #delay steps later}, while the worker computes.
 *
 * <p>Call {@link Table#sync}, {@link Table#update}, {@link Table#accumulate} and {@link Worker#clock} for none of these
 * tables. With a consistency rule other than BSP a copy begins from what the rule allows. With H = 1 and no delay the
 * parameters are those of a trainer without local steps, bit for bit.
 *
 * <p>As {@link Worker#trainerState} it lets a job continue from a snapshot. What a worker has added since its last push
 * is lost with it. For the thread that owns the worker. Memory: two copies of each table. Adding and stepping allocate
 * nothing.
 */
public final class LocalSteps implements TrainerState {
    private static final long NEVER = -1;

    private final Worker worker;
    private final List<Copy> copies = new ArrayList<>();
    private final Map<Table, Copy> byTable = new HashMap<>();
    private final int steps;
    private int fragments = 1;
    private int delay;
    private float mixing = Float.NaN;

    /** Steps taken, and the step after which the new parameters of the pushed fragment are taken. */
    private long taken;

    private long due = NEVER;
    private boolean begun;

    private LocalSteps(Worker worker, int steps) {
        this.worker = worker;
        this.steps = steps;
    }

    /**
     * Prepares local steps.
     *
     * @param worker worker that owns the tables
     * @param steps steps between two pushes of a table (H), 1 or more
     * @param tables tables that the steps change; fragments take them in turn
     * @throws IllegalArgumentException if there is no step or no table, a table is given twice or carries vectors, or
     *     the protocol is {@code managed}, which sends parts of updates before a push
     */
    public static LocalSteps of(Worker worker, int steps, Table... tables) {
        if (steps < 1) {
            throw new IllegalArgumentException("there are " + steps + " local steps, expected 1 or more");
        }
        if (tables.length == 0) {
            throw new IllegalArgumentException("local steps have no table, expected 1 or more");
        }
        if (worker.settings().protocol() == Protocol.MANAGED) {
            throw new IllegalArgumentException(
                    "the protocol is managed, expected another one for local steps: it sends parts of updates early");
        }
        LocalSteps local = new LocalSteps(worker, steps);
        for (Table table : tables) {
            if (null != table.blocks()) {
                throw new IllegalArgumentException("table " + table.spec().name()
                        + " carries vectors of a factor table, expected an ordinary table for local steps");
            }
            Copy copy = new Copy(table);
            if (null != local.byTable.put(table, copy)) {
                throw new IllegalArgumentException(
                        "table " + table.spec().name() + " is given twice, expected each table once");
            }
            local.copies.add(copy);
        }
        return local;
    }

    /**
     * Pushes the tables in turns, every F-th in a clock, with a clock after every H / F steps.
     *
     * @param count number of fragments (F), from 1 to the number of tables; divides the number of steps
     * @return this
     */
    public LocalSteps fragments(int count) {
        requireNew("fragments()");
        if (count < 1 || count > copies.size() || steps % count != 0) {
            throw new IllegalArgumentException("there are " + count + " fragments of " + copies.size() + " tables and "
                    + steps + " steps, expected at most one for each table, and a number that divides the steps");
        }
        fragments = count;
        delay(delay);
        return this;
    }

    /**
     * Takes new parameters some steps after the push, and keeps the steps in between: they are added to the new
     * parameters.
     *
     * @param later number of steps, from 0 to less than H / F
     * @return this
     */
    public LocalSteps delay(int later) {
        requireNew("delay()");
        if (later < 0 || later >= steps / fragments) {
            throw new IllegalArgumentException(
                    "new parameters are taken " + later + " steps after a push, expected 0 to "
                            + (steps / fragments - 1) + ": less than the steps of a clock");
        }
        delay = later;
        return this;
    }

    /**
     * Takes new parameters some steps after the push, mixed with the copy (Streaming DiLoCo, equation 3): the copy
     * becomes M copy + (1 - M) new, and what differs from the new parameters belongs to the next push.
     *
     * @param later number of steps, from 0 to less than H / F
     * @param share share of the copy (M), from 0 to below 1
     * @return this
     */
    public LocalSteps delay(int later, float share) {
        if (!(share >= 0 && share < 1)) {
            throw new IllegalArgumentException(
                    "the share of a worker's own copy is " + share + ", expected 0 to less than 1");
        }
        delay(later);
        mixing = share;
        return this;
    }

    private void requireNew(String call) {
        if (begun) {
            throw new IllegalStateException(call + " is called after the first step, expected before");
        }
    }

    /**
     * The private copy of a table.
     *
     * @param table one of the tables
     * @return the parameters with all local steps; they change with {@link #add} and {@link #step}
     * @throws ClusterException if the cluster fails while the worker waits for the first values
     */
    public FloatView parameters(Table table) {
        Copy copy = copy(table);
        begin();
        return copy.view;
    }

    /**
     * Adds to the copy of a table.
     *
     * @param table one of the tables
     * @param update one float per parameter, in row order; not changed, and reusable on return
     * @throws IllegalArgumentException if the update has another length; nothing is added then
     * @throws ClusterException with {@link Failure#NOT_FINITE} if the update or a sum is NaN or infinite. Nothing is
     *     added if the update is not finite; a sum that is not finite ends the job
     */
    public void add(Table table, float[] update) {
        add(copy(table), table.checked(update));
    }

    /**
     * Like {@link #add(Table, float[])}, from native memory or a part of an array.
     *
     * @param update {@code 4 * rows * columns} bytes of floats in native order
     */
    public void add(Table table, MemorySegment update) {
        add(copy(table), table.checked(update));
    }

    private void add(Copy copy, Update update) {
        begin();
        copy.add(update);
    }

    private Copy copy(Table table) {
        Copy copy = byTable.get(table);
        if (null == copy) {
            throw new IllegalArgumentException(
                    "table " + table.spec().name() + " is not one of the local steps' tables");
        }
        return copy;
    }

    /**
     * Ends a step. Pushes and ends a clock if it is time, and takes new parameters if they are due.
     *
     * @return whether a clock has ended
     * @throws ClusterException if the cluster fails while the worker waits
     */
    public boolean step() {
        begin();
        taken++;
        boolean ends = taken % (steps / fragments) == 0;
        if (ends) {
            push();
        }
        takeIfDue();
        return ends;
    }

    private void push() {
        int fragment = fragment();
        for (int i = 0; i < copies.size(); i++) {
            Copy copy = copies.get(i);
            if (i % fragments == fragment) {
                copy.push();
            } else {
                copy.table.push().hold();
            }
        }
        due = taken + delay;
        worker.clock();
    }

    /** The fragment of the clock that ends at the present step. */
    private int fragment() {
        return (int) ((taken / (steps / fragments) - 1) % fragments);
    }

    private void takeIfDue() {
        if (taken != due) {
            return;
        }
        due = NEVER;
        long pushed = taken - delay;
        int fragment = (int) ((pushed / (steps / fragments) - 1) % fragments);
        for (int i = fragment; i < copies.size(); i += fragments) {
            copies.get(i).take(mixing);
        }
    }

    private void begin() {
        if (begun) {
            return;
        }
        begun = true;
        if (0 == taken) {
            copies.forEach(Copy::begin);
        }
        takeIfDue();
    }

    @Override
    public byte[] save() {
        long bytes = Long.BYTES
                + 2L * Float.BYTES * copies.stream().mapToLong(Copy::elements).sum();
        if (bytes > Integer.MAX_VALUE - Long.BYTES) {
            throw new IllegalStateException("the copies of local steps have " + bytes
                    + " bytes, expected less than 2 GiB in a snapshot of a worker");
        }
        ByteBuffer state = ByteBuffer.allocate((int) bytes).order(ByteOrder.LITTLE_ENDIAN);
        state.putLong(taken);
        copies.forEach(copy -> copy.save(state));
        return state.array();
    }

    @Override
    public void restore(byte[] state) {
        long bytes = Long.BYTES
                + 2L * Float.BYTES * copies.stream().mapToLong(Copy::elements).sum();
        if (state.length != bytes) {
            throw new IllegalArgumentException("the state of local steps has " + state.length + " bytes, expected "
                    + bytes + ": the snapshot is of a job with other tables");
        }
        ByteBuffer saved = ByteBuffer.wrap(state).order(ByteOrder.LITTLE_ENDIAN);
        taken = saved.getLong();
        copies.forEach(copy -> copy.restore(saved));
        due = taken + delay; // a state is saved while a clock ends
    }

    /** The private copy of a table, and the sum of the steps that have not been pushed. */
    private static final class Copy {
        private final Table table;
        private final Kernels kernels = Kernels.preferred();
        private final MemorySegment parameters;
        private final MemorySegment sum;
        private final FloatView view;

        Copy(Table table) {
            this.table = table;
            this.parameters = OffHeap.allocate(elements() * Float.BYTES);
            this.sum = OffHeap.allocate(elements() * Float.BYTES);
            this.view = new FloatView(parameters);
        }

        long elements() {
            return table.spec().elements();
        }

        void begin() {
            parameters.copyFrom(table.sync().segment());
        }

        void add(Update update) {
            for (long start = 0; start < elements(); start += Update.STEP) {
                int count = (int) Math.min(Update.STEP, elements() - start);
                table.addTo(parameters, update, start, count);
                table.addTo(sum, update, start, count);
            }
        }

        void push() {
            table.sync(); // the rounds in which other fragments were pushed
            table.update(sum);
            sum.fill((byte) 0);
        }

        /** Takes the new parameters: those of all workers' steps, with this worker's later ones. */
        void take(float mixing) {
            MemorySegment fresh = table.sync().segment();
            if (Float.isNaN(mixing)) {
                for (long i = 0; i < elements(); i++) {
                    float later = sum.getAtIndex(JAVA_FLOAT, i);
                    float base = fresh.getAtIndex(JAVA_FLOAT, i);
                    parameters.setAtIndex(JAVA_FLOAT, i, later == 0 ? base : base + later);
                }
                return;
            }
            for (long i = 0; i < elements(); i++) {
                float base = fresh.getAtIndex(JAVA_FLOAT, i);
                float mixed = mixing * parameters.getAtIndex(JAVA_FLOAT, i) + (1 - mixing) * base;
                parameters.setAtIndex(JAVA_FLOAT, i, mixed);
                sum.setAtIndex(JAVA_FLOAT, i, mixed - base);
            }
        }

        void save(ByteBuffer state) {
            put(parameters, state);
            put(sum, state);
        }

        private void put(MemorySegment values, ByteBuffer state) {
            for (long i = 0; i < elements(); i++) {
                state.putFloat(values.getAtIndex(JAVA_FLOAT, i));
            }
        }

        void restore(ByteBuffer state) {
            get(state, parameters);
            get(state, sum);
        }

        private void get(ByteBuffer state, MemorySegment values) {
            for (long i = 0; i < elements(); i++) {
                values.setAtIndex(JAVA_FLOAT, i, state.getFloat());
            }
        }
    }
}
