package io.sluice.perf.training;

import io.sluice.consistency.worker.Worker;
import io.sluice.perf.cluster.WorkerTask;
import io.sluice.perf.experiment.Column;
import io.sluice.perf.experiment.Columns;
import io.sluice.perf.experiment.Sample;
import io.sluice.samples.UpdateListener;
import io.sluice.samples.descent.DescentProgress;
import java.util.HashMap;
import java.util.Map;
import java.util.function.IntConsumer;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;

/** The times of a worker's clocks, each of which computes for a stated time at least. */
final class Course implements DescentProgress {
    /** First clocks of a turn, in which the JVM compiles, that do not count. */
    static final int WARM = 2;

    private static final double NS = 1e9;
    private static final String SECONDS = "seconds_per_clock";

    private final Worker worker;
    private final long computeNs;
    private final IntConsumer reader;

    /**
     * For each number of completed clocks, the seconds until the trainer had the parameters; the last entry is the end.
     */
    private final double[] read;

    /** For each clock, the loss that the trainer states, if it does. */
    private final double[] losses;

    /** For each figure of a clock, its sum until the end of each clock. */
    private final Map<String, double[]> sums = new HashMap<>();

    private LongSupplier addedNs = () -> 0;
    private UpdateListener updates;
    private int begun;
    private long startNs;
    private long lastNs;
    private long lastExchangedNs;

    /**
     * Prepares for clocks, whose time begins when the trainer first has parameters or an update.
     *
     * @param computeNs minimum time of a clock's computation; a clock that computes faster waits for the rest
     * @param reader called with the number of clocks before, while the parameters are those that the trainer computed
     *     with
     */
    Course(Worker worker, int clocks, long computeNs, IntConsumer reader) {
        this.worker = worker;
        this.computeNs = computeNs;
        this.reader = reader;
        read = new double[clocks + 1];
        losses = new double[clocks];
    }

    /** The columns of the figures {@code seconds_per_clock} and {@code exchange_per_clock}. */
    static Columns columns() {
        return Columns.of(
                Column.median(SECONDS)
                        .shown("s/clock", "%.3f")
                        .note("median of all clocks but the first two of each turn"),
                Column.quartiles(SECONDS, "%.3f", 1),
                Column.median("exchange_per_clock")
                        .shown("exchange", "%.3f")
                        .note("the part in which the trainer pushes, waits, and adds what has arrived"));
    }

    /** Hands the updates to a listener, in all clocks before they are pushed. */
    Course watch(UpdateListener listener) {
        updates = listener;
        return this;
    }

    /** Records the time in which the worker adds products of vectors, a part of the exchange time. */
    Course rebuilding(LongSupplier ns) {
        addedNs = ns;
        return this;
    }

    boolean isWatched() {
        return updates != null;
    }

    /**
     * Begins a clock. Needed only if the trainer may apply newer parameters while it computes; otherwise {@link
     * #onUpdate} or {@link #onComputed} begins the clock.
     */
    void onRead(int clock) {
        if (clock == begun) {
            return;
        }
        begun = clock;
        reader.accept(clock - 1);
        if (clock == 1) {
            startNs = System.nanoTime();
            lastNs = startNs;
            lastExchangedNs = exchangedNs();
        }
        read[clock - 1] = (lastNs + exchangedNs() - lastExchangedNs - startNs) / NS;
    }

    /** Records an update of a clock. */
    @Override
    public void onUpdate(int clock, float[] update) {
        onRead(clock);
        if (isWatched()) {
            updates.onUpdate(clock, update);
        }
    }

    /** Ends the computation of a clock, of which nothing has been pushed yet. */
    @Override
    public void onComputed(int clock) {
        onRead(clock);
        long endNs = lastNs + exchangedNs() - lastExchangedNs + computeNs;
        WorkerTask.compute(endNs - System.nanoTime(), worker::work);
    }

    /** Ends a clock. */
    void onClock(int clock) {
        lastNs = System.nanoTime();
        lastExchangedNs = exchangedNs();
        sum(SECONDS, clock, (lastNs - startNs) / NS);
        sum("exchange_per_clock", clock, lastExchangedNs / NS);
        sum("filter_per_clock", clock, worker.stats().pushNs() / NS);
        sum("rebuild_per_clock", clock, addedNs.getAsLong() / NS);
        sum("pushed_per_clock", clock, worker.bytesPushed());
    }

    private void sum(String figure, int clock, double sum) {
        sums.computeIfAbsent(figure, _ -> new double[losses.length])[clock - 1] = sum;
    }

    @Override
    public void onClock(int clock, double loss) {
        losses[clock - 1] = loss;
        onClock(clock);
    }

    private long exchangedNs() {
        return worker.stats().waitNs() + worker.stats().pushNs();
    }

    /** Ends the training, at whose end the trainer has the updates of all workers. */
    void end() {
        read[read.length - 1] = (System.nanoTime() - startNs) / NS;
    }

    double[] read() {
        return read;
    }

    double[] losses() {
        return losses;
    }

    /** For each clock, the seconds until its end. */
    double[] seconds() {
        return sums.get(SECONDS);
    }

    /** The seconds of each measured clock. */
    double[] secondsPerClock() {
        return increases(seconds());
    }

    /** Adds the figures of each measured clock: seconds, those of their parts, and the bytes pushed. */
    Sample addTo(Sample sample) {
        sums.forEach((figure, sum) -> sample.figure(figure, increases(sum)));
        return sample;
    }

    /** The differences between consecutive elements of sums, which are cumulative by clock, in each measured clock. */
    static double[] increases(double[] sums) {
        return IntStream.range(WARM, sums.length)
                .mapToDouble(clock -> sums[clock] - sums[clock - 1])
                .toArray();
    }
}
