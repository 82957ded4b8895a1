package io.sluice.perf.rows;

import io.sluice.consistency.local.LocalCluster;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.worker.Initialiser;
import io.sluice.consistency.worker.RowClient;
import io.sluice.consistency.worker.RowTable;
import io.sluice.consistency.worker.Worker;
import io.sluice.perf.experiment.Column;
import io.sluice.perf.experiment.Experiment;
import io.sluice.perf.experiment.Layout;
import io.sluice.perf.experiment.Parameter;
import io.sluice.perf.experiment.Sample;
import io.sluice.perf.experiment.Scenario;
import io.sluice.perf.experiment.Settings;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.LongAdder;

/** Threads that read rows and add to them: a table of a {@link RowClient}, and a plain array with locks. */
public final class Rows extends Experiment<Rows.Variant> {
    private static final int MOST = 10_000_000;
    private static final int MOST_THREADS = 64;
    private static final int LOCKS = 1_024;
    private static final float STEP = 1e-3f;

    private static final Parameter<List<Integer>> THREADS =
            Parameter.whole("threads", 1, 1, MOST_THREADS).several("1,2,4").help("Trainer threads of the process");
    private static final Parameter<Integer> ROWS =
            Parameter.whole("rows", 9_066, 1, MOST).help("Rows of the table");
    private static final Parameter<Integer> COLUMNS =
            Parameter.whole("columns", 40, 1, MOST).help("Floats of a row");
    private static final Parameter<Integer> STEPS = Parameter.whole("steps", 400_000, 1, MOST)
            .help("Rows that all threads together read and add to in a clock");
    private static final Parameter<Integer> CLOCKS =
            Parameter.whole("clocks", 12, 3, MOST).help("Clocks in each turn");

    /** The scenario. */
    public static final Scenario SCENARIO = new Scenario(
            "rows",
            List.of(
                    "Measures how fast threads of one process read and change rows of a shared table.",
                    "A step copies a random row, computes one float for each of its columns, and adds them. The plain"
                            + " array has one lock for each of 1,024 stripes of rows, and no cluster. One worker and"
                            + " one server, BSP, shared memory; the times between clocks count, without the push. The"
                            + " defaults take about a minute."),
            5,
            Parameter.declaredBy(Rows.class),
            new Layout(row -> row.text("rows") + " rows of " + row.text("columns") + " floats", columns(), List.of()),
            Rows::new);

    /** The data that the threads share. */
    enum Kind {
        PLAIN,
        TABLE,
        OWN_WRITES
    }

    /** A number of threads and the data that they share. */
    record Variant(int threads, Kind kind) {}

    /** One step: reads a row, and adds to it. */
    private interface Access {
        void step(int row, float[] values, float[] deltas);
    }

    private Rows(Settings settings) {
        super(settings);
    }

    private static List<Column> columns() {
        return Column.list(
                Column.facts("rows", "columns"),
                Column.fact("threads").shown("threads"),
                Column.fact("kind").shown("shared"),
                Column.median("steps_per_second").whole().shown("rows a second", "%,.0f"),
                Column.low("steps_per_second_low", "steps_per_second").whole(),
                Column.high("steps_per_second_high", "steps_per_second").whole(),
                Column.relative(
                                "share",
                                "steps_per_second",
                                row -> row.text("kind").equals("plain"),
                                "threads")
                        .shown("of plain", "%.2f")
                        .note("of the plain array with as many threads"));
    }

    @Override
    public List<Variant> variants() {
        List<Variant> variants = new ArrayList<>();
        for (int threads : get(THREADS)) {
            for (Kind kind : Kind.values()) {
                variants.add(new Variant(threads, kind));
            }
        }
        return variants;
    }

    @Override
    public List<Sample> measure(Variant variant) throws InterruptedException {
        double rate = variant.kind() == Kind.PLAIN ? plain(variant.threads()) : shared(variant);
        return List.of(new Sample()
                .fact("threads", variant.threads())
                .fact("kind", variant.kind().name().toLowerCase(Locale.ROOT).replace('_', ' '))
                .figure("steps_per_second", rate));
    }

    private double shared(Variant variant) throws InterruptedException {
        ClusterSettings terms = ClusterSettings.builder()
                .servers(1)
                .workers(1)
                .filter("none")
                .sliceElements(Math.max(1, 4_096 / get(COLUMNS)) * get(COLUMNS))
                .build();
        double[] rate = new double[1];
        LocalCluster.run(terms, worker -> rate[0] = rate(worker, variant));
        return rate[0];
    }

    private double rate(Worker worker, Variant variant) {
        RowClient client = new RowClient(worker, variant.threads());
        RowTable table = client.table("w", get(ROWS), get(COLUMNS), variant.kind() == Kind.OWN_WRITES);
        worker.start(Initialiser.ZEROS);
        LongAdder busyNs = new LongAdder();
        client.run(thread -> {
            float[] first = new float[get(COLUMNS)];
            Runnable begin = () -> table.getRow(thread, 0, first); // waits for the version
            busyNs.add(busyNs(thread.index(), variant.threads(), begin, access(table, thread), thread::clock));
        });
        worker.drain();
        return rate(variant.threads(), busyNs.sum());
    }

    private static Access access(RowTable table, RowClient.TrainerThread thread) {
        return (row, values, deltas) -> {
            table.getRow(thread, row, values);
            compute(values, deltas);
            table.incRow(row, deltas);
        };
    }

    /** Measures the same access on an array. */
    private double plain(int threads) throws InterruptedException {
        int columns = get(COLUMNS);
        float[] array = new float[get(ROWS) * columns];
        Object[] locks = new Object[LOCKS];
        for (int i = 0; i < LOCKS; i++) {
            locks[i] = new Object();
        }
        Access access = (row, values, deltas) -> {
            synchronized (locks[row % LOCKS]) {
                System.arraycopy(array, row * columns, values, 0, columns);
            }
            compute(values, deltas);
            synchronized (locks[row % LOCKS]) {
                for (int column = 0; column < columns; column++) {
                    array[row * columns + column] += deltas[column];
                }
            }
        };
        LongAdder busyNs = new LongAdder();
        CyclicBarrier barrier = new CyclicBarrier(threads);
        List<Thread> running = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            int thread = i;
            running.add(Thread.ofPlatform()
                    .start(() -> busyNs.add(busyNs(thread, threads, () -> await(barrier), access, () -> {}))));
        }
        for (Thread thread : running) {
            thread.join();
        }
        return rate(threads, busyNs.sum());
    }

    private static void await(CyclicBarrier barrier) {
        try {
            barrier.await();
        } catch (Exception e) {
            throw new IllegalStateException("the threads do not begin a clock together", e);
        }
    }

    private static void compute(float[] values, float[] deltas) {
        for (int column = 0; column < values.length; column++) {
            deltas[column] = STEP * (1 - values[column]);
        }
    }

    /** The nanoseconds of a thread's steps in the last two thirds of the clocks. */
    private long busyNs(int thread, int threads, Runnable begin, Access access, Runnable end) {
        SplittableRandom random = new SplittableRandom(thread);
        float[] values = new float[get(COLUMNS)];
        float[] deltas = new float[get(COLUMNS)];
        long busyNs = 0;
        for (int clock = 0; clock < get(CLOCKS); clock++) {
            begin.run();
            long startNs = System.nanoTime();
            for (int step = 0; step < get(STEPS) / threads; step++) {
                access.step(random.nextInt(get(ROWS)), values, deltas);
            }
            busyNs += clock >= get(CLOCKS) / 3 ? System.nanoTime() - startNs : 0;
            end.run();
        }
        return busyNs;
    }

    /** Steps per second of all threads, in the last two thirds of the clocks. */
    private double rate(int threads, long busyNs) {
        int clocks = get(CLOCKS) - get(CLOCKS) / 3;
        double steps = (double) (get(STEPS) / threads) * threads * clocks;
        return steps / (busyNs / 1e9 / threads);
    }
}
