package io.sluice.consistency.factors.expression;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import io.sluice.consistency.standard.FloatRows;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/**
 * Finds the vectors of which the update of a matrix is made (Xie et al., Orpheus, SoCC 2018, section 3.1.1): those of a
 * gradient by reverse-mode differentiation of the loss, and those of two quasi-Newton methods. For any thread.
 */
public final class Identification {
    private Identification() {}

    /**
     * Makes the program that computes the gradient of a loss by its parameters, as groups: for each product a = W x in
     * the graph, u = df / da and v = x; for each a = W<sup>T</sup> x, u = x and v = df / da.
     *
     * @param loss       a scalar
     * @param parameters one or more inputs: matrices, which may occur as the first operand of a product or a transposed
     *     product only, or vectors, which may occur anywhere
     * @return a new program
     * @throws IllegalArgumentException if the loss is not a scalar; if a parameter is no input, or not one of the loss;
     *     or if a matrix, parameter or not, occurs elsewhere: the message has the path to it
     */
    public static FactorProgram of(Expression loss, Expression... parameters) {
        if (loss.rows() != 1 || loss.columns() != 1) {
            throw new IllegalArgumentException("the loss is " + loss + ", expected a scalar");
        }
        List<Expression> wanted = List.of(parameters);
        Map<Expression, Step> steps = new IdentityHashMap<>();
        List<Step> vectors = new ArrayList<>();
        for (Expression expression : Occurrence.all(loss)) {
            if (expression.operator() != Operator.MATRIX) {
                Step step = step(expression, steps, wanted);
                steps.put(expression, step);
                vectors.add(step);
            }
        }
        List<Step> groups = new ArrayList<>();
        List<Expression> ofGroups = new ArrayList<>();
        for (Expression parameter : wanted) {
            if (ofGroups.contains(parameter)) {
                throw new IllegalArgumentException(parameter + " is given twice, expected each parameter once");
            }
            for (Step step : vectors) {
                if (step.expression == parameter || step instanceof Product product && product.matrix() == parameter) {
                    groups.add(step);
                    ofGroups.add(parameter);
                }
            }
            if (!parameter.operands().isEmpty() || !ofGroups.contains(parameter)) {
                throw new IllegalArgumentException(parameter + " is a parameter, expected an input of the loss");
            }
        }
        if (groups.isEmpty()) {
            throw new IllegalArgumentException("there is no parameter, expected at least one");
        }
        return new FactorProgram(List.copyOf(vectors), List.copyOf(groups), List.copyOf(ofGroups));
    }

    private static Step step(Expression expression, Map<Expression, Step> steps, List<Expression> parameters) {
        List<Expression> operands = expression.operands();
        if (operands.isEmpty()) {
            return new Step(expression, null, null, parameters.contains(expression));
        }
        Step a = steps.get(operands.getFirst());
        Step b = steps.get(operands.getLast());
        if (a == null) { // the first operand is the input of a matrix, which has no step
            boolean depends = b.derivative != null || parameters.contains(operands.getFirst());
            return new Product(expression, b, depends);
        }
        return new Step(expression, a, b, a.derivative != null || b.derivative != null);
    }

    /**
     * The groups of the BFGS update of an approximated Hessian B: y y<sup>T</sup> / (y . s) - v v<sup>T</sup> / (s . v)
     * with v = B s. The paper divides y twice, which this does not.
     *
     * @param hessian  B, n x n finite f32 in row order and native byte order, symmetric and positive definite
     * @param step     s, the change of the n parameters
     * @param gradient y, the change of the gradient by that step
     * @param u        receives the first vectors of two groups, of n floats each
     * @param v        receives the second vectors
     * @return number of groups: 2, or 0 if y . s or s . v is not above 0, because an update would not keep B positive
     *     definite
     * @throws IllegalArgumentException if a length differs from n
     */
    public static int bfgs(MemorySegment hessian, float[] step, float[] gradient, float[][] u, float[][] v) {
        return quasiNewton(hessian, step, gradient, u, v);
    }

    /**
     * The groups of the DFP update of an approximated inverse H of a Hessian: s s<sup>T</sup> / (y . s) - v
     * v<sup>T</sup> / (y . v) with v = H y.
     *
     * @param inverse  H, n x n finite f32 in row order and native byte order, symmetric and positive definite
     * @param step     s, the change of the n parameters
     * @param gradient y, the change of the gradient by that step
     * @param u        receives the first vectors of two groups, of n floats each
     * @param v        receives the second vectors
     * @return number of groups: 2, or 0 if y . s or y . v is not above 0, because an update would not keep H positive
     *     definite
     * @throws IllegalArgumentException if a length differs from n
     */
    public static int dfp(MemorySegment inverse, float[] step, float[] gradient, float[][] u, float[][] v) {
        return quasiNewton(inverse, gradient, step, u, v);
    }

    /** The update after which the matrix turns {@code from} into {@code to}. */
    private static int quasiNewton(MemorySegment matrix, float[] from, float[] to, float[][] u, float[][] v) {
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
