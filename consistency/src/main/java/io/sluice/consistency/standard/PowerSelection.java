package io.sluice.consistency.standard;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import io.sluice.consistency.spi.FactorSelection;
import io.sluice.filter.OuterProducts;
import io.sluice.filter.kernel.Draws;
import io.sluice.filter.kernel.Kernels;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * One step of the power method on a residual, as PowerSGD compresses gradients (Vogels, Karimireddy, Jaggi 2019,
 * algorithm 1), started from the vectors of the previous clock. With E the residual of J x K floats, which begins at
 * zero, and Q of K x C: E += sum of the groups; P = E Q, with orthonormal columns; Q = E<sup>T</sup> P; E -= P
 * Q<sup>T</sup>. The columns of P and Q are the groups sent. So nothing is lost but rounding: what has been sent plus E
 * is the sum of all groups, to f32.
 *
 * <p>A column of E Q that depends on those before it, up to 2<sup>-16</sup> of its length, is not sent. Its column of Q
 * is drawn anew in the next clock, as all columns are in the first clock. A clock costs 3 C J K multiply-adds, and J K
 * for each group, less if the v are sparse.
 */
final class PowerSelection implements FactorSelection {
    private static final double ROUNDING = 0x1p-16;
    private static final int ALIGNMENT = 64;

    private final Site site;
    private final int width;
    private final OuterProducts products;

    /** E in row order, then the C columns of Q, one after the other, each of length 1 or 0. */
    private final MemorySegment state;

    private final long afterE;

    /** One row of E. */
    private final float[] row;

    /** The columns of P. */
    private final float[][] p;

    /** The columns of Q. */
    private final float[][] q;

    PowerSelection(Site site, int most) {
        this.site = site;
        int rows = site.rows();
        int columns = site.columns();
        width = Math.min(most, Math.min(rows, columns));
        afterE = (long) rows * columns;
        state = Arena.ofAuto().allocate((afterE + (long) width * columns) * Float.BYTES, ALIGNMENT);
        row = new float[columns];
        products = new OuterProducts(Kernels.preferred(), site.groups(), rows, columns);
        p = new float[width][rows];
        q = new float[width][columns];
    }

    @Override
    public MemorySegment state() {
        return state;
    }

    @Override
    public int select(MemorySegment u, MemorySegment v, int count, long clock) {
        FloatRows.load(state, afterE, width, q);
        drawMissing(FloatRows.key(site, clock));
        addProducts(u, v, count);
        for (int j = 0; j < site.rows(); j++) {
            loadRow(j);
            for (int c = 0; c < width; c++) {
                p[c][j] = (float) FloatRows.dot(row, q[c]);
            }
        }
        int kept = orthonormalise();
        for (float[] column : q) {
            Arrays.fill(column, 0);
        }
        for (int j = 0; j < site.rows(); j++) {
            loadRow(j);
            for (int c = 0; c < kept; c++) {
                FloatRows.addScaled(q[c], p[c][j], row);
            }
        }
        send(u, v, kept);
        return kept;
    }

    private void addProducts(MemorySegment u, MemorySegment v, int count) {
        if (!products.add(u, 0, v, 0, count, state)) {
            throw new ArithmeticException(
                    "its residual is not finite, expected finite products of the vectors of an iteration");
        }
    }

    private void loadRow(int j) {
        MemorySegment.copy(state, JAVA_FLOAT, (long) j * row.length * Float.BYTES, row, 0, row.length);
    }

    private void drawMissing(long key) {
        for (int c = 0; c < width; c++) {
            if (FloatRows.dot(q[c], q[c]) == 0) {
                long column = Draws.mix(key, c);
                for (int k = 0; k < q[c].length; k++) {
                    q[c][k] = (float) (2 * FloatRows.uniform(column, k) - 1);
                }
            }
        }
    }

    /**
     * Gives the columns of P length 1 and makes them orthogonal, by Gram-Schmidt in two passes.
     *
     * @return number of independent columns, which are the first on return
     */
    private int orthonormalise() {
        int kept = 0;
        for (int c = 0; c < width; c++) {
            float[] column = p[c];
            double before = Math.sqrt(FloatRows.dot(column, column));
            for (int pass = 0; pass < 2; pass++) {
                for (int d = 0; d < kept; d++) {
                    FloatRows.addScaled(column, (float) -FloatRows.dot(column, p[d]), p[d]);
                }
            }
            double after = Math.sqrt(FloatRows.dot(column, column));
            if (after <= ROUNDING * before) {
                continue;
            }
            FloatRows.divide(column, after);
            p[c] = p[kept];
            p[kept++] = column;
        }
        return kept;
    }

    /** Writes the groups, subtracts them from E, and leaves the columns of Q in the state, scaled to length 1. */
    private void send(MemorySegment u, MemorySegment v, int kept) {
        for (int c = 0; c < kept; c++) {
            FloatRows.divide(q[c], -1);
            FloatRows.store(p[c], u, 0, c);
            FloatRows.store(q[c], v, 0, c);
        }
        addProducts(u, v, kept);
        for (int c = 0; c < width; c++) {
            double length = Math.sqrt(FloatRows.dot(q[c], q[c]));
            if (c < kept && length > 0) {
                FloatRows.divide(q[c], -1);
                FloatRows.store(q[c], v, 0, c);
                FloatRows.divide(q[c], length);
            }
            FloatRows.store(q[c], state, afterE, c);
        }
    }
}
