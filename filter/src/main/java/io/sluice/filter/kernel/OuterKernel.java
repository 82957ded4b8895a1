package io.sluice.filter.kernel;

import static io.sluice.filter.kernel.Memory.f32;

/**
 * Adds outer products to a matrix: {@code w += sum of u v^T} over groups, each a column vector u and a row vector v.
 * Every element takes its products in the order of the groups, each rounded before it is added, so the bits do not
 * depend on the twin or on the width of a register. All memory is native, and holds f32 in row order.
 */
public interface OuterKernel {
    /**
     * Adds products of dense vectors.
     *
     * @param u       address of the groups' column vectors, {@code rows} floats each
     * @param v       address of the groups' row vectors, {@code columns} floats each
     * @param groups  number of groups
     * @param rows    rows of the matrix
     * @param columns columns of the matrix
     * @param w       address of the matrix
     * @return whether all sums are finite
     */
    boolean dense(long u, long v, int groups, int rows, int columns, long w);

    /**
     * Lists the elements of a vector that are not zero, in order.
     *
     * @param vector   address of the vector
     * @param elements its floats
     * @param most     maximum number of elements to list
     * @param indices  address of the list of their indices, as i32
     * @param values   address of the list of their values
     * @return the number of elements listed, or -1 if there are more than {@code most}
     */
    int nonZeros(long vector, int elements, int most, long indices, long values);

    /**
     * Adds products of sparse row vectors. Elements of columns that no vector has keep their bits. Both twins have
     * this loop: the Vector API gathers and scatters elements of arrays alone, not of native memory.
     *
     * @param u       address of the groups' column vectors, {@code rows} floats each
     * @param ends    for each group the end of its list, which begins at the end of the previous group's list
     * @param indices address of the indices of all groups
     * @param values  address of the values of all groups
     * @param groups  number of groups
     * @param rows    rows of the matrix
     * @param columns columns of the matrix
     * @param w       address of the matrix
     * @return whether all sums are finite
     */
    default boolean sparse(long u, int[] ends, long indices, long values, int groups, int rows, int columns, long w) {
        boolean finite = true;
        for (int row = 0; row < rows; row++) {
            long target = w + f32((long) row * columns);
            int k = 0;
            for (int group = 0; group < groups; group++) {
                float factor = Memory.getFloat(u + f32((long) group * rows + row));
                for (; k < ends[group]; k++) {
                    long at = f32(target, Memory.getInt(f32(indices, k)));
                    float sum = Memory.getFloat(at) + factor * Memory.getFloat(f32(values, k));
                    Memory.putFloat(at, sum);
                    finite &= Math.abs(sum) <= Float.MAX_VALUE;
                }
            }
        }
        return finite;
    }
}
