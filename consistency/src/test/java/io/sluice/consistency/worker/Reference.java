package io.sluice.consistency.worker;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.consistency.terms.TableSpec;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;

/** The parameters of a single process without Sluice: f32 sums in worker order, added to f32 parameters. */
final class Reference {
    private final Updates updates;
    private final int workers;
    private final Map<TableSpec, float[]> parameters = new HashMap<>();

    Reference(Updates updates, int workers) {
        this.updates = updates;
        this.workers = workers;
    }

    /** Applies a round to all tables seen so far. */
    void apply(long round) {
        parameters.forEach((spec, values) -> {
            float[][] all = new float[workers][];
            for (int worker = 0; worker < workers; worker++) {
                all[worker] = updates.of(spec, worker, round);
            }
            for (int i = 0; i < values.length; i++) {
                float sum = 0;
                for (int worker = 0; worker < workers; worker++) {
                    sum += all[worker][i];
                }
                values[i] += sum;
            }
        });
    }

    void requireSame(Table table, long version) {
        float[] expected = parameters.computeIfAbsent(table.spec(), this::initial);
        assertArrayEquals(expected, Updates.copy(table), () -> table.spec().name() + " at version " + version);
    }

    private float[] initial(TableSpec spec) {
        float[] values = new float[(int) spec.elements()];
        updates.initial(spec.name(), 0, values);
        return values;
    }

    /** Trains for some clocks under BSP, and compares every replica with a reference at each clock. */
    static void train(Worker worker, Updates updates, int clocks) {
        train(worker, updates, clocks, round -> {});
        assertEquals(0, worker.framesRejected());
    }

    /** Trains in this way, and does something before each clock. Frames may be rejected: relays may send them twice. */
    static void train(Worker worker, Updates updates, int clocks, LongConsumer before) {
        List<Table> tables = updates.declare(worker);
        worker.start(updates::initial);
        Reference reference = new Reference(updates, worker.workers());
        for (long round = 1; round <= clocks; round++) {
            before.accept(round);
            for (Table table : tables) {
                table.sync();
                reference.requireSame(table, round - 1);
                table.update(updates.of(table.spec(), worker.index(), round));
            }
            worker.clock();
            reference.apply(round);
        }
        worker.drain();
        for (Table table : tables) {
            reference.requireSame(table, clocks);
        }
    }
}
