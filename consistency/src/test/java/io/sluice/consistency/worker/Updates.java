package io.sluice.consistency.worker;

import io.sluice.consistency.terms.TableSpec;
import java.util.List;
import java.util.SplittableRandom;

/**
 * The updates of a run: equal for equal seeds, so every worker can compute the pushes of all others. Magnitudes cover
 * many powers of two, so a sum in a different order has different bits.
 */
class Updates {
    private final long seed;
    private final List<Shape> shapes;

    Updates(long seed, List<Shape> shapes) {
        this.seed = seed;
        this.shapes = shapes;
    }

    List<Table> declare(Worker worker) {
        return shapes.stream()
                .map(shape -> worker.table(shape.name(), shape.rows(), shape.columns()))
                .toList();
    }

    /** Declares the tables, and starts the worker. */
    List<Table> start(Worker worker) {
        List<Table> tables = declare(worker);
        worker.start(this::initial);
        return tables;
    }

    /** Completes one clock of all tables. */
    void step(Worker worker, List<Table> tables) {
        for (Table table : tables) {
            table.sync();
            table.update(of(table.spec(), worker.index(), worker.completed() + 1));
        }
        worker.clock();
    }

    /** The first values of worker 0. */
    void initial(String table, long start, float[] values) {
        for (int i = 0; i < values.length; i++) {
            values[i] = value(new SplittableRandom(seed ^ table.hashCode() * 31L ^ (start + i) << 20));
        }
    }

    float[] of(TableSpec spec, int worker, long round) {
        SplittableRandom random = new SplittableRandom(seed + 1_000_003L * spec.id() + 7_919L * worker + round);
        float[] update = new float[(int) spec.elements()];
        for (int i = 0; i < update.length; i++) {
            update[i] = value(random);
        }
        return update;
    }

    float value(SplittableRandom random) {
        // A quarter stays zero: such elements are not sent, and slices of one element are left out altogether.
        return random.nextInt(4) == 0 ? 0 : (float) Math.scalb(random.nextDouble(-1, 1), random.nextInt(-20, 4));
    }

    static float[] copy(Table table) {
        float[] values = new float[(int) table.spec().elements()];
        table.view().copyTo(0, values);
        return values;
    }

    /** Gives the pushes of a worker another weight in each round, if the rule of the job weighs pushes. */
    static void weigh(Worker worker, long round) {
        if (worker.settings().table("").rule().endsWith(";weighted")) {
            worker.weigh(1 + (int) (5 * worker.index() + round) % 7);
        }
    }
}
