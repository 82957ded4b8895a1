package io.sluice.consistency.worker;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import io.sluice.codecs.OffHeap;
import java.lang.foreign.MemorySegment;

/** The private copy of a table, and the sum of the steps that have not been pushed. */
final class LocalCopy {
    private final Table table;
    private final MemorySegment parameters;
    private final MemorySegment sum;
    private final FloatView view;
    private final Update pushed;

    LocalCopy(Table table) {
        if (null != table.blocks()) {
            throw new IllegalArgumentException("table " + table.spec().name()
                    + " carries vectors of a factor table, expected an ordinary table for local steps");
        }
        this.table = table;
        this.parameters = OffHeap.allocate(elements() * Float.BYTES);
        this.sum = OffHeap.allocate(elements() * Float.BYTES);
        this.view = new FloatView(parameters);
        this.pushed = new Update.InMemory(sum);
    }

    Table table() {
        return table;
    }

    FloatView view() {
        return view;
    }

    private long elements() {
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

    /** Leaves the table out of the open clock. */
    void hold() {
        table.push().hold();
    }

    /**
     * Takes the new parameters: those of all workers' steps, with this worker's later ones.
     *
     * @param mixing share of the copy; NaN without mixing
     */
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

    /** Length of a saved copy. */
    long bytes() {
        return parameters.byteSize() + sum.byteSize();
    }

    void save(MemorySegment state, long at) {
        MemorySegment.copy(parameters, 0, state, at, parameters.byteSize());
        MemorySegment.copy(sum, 0, state, at + parameters.byteSize(), sum.byteSize());
    }

    void restore(MemorySegment state, long at) {
        MemorySegment.copy(state, at, parameters, 0, parameters.byteSize());
        MemorySegment.copy(state, at + parameters.byteSize(), sum, 0, sum.byteSize());
    }
}
