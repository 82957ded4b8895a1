package io.sluice.perf.updates;

/** One thread's part of a table in arrays: the updates of the clocks, in turn, and the residual. */
public final class HeapTable {
    private final float[][] updates;
    private final float[] residual;
    private int clock = -1;

    /** Fills the part of a thread. */
    public HeapTable(TableShape shape, int thread) {
        updates = new float[shape.clocks()][];
        for (int i = 0; i < updates.length; i++) {
            updates[i] = shape.update(i, thread);
        }
        residual = new float[shape.part()];
    }

    /** Advances to the next clock, cyclically, and returns its update. */
    public float[] next() {
        clock = (clock + 1) % updates.length;
        return updates[clock];
    }

    public float[] residual() {
        return residual;
    }
}
