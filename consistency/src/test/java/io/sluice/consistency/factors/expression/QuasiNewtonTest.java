package io.sluice.consistency.factors.expression;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.Property;
import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The updates of BFGS and DFP against the product forms of the textbook (Nocedal, Wright 2006, section 6.1). */
class QuasiNewtonTest {
    private interface Update {
        int groups(MemorySegment matrix, float[] s, float[] y, float[][] u, float[][] v);
    }

    private static Update named(String name) {
        return "bfgs".equals(name) ? FactorProgram::bfgs : FactorProgram::dfp;
    }

    /**
     * With H the inverse of B and r = 1 / (y . s), BFGS makes (I - r s y^T) H (I - r y s^T) + r s s^T the inverse of
     * the updated B; DFP makes (I - r y s^T) B (I - r s y^T) + r y y^T that of the updated H.
     */
    @ParameterizedTest
    @ValueSource(strings = {"bfgs", "dfp"})
    void theUpdatedMatrixIsTheInverseOfTheProductForm(String name) {
        Property.holds(100, random -> {
            int n = random.nextInt(1, 8);
            double[][] matrix = positive(random, n);
            float[] s = normal(random, n);
            float[] y = normal(random, n);
            if (dot(s, y) < 0.2) {
                return;
            }
            float[][] u = new float[2][n];
            float[][] v = new float[2][n];
            assertEquals(2, named(name).groups(floats(matrix), s, y, u, v));
            double[][] updated = new double[n][n];
            for (int j = 0; j < n; j++) {
                for (int k = 0; k < n; k++) {
                    updated[j][k] = matrix[j][k] + u[0][j] * v[0][k] + u[1][j] * v[1][k];
                }
            }
            double[][] other =
                    "bfgs".equals(name) ? productForm(inverse(matrix), s, y) : productForm(inverse(matrix), y, s);
            double[][] product = times(updated, other);
            for (int j = 0; j < n; j++) {
                double[] row = new double[n];
                row[j] = 1;
                assertArrayEquals(row, product[j], 1e-2);
            }
        });
    }

    /** (I - r a b^T) M (I - r b a^T) + r a a^T. */
    private static double[][] productForm(double[][] m, float[] a, float[] b) {
        int n = a.length;
        double r = 1 / dot(a, b);
        double[][] left = new double[n][n];
        double[][] right = new double[n][n];
        for (int j = 0; j < n; j++) {
            for (int k = 0; k < n; k++) {
                left[j][k] = (j == k ? 1 : 0) - r * a[j] * b[k];
                right[k][j] = left[j][k];
            }
        }
        double[][] form = times(times(left, m), right);
        for (int j = 0; j < n; j++) {
            for (int k = 0; k < n; k++) {
                form[j][k] += r * a[j] * a[k];
            }
        }
        return form;
    }

    /** The updated matrix maps the step to the change of the gradient (BFGS), or the other way (DFP). */
    @ParameterizedTest
    @ValueSource(strings = {"bfgs", "dfp"})
    void theUpdatedMatrixSatisfiesTheSecantEquation(String name) {
        float[] s = {1, 2};
        float[] y = {3, 1};
        float[] from = "bfgs".equals(name) ? s : y;
        float[] to = "bfgs".equals(name) ? y : s;
        float[][] u = new float[2][2];
        float[][] v = new float[2][2];
        assertEquals(2, named(name).groups(floats(new double[][] {{2, 0}, {0, 1}}), s, y, u, v));
        for (int j = 0; j < 2; j++) {
            float own = (2 - j) * from[j];
            assertEquals(to[j], own + u[0][j] * dot(v[0], from) + u[1][j] * dot(v[1], from), 1e-5);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"bfgs", "dfp"})
    void withoutPositiveCurvatureThereIsNoUpdate(String name) {
        MemorySegment identity = floats(new double[][] {{1, 0}, {0, 1}});
        float[][] u = new float[2][2];
        float[][] v = new float[2][2];
        float[] s = {1, 1};
        for (float[] y : new float[][] {{-1, 0.5f}, {1, -1}, {0, 0}, {Float.NaN, 1}}) {
            assertEquals(0, named(name).groups(identity, s, y, u, v));
        }
        MemorySegment negative = floats(new double[][] {{-1, 0}, {0, -1}});
        assertEquals(0, named(name).groups(negative, s, s, u, v));
    }

    @Test
    void otherLengthsAreRefused() {
        MemorySegment identity = floats(new double[][] {{1, 0}, {0, 1}});
        float[][] two = new float[2][2];
        refuses("have 2, 3 floats and 16 bytes", identity, new float[2], new float[3], two);
        refuses("have 3, 3 floats and 16 bytes", identity, new float[3], new float[3], two);
        refuses("two groups of 2 and 2 floats", identity, new float[2], new float[2], new float[1][2]);
        refuses("two groups of 2 and 2 floats", identity, new float[2], new float[2], new float[2][3]);
    }

    private static void refuses(String words, MemorySegment matrix, float[] s, float[] y, float[][] room) {
        String message = assertThrows(
                        IllegalArgumentException.class, () -> FactorProgram.bfgs(matrix, s, y, room, room))
                .getMessage();
        assertTrue(message.contains(words), message);
    }

    private static float[] normal(SplittableRandom random, int n) {
        float[] vector = new float[n];
        for (int i = 0; i < n; i++) {
            vector[i] = (float) random.nextGaussian();
        }
        return vector;
    }

    /** I plus a product of a matrix and its transpose, with elements that floats can hold. */
    private static double[][] positive(SplittableRandom random, int n) {
        double[][] matrix = new double[n][n];
        for (int i = 0; i < n; i++) {
            float[] x = normal(random, n);
            for (int j = 0; j < n; j++) {
                for (int k = 0; k < n; k++) {
                    matrix[j][k] = (float) (matrix[j][k] + (i == j && j == k ? 1 : 0) + x[j] * x[k] / n);
                }
            }
        }
        return matrix;
    }

    private static MemorySegment floats(double[][] matrix) {
        int n = matrix.length;
        float[] floats = new float[n * n];
        for (int i = 0; i < floats.length; i++) {
            floats[i] = (float) matrix[i / n][i % n];
        }
        return MemorySegment.ofArray(floats);
    }

    private static float dot(float[] a, float[] b) {
        double sum = 0;
        for (int i = 0; i < a.length; i++) {
            sum += a[i] * b[i];
        }
        return (float) sum;
    }

    private static double[][] times(double[][] a, double[][] b) {
        int n = a.length;
        double[][] product = new double[n][n];
        for (int j = 0; j < n; j++) {
            for (int k = 0; k < n; k++) {
                for (int i = 0; i < n; i++) {
                    product[j][k] += a[j][i] * b[i][k];
                }
            }
        }
        return product;
    }

    /** Gauss and Jordan without a choice of pivots, which a positive definite matrix does not need. */
    private static double[][] inverse(double[][] matrix) {
        int n = matrix.length;
        double[][] rows = new double[n][2 * n];
        for (int j = 0; j < n; j++) {
            System.arraycopy(matrix[j], 0, rows[j], 0, n);
            rows[j][n + j] = 1;
        }
        for (int c = 0; c < n; c++) {
            double pivot = rows[c][c];
            for (int k = 0; k < 2 * n; k++) {
                rows[c][k] /= pivot;
            }
            for (int j = 0; j < n; j++) {
                double share = j == c ? 0 : rows[j][c];
                for (int k = 0; k < 2 * n; k++) {
                    rows[j][k] -= share * rows[c][k];
                }
            }
        }
        double[][] inverse = new double[n][n];
        for (int j = 0; j < n; j++) {
            System.arraycopy(rows[j], n, inverse[j], 0, n);
        }
        return inverse;
    }
}
