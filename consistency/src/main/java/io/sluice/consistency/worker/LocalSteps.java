package io.sluice.consistency.worker;

import io.sluice.consistency.terms.ClusterException;
import io.sluice.consistency.terms.Failure;
import io.sluice.consistency.terms.TableSpec;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Takes several steps on private copies of tables between two clocks, for links that are slow beside a step. A worker
 * pushes the sum of the steps that it has added since its last push; the rule of the cluster makes one outer step of
 * the pushes of all workers: {@code mean} averages them, {@code nesterov:0.7,0.9;outer} is DiLoCo (Douillard et al.
 * 2023, algorithm 1), and {@code mean} with the filter {@code topk:0.03;decay=0.95} is SparseLoCo (Sarfi et al. 2025).
 *
 * <pre>{@code
 * LocalSteps local = LocalSteps.of(worker, 16, weights, bias);
 * worker.trainerState(local::save, local::restore); // snapshots have the copies
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
 * <p>With {@link Worker#trainerState} a job continues from a snapshot. What a worker has added since its last push
 * is lost if it dies, and at the end of the job: end with a whole number of H steps. A worker that leaves an elastic
 * job pushes all of it in its last clock. For the thread that owns the worker. Memory: two copies of each table. Adding
 * and stepping allocate nothing, snapshots apart.
 */
public final class LocalSteps {
    private static final long NEVER = -1;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;

    /** Length of the part of a saved state before the copies: the count of steps, and the terms. */
    private static final long HEADER = Long.BYTES + StepTerms.BYTES;

    private final Worker worker;
    private final List<LocalCopy> copies;
    private StepTerms terms;
    private Sampling sampling;

    /** Steps taken; {@link StepTerms#clockSteps} make a clock. */
    private long taken;

    /** The step after which the new parameters of the pushed fragment are taken. */
    private long due = NEVER;

    private boolean begun;
    private boolean restored;

    private LocalSteps(Worker worker, StepTerms terms, List<LocalCopy> copies) {
        this.worker = worker;
        this.copies = copies;
        this.terms = terms;
        this.sampling = Sampling.ofAll(worker);
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
        StepTerms terms = StepTerms.of(steps, worker.settings());
        if (tables.length == 0) {
            throw new IllegalArgumentException("local steps have no table, expected 1 or more");
        }
        List<LocalCopy> copies = new ArrayList<>();
        for (Table table : tables) {
            Objects.requireNonNull(table, "a table of local steps is null");
            if (copies.stream().anyMatch(copy -> copy.table() == table)) {
                throw new IllegalArgumentException(
                        "table " + table.spec().name() + " is given twice, expected each table once");
            }
            copies.add(new LocalCopy(table));
        }
        return new LocalSteps(worker, terms, copies);
    }

    /**
     * Pushes the tables in turns, every F-th in a clock, with a clock after every H / F steps.
     *
     * @param count number of fragments (F), from 1 to the number of tables; divides the number of steps
     * @return this
     */
    public LocalSteps fragments(int count) {
        requireNew("fragments()");
        terms = terms.withFragments(count, worker.settings(), specs());
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
        return delay(terms.withDelay(later));
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
        requireNew("delay()");
        return delay(terms.withDelay(later).withMixing(share, worker.settings(), specs()));
    }

    private LocalSteps delay(StepTerms delayed) {
        sampling.requireNoDelay(delayed.delay());
        terms = delayed;
        return this;
    }

    private List<TableSpec> specs() {
        return copies.stream().map(copy -> copy.table().spec()).toList();
    }

    private void requireNew(String call) {
        if (begun || restored) {
            throw new IllegalStateException(call + " is called after the start of the steps, expected before");
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
        Sampling some = Sampling.of(worker, workers, drawnBy);
        some.requireNoDelay(terms.delay());
        sampling = some;
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
        return sampling.isDrawn();
    }

    private void require(boolean drawn, String call) {
        begin();
        sampling.require(drawn, call);
    }

    /**
     * Ends a clock for which this worker is not drawn, and takes new parameters. Pushes nothing of the tables.
     *
     * @throws IllegalStateException if the worker is drawn
     * @throws ClusterException if the cluster fails while the worker waits
     */
    public void skip() {
        require(false, "skip()");
        taken += terms.clockSteps();
        endClock(false);
        takeIfDue();
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
        LocalCopy copy = copy(table);
        begin();
        return copy.view();
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

    private void add(LocalCopy copy, Update update) {
        require(true, "add()");
        copy.add(update);
    }

    private LocalCopy copy(Table table) {
        for (int i = 0; i < copies.size(); i++) {
            if (copies.get(i).table() == table) {
                return copies.get(i);
            }
        }
        throw new IllegalArgumentException("table " + table.spec().name() + " is not one of the local steps' tables");
    }

    /**
     * Ends a step. Pushes and ends a clock if it is time, and takes new parameters if they are due.
     *
     * @return whether a clock has ended
     * @throws IllegalStateException if the worker is not {@linkplain #takesPart drawn} for the open clock
     * @throws ClusterException if the cluster fails while the worker waits
     */
    public boolean step() {
        require(true, "step()");
        taken++;
        boolean ends = taken % terms.clockSteps() == 0;
        if (ends) {
            endClock(true);
        }
        takeIfDue();
        return ends;
    }

    /**
     * Pushes the fragment of the open clock, if this worker takes part; in the last clock of a worker that leaves, all
     * that it has added.
     */
    private void endClock(boolean takesPart) {
        long clock = worker.completed() + 1;
        boolean isLast = worker.lastClock() == clock;
        for (int i = 0; i < copies.size(); i++) {
            if (takesPart && (isLast || i % terms.fragments() == terms.fragment(clock))) {
                copies.get(i).push();
            } else {
                copies.get(i).hold();
            }
        }
        due = taken + terms.delay();
        worker.clock();
    }

    private void takeIfDue() {
        if (taken != due) {
            return;
        }
        due = NEVER;
        for (int i = terms.fragment(worker.completed()); i < copies.size(); i += terms.fragments()) {
            copies.get(i).take(terms.mixing());
        }
    }

    private void begin() {
        if (begun) {
            return;
        }
        if (restored) {
            due = taken + terms.delay(); // states are saved while a clock ends, so the delay begins at that step
        } else {
            if (worker.restoredClock().isPresent() && (terms.fragments() > 1 || terms.delay() > 0)) {
                throw new IllegalStateException("the worker continues from a snapshot without its local steps, expected"
                        + " their state: give them to trainerState() before the start");
            }
            copies.forEach(LocalCopy::begin);
            taken = worker.completed() * terms.clockSteps();
        }
        begun = true;
        takeIfDue();
    }

    /**
     * Saves the copies: 8 bytes for each parameter, on the thread that ends the clock.
     *
     * @throws IllegalStateException if they have 2 GiB or more
     */
    public byte[] save() {
        if (stateBytes() > Integer.MAX_VALUE - Long.BYTES) {
            throw new IllegalStateException("the copies of local steps have " + stateBytes()
                    + " bytes, expected less than 2 GiB in a snapshot of a worker");
        }
        MemorySegment state = MemorySegment.ofArray(new byte[(int) stateBytes()]);
        state.set(LONG, 0, taken);
        terms.save(state, Long.BYTES);
        long at = HEADER;
        for (LocalCopy copy : copies) {
            copy.save(state, at);
            at += copy.bytes();
        }
        return (byte[]) state.heapBase().orElseThrow();
    }

    private long stateBytes() {
        return HEADER + copies.stream().mapToLong(LocalCopy::bytes).sum();
    }

    /**
     * Restores the copies.
     *
     * @throws IllegalArgumentException if the state is that of other tables, or of another number of steps or
     *     fragments, another delay or mixing
     */
    public void restore(byte[] state) {
        if (state.length != stateBytes()) {
            throw new IllegalArgumentException("the state of local steps has " + state.length + " bytes, expected "
                    + stateBytes() + ": the snapshot is of a job with other tables");
        }
        MemorySegment saved = MemorySegment.ofArray(state);
        terms.requireSaved(saved, Long.BYTES);
        taken = saved.get(LONG, 0);
        long at = HEADER;
        for (LocalCopy copy : copies) {
            copy.restore(saved, at);
            at += copy.bytes();
        }
        restored = true;
    }
}
