package io.sluice.filter;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import io.sluice.codecs.OffHeap;
import io.sluice.filter.kernel.Kernels;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.util.BitSet;

/**
 * Adds the outer products of groups of vectors to a matrix. If at most one element of eight of the row vectors is not
 * zero, it touches only the columns that they have. The choice depends only on the vectors, so all replicas make the
 * same choice.
 *
 * <p>One per matrix and thread. Allocates nothing per call.
 */
public final class OuterProducts {
    /** Reciprocal of the greatest density of sparse row vectors. */
    private static final int SPARSE = 8;

    private final Kernels kernels;
    private final int rows;
    private final int columns;
    private final int most;
    private final MemorySegment lists;
    private final int[] ends;

    /** The columns that have changed since the last {@link #begin}. */
    private final BitSet changed;

    private long vectors;

    /**
     * Prepares for a matrix.
     *
     * @param kernels kernels to run
     * @param groups  maximum number of groups of a call, 1 or more
     * @param rows    rows of the matrix
     * @param columns columns of the matrix
     */
    public OuterProducts(Kernels kernels, int groups, int rows, int columns) {
        this.kernels = kernels;
        this.rows = rows;
        this.columns = columns;
        this.most = (int) Math.min((long) groups * columns / SPARSE, Integer.MAX_VALUE / SPARSE);
        this.lists = OffHeap.allocate(2L * Math.max(1, most) * Float.BYTES);
        this.ends = new int[groups];
        this.changed = new BitSet(columns);
    }

    /** Begins a sum of several calls, whose cost is measured. */
    public void begin() {
        changed.clear();
        vectors = 0;
    }

    /**
     * Estimated bytes of blocks with the vectors of all calls since {@link #begin}, without headers: those of the
     * elements that are not zero and of their indices.
     */
    public long vectorBytes() {
        return vectors;
    }

    /** Estimated bytes of blocks with the exact sum of the products of these calls, if no elements cancel out. */
    public long sumBytes() {
        return bytes((long) changed.cardinality() * rows, (long) rows * columns);
    }

    /**
     * Estimated bytes of the shortest of three encodings: dense values; values with a bitmap; values with Rice-coded
     * deltas.
     */
    private static long bytes(long nonZeros, long elements) {
        if (0 == nonZeros) {
            return 0;
        }
        double delta = 2 + Math.log((double) elements / nonZeros) / Math.log(2);
        double indices = Math.min(elements, nonZeros * delta) / Byte.SIZE;
        return Math.min(elements * Float.BYTES, nonZeros * Float.BYTES + (long) indices);
    }

    /**
     * Adds {@code sum of u v^T} over the groups, in their order.
     *
     * @param u       native segment with the column vectors, {@code rows} floats each
     * @param uOffset offset of the first vector, in bytes
     * @param v       native segment with the row vectors, {@code columns} floats each
     * @param vOffset offset of the first, in bytes
     * @param groups  number of groups; the last groups are empty if their v is zero
     * @param matrix  native segment of the matrix
     * @return whether all changed elements are finite; if not, the matrix must not be used afterwards
     */
    public boolean add(MemorySegment u, long uOffset, MemorySegment v, long vOffset, int groups, MemorySegment matrix) {
        int used = used(v, vOffset, groups);
        if (0 == used) {
            return true;
        }
        long left = OffHeap.address(u, uOffset, Math.multiplyExact(used, rows), "u");
        long right = OffHeap.address(v, vOffset, Math.multiplyExact(used, columns), "v");
        int limit = (int) Math.min(most, (long) used * columns / SPARSE);
        long indices = lists.address();
        long values = indices + (long) most * Float.BYTES;
        int listed = 0;
        for (int group = 0; group < used && listed >= 0; group++) {
            long at = (long) listed * Float.BYTES;
            int more = kernels.outer()
                    .nonZeros(
                            right + (long) group * columns * Float.BYTES,
                            columns,
                            limit - listed,
                            indices + at,
                            values + at);
            listed = more < 0 ? -1 : listed + more;
            ends[group] = listed;
        }
        vectors += bytes(nonZeros(u, uOffset, used * rows), (long) used * rows)
                + bytes(listed < 0 ? nonZeros(v, vOffset, used * columns) : listed, (long) used * columns);
        change(listed);
        boolean finite = listed < 0
                ? kernels.outer().dense(left, right, used, rows, columns, matrix.address())
                : kernels.outer().sparse(left, ends, indices, values, used, rows, columns, matrix.address());
        Reference.reachabilityFence(u);
        Reference.reachabilityFence(v);
        Reference.reachabilityFence(matrix);
        Reference.reachabilityFence(this);
        return finite;
    }

    private static long nonZeros(MemorySegment vectors, long offset, int floats) {
        long count = 0;
        for (int i = 0; i < floats; i++) {
            count += vectors.get(JAVA_FLOAT, offset + (long) i * Float.BYTES) == 0 ? 0 : 1;
        }
        return count;
    }

    /** Records the columns of the listed elements, or all columns if there are too many elements to list. */
    private void change(int listed) {
        if (listed < 0) {
            changed.set(0, columns);
        }
        for (int i = 0; i < listed; i++) {
            changed.set(lists.getAtIndex(JAVA_INT, i));
        }
    }

    /** The number of groups up to the last one whose row vector is not zero. */
    private int used(MemorySegment v, long offset, int groups) {
        for (int group = groups - 1; group >= 0; group--) {
            long from = offset + (long) group * columns * Float.BYTES;
            for (int column = 0; column < columns; column++) {
                if (v.get(JAVA_FLOAT, from + (long) column * Float.BYTES) != 0) {
                    return group + 1;
                }
            }
        }
        return 0;
    }
}
