package io.sluice.filter.kernel;

import static io.sluice.filter.kernel.Memory.f32;
import static io.sluice.filter.kernel.Registers.FLOATS;
import static io.sluice.filter.kernel.Registers.INTS;
import static io.sluice.filter.kernel.Registers.LANES;
import static io.sluice.filter.kernel.Registers.floats;
import static io.sluice.filter.kernel.Registers.isFinite;
import static io.sluice.filter.kernel.Registers.magnitude;
import static io.sluice.filter.kernel.Registers.store;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorOperators;

/**
 * Adds outer products on the Vector API: four registers of a row of the matrix take the products of all groups before
 * they are stored. The columns are cut into tiles, so that the vectors of all groups stay in the cache for a tile.
 */
final class VectorOuter implements OuterKernel {
    /** Number of columns of a tile: with 100 groups, 400 KiB of row vectors. */
    private static final int TILE = 1_024;

    private static final int STEP = 4 * LANES;

    private final ScalarOuter scalar = new ScalarOuter();

    @Override
    public boolean dense(long u, long v, int groups, int rows, int columns, long w) {
        int whole = columns / STEP * STEP;
        boolean finite = true;
        for (int tile = 0; tile < whole; tile += TILE) {
            int end = Math.min(whole, tile + TILE);
            for (int row = 0; row < rows; row++) {
                long target = w + f32((long) row * columns);
                finite &= row(u + f32(row), v, groups, rows, columns, tile, end, target);
            }
        }
        return whole == columns ? finite : finite & scalar.dense(u, v, groups, rows, columns, whole, w);
    }

    private static boolean row(long u, long v, int groups, int rows, int columns, int first, int end, long target) {
        IntVector greatest = IntVector.zero(INTS);
        for (int i = first; i < end; i += STEP) {
            FloatVector a = floats(f32(target, i));
            FloatVector b = floats(f32(target, i + LANES));
            FloatVector c = floats(f32(target, i + 2 * LANES));
            FloatVector d = floats(f32(target, i + 3 * LANES));
            for (int group = 0; group < groups; group++) {
                FloatVector factor = FloatVector.broadcast(FLOATS, Memory.getFloat(u + f32((long) group * rows)));
                long vector = v + f32((long) group * columns);
                a = a.add(factor.mul(floats(f32(vector, i))));
                b = b.add(factor.mul(floats(f32(vector, i + LANES))));
                c = c.add(factor.mul(floats(f32(vector, i + 2 * LANES))));
                d = d.add(factor.mul(floats(f32(vector, i + 3 * LANES))));
            }
            store(a, f32(target, i));
            store(b, f32(target, i + LANES));
            store(c, f32(target, i + 2 * LANES));
            store(d, f32(target, i + 3 * LANES));
            greatest = greatest.max(magnitude(a))
                    .max(magnitude(b))
                    .max(magnitude(c))
                    .max(magnitude(d));
        }
        return isFinite(greatest);
    }

    @Override
    public int nonZeros(long vector, int elements, int most, long indices, long values) {
        int whole = FLOATS.loopBound(elements);
        int count = 0;
        for (int i = 0; i < whole && count >= 0; i += LANES) {
            if (floats(f32(vector, i)).compare(VectorOperators.NE, 0).anyTrue()) {
                count = ScalarOuter.nonZeros(vector, i, i + LANES, count, most, indices, values);
            }
        }
        return count < 0 ? -1 : ScalarOuter.nonZeros(vector, whole, elements, count, most, indices, values);
    }
}
