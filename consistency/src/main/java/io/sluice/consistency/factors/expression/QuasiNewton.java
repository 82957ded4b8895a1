package io.sluice.consistency.factors.expression;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import io.sluice.consistency.standard.FloatRows;
import java.lang.foreign.MemorySegment;

/** The update of an approximated Hessian, or of its inverse, as two groups of vectors. For any thread. */
final class QuasiNewton {
    private QuasiNewton() {}

    /**
     * Writes the groups of the update after which the matrix turns {@code from} into {@code to}.
     *
     * @return 2, or 0 if an update would not keep the matrix positive definite
     */
    static int update(MemorySegment matrix, float[] from, float[] to, float[][] u, float[][] v) {
        int n = from.length;
        if (to.length != n || matrix.byteSize() != (long) n * n * Float.BYTES) {
            throw new IllegalArgumentException("the change of the parameters and of the gradient and the matrix have "
                    + n + ", " + to.length + " floats and " + matrix.byteSize() + " bytes, expected n, n and 4 n n");
        }
        if (u.length < 2
                || v.length < 2
                || u[0].length != n
                || u[1].length != n
                || v[0].length != n
                || v[1].length != n) {
            throw new IllegalArgumentException(
                    "the arrays do not fit, expected two groups of " + n + " and " + n + " floats");
        }
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int k = 0; k < n; k++) {
                sum += (double) matrix.getAtIndex(JAVA_FLOAT, (long) j * n + k) * from[k];
            }
            v[1][j] = (float) sum;
        }
        double curvature = FloatRows.dot(from, to);
        double old = FloatRows.dot(from, v[1]);
        if (!(curvature > 0 && old > 0)) {
            return 0;
        }
        for (int i = 0; i < n; i++) {
            u[0][i] = (float) (to[i] / Math.sqrt(curvature));
            v[0][i] = u[0][i];
            v[1][i] = (float) (v[1][i] / Math.sqrt(old));
            u[1][i] = -v[1][i];
        }
        return 2;
    }
}
