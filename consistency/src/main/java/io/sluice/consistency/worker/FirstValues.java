package io.sluice.consistency.worker;

import io.sluice.consistency.terms.TableSpec;

/**
 * Reads the first parameters of a table in pieces of any length, independent of the runs that the initialiser fills.
 */
final class FirstValues {
    private final TableSpec spec;
    private final Initialiser initialiser;
    private float[] run = {};
    private int read;

    /** Position of the next value of the table. */
    private long position;

    FirstValues(TableSpec spec, Initialiser initialiser) {
        this.spec = spec;
        this.initialiser = initialiser;
    }

    /** Reads the next {@code length} values; the table must have that many left. */
    float[] next(int length) {
        float[] values = new float[length];
        for (int filled = 0; filled < length; ) {
            if (read == run.length) {
                long column = position % spec.columns();
                run = new float[(int) Math.min(Initialiser.LONGEST_RUN, spec.columns() - column)];
                initialiser.fill(spec.name(), position, run);
                read = 0;
            }
            int count = Math.min(length - filled, run.length - read);
            System.arraycopy(run, read, values, filled, count);
            filled += count;
            read += count;
            position += count;
        }
        return values;
    }
}
