package io.sluice.perf.training;

import io.sluice.consistency.worker.Worker;
import io.sluice.perf.experiment.Column;
import io.sluice.perf.experiment.Columns;
import io.sluice.samples.UpdateListener;
import io.sluice.samples.descent.DescentProgress;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntConsumer;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;

/** The times of a worker's clocks, each of which computes for a stated time at least. */
final class Course {
    /** First clocks of a turn, in which the JVM compiles, that do not count. */
    static final int WARM = 2;

    private static final long WORK_NS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final double NS = 1e9;

    private final Worker worker;
    private final long computeNs;
    private final IntConsumer reader;

    /**
     * For each number of completed clocks, the seconds until the trainer had the parameters; the last entry is the end.
     */
    private final double[] read;

    /** For each clock, the seconds until its end. */
    private final double[] seconds;

    /** For each clock, the seconds until its end in which the trainer pushed, waited, and added what had arrived. */
    private final double[] exchanged;

    /** For each clock, the seconds until its end in which the trainer filtered and framed what it pushed. */
    private final double[] filtered;

    /** For each clock, the bytes that the worker had pushed at its end. */
    private final double[] pushed;

    /** For each clock, the seconds until its end in which the worker added products of vectors. */
    private final double[] rebuilt;

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
        seconds = new double[clocks];
        exchanged = new double[clocks];
        filtered = new double[clocks];
        pushed = new double[clocks];
        rebuilt = new double[clocks];
    }

    /** The columns of the figures {@code seconds_per_clock} and {@code exchange_per_clock}. */
    static Columns columns() {
        return Columns.of(
                Column.median("seconds_per_clock")
                        .shown("s/clock", "%.3f")
                        .note("median of all clocks but the first two of each turn"),
                Column.quartiles("seconds_per_clock", "%.3f", 1),
                Column.median("exchange_per_clock")
                        .shown("exchange", "%.3f")
                        .note("the part in which the trainer pushes, waits, and adds what has arrived"));
    }

    /** Hands the updates to a listener, in all clocks before they are pushed. */
    Course watch(UpdateListener listener) {
        updates = listener;
        return this;
    }

    /** Takes note of the time in which the worker adds products of vectors, a part of the time of exchange. */
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

    /** Takes note of an update of a clock. */
    void onUpdate(int clock, float[] update) {
        onRead(clock);
        if (isWatched()) {
            updates.onUpdate(clock, update);
        }
    }

    /** Ends the computation of a clock, of which nothing has been pushed yet. */
    void onComputed(int clock) {
        onRead(clock);
        long endNs = lastNs + exchangedNs() - lastExchangedNs + computeNs;
        for (long left = endNs - System.nanoTime(); left > 0; left = endNs - System.nanoTime()) {
            LockSupport.parkNanos(Math.min(left, WORK_NS));
            worker.work();
        }
    }

    /** Ends a clock. */
    void onClock(int clock) {
        lastNs = System.nanoTime();
        lastExchangedNs = exchangedNs();
        seconds[clock - 1] = (lastNs - startNs) / NS;
        exchanged[clock - 1] = lastExchangedNs / NS;
        filtered[clock - 1] = worker.stats().pushNs() / NS;
        pushed[clock - 1] = worker.bytesPushed();
        rebuilt[clock - 1] = addedNs.getAsLong() / NS;
    }

    /** The progress of a descent, whose losses are kept by clock. */
    DescentProgress progress(double[] losses) {
        return new DescentProgress() {
            @Override
            public void onUpdate(int clock, float[] update) {
                Course.this.onUpdate(clock, update);
            }

            @Override
            public void onComputed(int clock) {
                Course.this.onComputed(clock);
            }

            @Override
            public void onClock(int clock, double loss) {
                losses[clock - 1] = loss;
                Course.this.onClock(clock);
            }
        };
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

    double[] seconds() {
        return seconds;
    }

    /** The seconds of each clock that counts. */
    double[] secondsPerClock() {
        return increases(seconds);
    }

    /** The seconds of exchange in each clock that counts. */
    double[] exchangePerClock() {
        return increases(exchanged);
    }

    /** The seconds of filtering and framing in each clock that counts. */
    double[] filterPerClock() {
        return increases(filtered);
    }

    /** The seconds of adding products in each clock that counts. */
    double[] rebuildPerClock() {
        return increases(rebuilt);
    }

    /** The bytes pushed in each clock that counts. */
    double[] pushedPerClock() {
        return increases(pushed);
    }

    /** The increases of a sum by clock, in each clock that counts. */
    static double[] increases(double[] sums) {
        return IntStream.range(WARM, sums.length)
                .mapToDouble(clock -> sums[clock] - sums[clock - 1])
                .toArray();
    }
}
