package io.sluice.consistency.worker;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import io.sluice.codecs.OffHeap;
import io.sluice.consistency.policy.Policies;
import io.sluice.consistency.spi.UpdateRule;
import io.sluice.consistency.terms.ClusterException;
import io.sluice.consistency.terms.Failure;
import io.sluice.consistency.terms.Protocol;
import io.sluice.consistency.terms.TrainerState;
import io.sluice.consistency.terms.WorkerSet;
import io.sluice.filter.kernel.Draws;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Takes several steps on private copies of tables between two clocks, for links that are slow beside a step. A worker
 * pushes the sum of the steps that it has added since its last push; the rule of the cluster makes one outer step of
 * the pushes of all workers: {@code mean} averages them, {@code nesterov:0.7,0.9;outer} is DiLoCo (Douillard et al.
 * 2023, algorithm 1), and {@code mean} with the filter {@code topk:0.03;decay=0.95} is SparseLoCo (Sarfi et al. 2025).
 *
 * <pre>{@code
 * LocalSteps local = LocalSteps.of(worker, 16, weights, bias);
 * worker.trainerState(local);           // snapshots have the copies
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
 * H / F steps and pushes every F-th table only, so a link carries a share of the model at a time, 1 / F if tables are
 * equal. The new parameters of a fragment may be taken some {@linkplain #delay steps later}, while the worker computes.
 *
 * <p><b>Sampling</b> (federated averaging, McMahan et al. 2017): with {@link #sample}, some of the workers are drawn
 * for each clock, and the others {@link #skip} it. {@code mean;weighted} averages the pushes of those that are drawn,
 * with the weights of {@link Worker#weigh}.
 *
 * <p>Call {@link Table#sync}, {@link Table#update}, {@link Table#accumulate} and {@link Worker#clock} for none of these
 * tables. With a consistency rule other than BSP a copy begins from what the rule allows. With H = 1 and no mixing the
 * parameters are those of a trainer without local steps, bit for bit.
 *
 * <p>As {@link Worker#trainerState} it lets a job continue from a snapshot. What a worker has added since its last push
 * is lost if it dies, and at the end of the job: end with a whole number of H steps. A worker that leaves an elastic
 * job pushes all of it in its last clock. For the thread that owns the worker. Memory: two copies of each table. Adding
 * and stepping allocate nothing, snapshots apart.
 */
public final class LocalSteps implements TrainerState {
    private static final long NEVER = -1;
    private static final int ALL = Integer.MAX_VALUE;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;

    /** Number of int settings in a saved state, which follow the count of steps (a long). */
    private static final int TERMS = 4;

    private static final long HEADER = Long.BYTES + TERMS * Integer.BYTES;

    private final Worker worker;
    private final List<Copy> copies = new ArrayList<>();
    private final Map<Table, Copy> byTable = new HashMap<>();
    private final int steps;
    private int fragments = 1;
    private int delay;
    private float mixing = Float.NaN;

    /** Number of workers that are drawn for each clock, by {@link #seed}. */
    private int sampled = ALL;

    private long seed;

    /** The clock for which {@link #isDrawn} has been determined. */
    private long drawnFor = NEVER;

    private boolean isDrawn;

    /** Steps taken; {@link #steps} / {@link #fragments} make a clock. */
    private long taken;

    /** The step after which the new parameters of the pushed fragment are taken. */
    private long due = NEVER;

    private boolean begun;
    private boolean restored;

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
            Objects.requireNonNull(table, "a table of local steps is null");
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
            throw new IllegalArgumentException("the number of fragments is " + count + ", expected 1 to "
                    + copies.size() + ", the number of tables, and a divisor of the steps (" + steps + ")");
        }
        if (count > 1) {
            requireFragmentable(count);
        }
        fragments = count;
        requireDelay(delay);
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
        requireDelay(later);
        delay = later;
        mixing = Float.NaN;
        return this;
    }

    private void requireDelay(int later) {
        if (later < 0 || later >= clockSteps()) {
            throw new IllegalArgumentException("new parameters are taken " + later
                    + " steps after a push, expected 0 to " + (clockSteps() - 1) + ": less than the steps of a clock");
        }
        requireNoDelay(sampled, later);
    }

    private static void requireNoDelay(int sampled, int later) {
        if (ALL != sampled && later > 0) {
            throw new IllegalArgumentException("the workers of each clock are sampled (" + sampled
                    + "), and new parameters are taken " + later
                    + " steps after a push, expected 0 steps: a worker that is not drawn takes none");
        }
    }

    /**
     * Draws the workers that take steps, anew for each clock: all others {@link #skip} it. The draw depends on the
     * seed, the clock and the worker set of the clock alone, so all workers agree on it without communication, and
     * over many clocks all workers are drawn equally often. Call it with the same arguments at all workers.
     *
     * <p>A clock ends only once all workers have ended it, since all of them receive its parameters: a worker that
     * stalls delays the others until it is declared dead, also if it is not drawn. A worker that leaves an elastic job
     * takes steps in its last clock, so that it can push what it has. A worker that has died may be drawn, and then
     * fewer workers push. {@code mean} divides by all workers of a clock, {@code mean;weighted} by the weights of those
     * that push. Snapshots do not hold what is set here. <b>Servers see the update of each worker.</b>
     *
     * @param workers number of workers that are drawn, 1 or more; all of them if there are no more
     * @param drawnBy seed of the draws
     * @return this
     * @throws IllegalArgumentException if the number is lower, new parameters are taken {@linkplain #delay later}, the
     *     protocol is not {@code update}, or the consistency rule is {@code drift}
     */
    public LocalSteps sample(int workers, long drawnBy) {
        requireNew("sample()");
        if (workers < 1) {
            throw new IllegalArgumentException(
                    "the number of workers sampled for each clock is " + workers + ", expected 1 or more");
        }
        requireHolds("the workers of each clock are sampled (" + workers + ")");
        requireNoDelay(workers, delay);
        sampled = workers;
        seed = drawnBy;
        return this;
    }

    /**
     * Whether this worker is drawn for the open clock.
     *
     * @return true if it takes steps, always without {@link #sample}; false if it calls {@link #skip}
     * @throws IllegalStateException if the worker has not been started, or has left the worker set
     */
    public boolean takesPart() {
        begin();
        long clock = worker.completed() + 1;
        if (drawnFor != clock) {
            worker.workerSet().requirePart();
            drawnFor = clock;
            WorkerSet set = worker.workerSet().now();
            isDrawn = ALL == sampled
                    || worker.workerSet().lastClock() == clock
                    || isDrawn(seed, clock, sampled, set.size(), set.rank(worker.index()));
        }
        return isDrawn;
    }

    /**
     * Draws some of the workers of a clock, each set of them with equal chances (Knuth, algorithm 3.4.2 S).
     *
     * @param count number to draw
     * @param size number of workers
     * @param rank rank of a worker among them
     * @return whether that worker is drawn
     */
    static boolean isDrawn(long seed, long clock, int count, int size, int rank) {
        long key = Draws.mix(Draws.mix(0, seed), clock);
        int left = count;
        boolean drawn = false;
        for (int i = 0; i <= rank; i++) {
            drawn = Math.unsignedMultiplyHigh(Draws.mix(key, i), size - i) < left;
            left -= drawn ? 1 : 0;
        }
        return drawn;
    }

    private void requireDrawn(String call) {
        if (!takesPart()) {
            throw new IllegalStateException(call + " is called by worker " + worker.index()
                    + ", which is not drawn for clock " + drawnFor + ", expected skip()");
        }
    }

    /**
     * Ends a clock for which this worker is not drawn, and takes new parameters. Pushes nothing of the tables.
     *
     * @throws IllegalStateException if the worker is drawn
     * @throws ClusterException if the cluster fails while the worker waits
     */
    public void skip() {
        if (takesPart()) {
            throw new IllegalStateException("skip() is called by worker " + worker.index()
                    + ", which is drawn for clock " + drawnFor + ", expected steps");
        }
        taken += clockSteps();
        endClock(false);
        takeIfDue();
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
        for (Copy copy : copies) {
            String filter = worker.settings().table(copy.table.spec()).filter();
            if (!"none".equals(filter)) {
                throw new IllegalArgumentException(
                        "the filter of table " + copy.table.spec().name() + " is " + filter
                                + ", expected none with mixing: what a filter holds back would be pushed twice");
            }
        }
        delay(later);
        mixing = share;
        return this;
    }

    private void requireNew(String call) {
        if (begun || restored) {
            throw new IllegalStateException(call + " is called after the start of the steps, expected before");
        }
    }

    /**
     * Refuses fragments under rules that change a table in the clocks of other fragments, or push it in clocks of their
     * own.
     */
    private void requireFragmentable(int count) {
        requireHolds("there are " + count + " fragments");
        for (Copy copy : copies) {
            UpdateRule rule = Policies.updateRule(worker.settings(), copy.table.spec());
            boolean isForPushes = rule.isForEachPush() || rule.needsPush() || rule.weighs();
            if (!isForPushes && rule.stateFloats() > 0) {
                throw new IllegalArgumentException("there are " + count + " fragments with rule "
                        + worker.settings().table(copy.table.spec()).rule() + " of table "
                        + copy.table.spec().name() + ", expected a rule that changes a table only in clocks in which"
                        + " it is pushed, such as sum, mean, or momentum and nesterov with ;outer");
            }
        }
    }

    /** Refuses terms under which a worker cannot leave a table out of a clock. */
    private void requireHolds(String what) {
        if (Policies.rule(worker.settings()).withholds()
                || Protocol.UPDATE != worker.settings().protocol()) {
            throw new IllegalArgumentException(what + " with consistency "
                    + worker.settings().consistency() + " and protocol "
                    + worker.settings().protocol().configName()
                    + ", expected protocol update and another rule than drift");
        }
    }

    /**
     * The private copy of a table.
     *
     * @param table one of the tables
     * @return the parameters with all local steps; they change with {@link #add} and {@link #step}
     * @throws IllegalStateException if the worker has not been started
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
     * @throws IllegalStateException if the worker is not {@linkplain #takesPart drawn} for the open clock
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
        requireDrawn("add()");
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
     * @throws IllegalStateException if the worker is not {@linkplain #takesPart drawn} for the open clock
     * @throws ClusterException if the cluster fails while the worker waits
     */
    public boolean step() {
        requireDrawn("step()");
        taken++;
        boolean ends = taken % clockSteps() == 0;
        if (ends) {
            endClock(true);
        }
        takeIfDue();
        return ends;
    }

    private int clockSteps() {
        return steps / fragments;
    }

    /**
     * Pushes the fragment of the open clock, if this worker takes part; in the last clock of a worker that leaves, all
     * that it has added.
     */
    private void endClock(boolean takesPart) {
        long clock = worker.completed() + 1;
        boolean isLast = worker.workerSet().lastClock() == clock;
        for (int i = 0; i < copies.size(); i++) {
            Copy copy = copies.get(i);
            if (takesPart && (isLast || i % fragments == fragment(clock))) {
                copy.push();
            } else {
                copy.table.push().hold();
            }
        }
        due = taken + delay;
        worker.clock();
    }

    /** The number of the fragment that all workers push in a clock. */
    private int fragment(long clock) {
        return (int) ((clock - 1) % fragments);
    }

    private void takeIfDue() {
        if (taken != due) {
            return;
        }
        due = NEVER;
        for (int i = fragment(worker.completed()); i < copies.size(); i += fragments) {
            copies.get(i).take(mixing);
        }
    }

    private void begin() {
        if (begun) {
            return;
        }
        if (restored) {
            due = taken + delay; // states are saved while a clock ends, so the delay begins at that step
        } else {
            if (worker.restoredClock().isPresent() && (fragments > 1 || delay > 0)) {
                throw new IllegalStateException("the worker continues from a snapshot without its local steps, expected"
                        + " their state: give them to trainerState() before the start");
            }
            copies.forEach(Copy::begin);
            taken = worker.completed() * clockSteps();
        }
        begun = true;
        takeIfDue();
    }

    /**
     * Saves the copies: 8 bytes for each parameter, on the thread that ends the clock.
     *
     * @throws IllegalStateException if they have 2 GiB or more
     */
    @Override
    public byte[] save() {
        if (stateBytes() > Integer.MAX_VALUE - Long.BYTES) {
            throw new IllegalStateException("the copies of local steps have " + stateBytes()
                    + " bytes, expected less than 2 GiB in a snapshot of a worker");
        }
        MemorySegment state = MemorySegment.ofArray(new byte[(int) stateBytes()]);
        state.set(LONG, 0, taken);
        MemorySegment.copy(terms(), 0, state, INT, Long.BYTES, TERMS);
        long at = HEADER;
        for (Copy copy : copies) {
            at = copy.save(state, at);
        }
        return (byte[]) state.heapBase().orElseThrow();
    }

    private int[] terms() {
        return new int[] {steps, fragments, delay, Float.floatToIntBits(mixing)};
    }

    private long stateBytes() {
        return HEADER
                + 2L * Float.BYTES * copies.stream().mapToLong(Copy::elements).sum();
    }

    /**
     * Restores the copies.
     *
     * @throws IllegalArgumentException if the state is that of other tables, or of another number of steps or
     *     fragments, another delay or mixing
     */
    @Override
    public void restore(byte[] state) {
        if (state.length != stateBytes()) {
            throw new IllegalArgumentException("the state of local steps has " + state.length + " bytes, expected "
                    + stateBytes() + ": the snapshot is of a job with other tables");
        }
        MemorySegment saved = MemorySegment.ofArray(state);
        int[] terms = new int[TERMS];
        MemorySegment.copy(saved, INT, Long.BYTES, terms, 0, TERMS);
        if (!Arrays.equals(terms, terms())) {
            throw new IllegalArgumentException("the state is of local steps with H, fragments, delay and mixing "
                    + inWords(terms) + ", expected " + inWords(terms()) + " as set here");
        }
        taken = saved.get(LONG, 0);
        long at = HEADER;
        for (Copy copy : copies) {
            at = copy.restore(saved, at);
        }
        restored = true;
    }

    private static String inWords(int[] terms) {
        return terms[0] + ", " + terms[1] + ", " + terms[2] + ", " + Float.intBitsToFloat(terms[3]);
    }

    /** The private copy of a table, and the sum of the steps that have not been pushed. */
    private static final class Copy {
        private final Table table;
        private final MemorySegment parameters;
        private final MemorySegment sum;
        private final FloatView view;
        private final Update pushed;

        Copy(Table table) {
            this.table = table;
            this.parameters = OffHeap.allocate(elements() * Float.BYTES);
            this.sum = OffHeap.allocate(elements() * Float.BYTES);
            this.view = new FloatView(parameters);
            this.pushed = new Update.InMemory(sum);
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
            table.syncIfRequired(); // applies the rounds in which other fragments were pushed
            table.push().update(pushed);
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

        long save(MemorySegment state, long at) {
            MemorySegment.copy(parameters, 0, state, at, parameters.byteSize());
            MemorySegment.copy(sum, 0, state, at + sum.byteSize(), sum.byteSize());
            return at + 2 * sum.byteSize();
        }

        long restore(MemorySegment state, long at) {
            MemorySegment.copy(state, at, parameters, 0, parameters.byteSize());
            MemorySegment.copy(state, at + sum.byteSize(), sum, 0, sum.byteSize());
            return at + 2 * sum.byteSize();
        }
    }
}
