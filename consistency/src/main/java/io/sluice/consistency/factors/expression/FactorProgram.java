package io.sluice.consistency.factors.expression;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/**
 * Computes a loss and the groups of its gradient, one training example at a time. {@link #of} finds the vectors of
 * which the gradient is made (Xie et al., Orpheus, SoCC 2018, section 3.1.1) by reverse-mode differentiation of the
 * loss; {@link #bfgs} and {@link #dfp} compute those of two quasi-Newton methods. Any thread may call the static
 * methods.
 *
 * <p>A group is a pair of vectors. The gradient of a parameter of J x K is the sum of u v<sup>T</sup> over its groups,
 * with u of J and v of K floats; a group belongs to each {@code product} and {@code transposedProduct} of the
 * parameter. A parameter that is a vector has one group, with its gradient as u and v = (1). Groups have the order of
 * the parameters, and those of one parameter the order of evaluation: operands from the first, then their operator.
 *
 * <p>The program holds a float or two for each element of each vector of the graph, and never a gradient of J x K. For
 * one thread at a time; several threads need a program each.
 */
public final class FactorProgram {
    private final List<Step> steps;
    private final List<Step> inputs;
    private final List<Product> products;
    private final List<Step> groups;
    private final List<Expression> parameters;

    /**
     * Creates a program.
     *
     * @param steps      all vectors, each after its operands; the loss is the last
     * @param groups     the steps that write the groups
     * @param parameters the parameter of each group
     */
    private FactorProgram(List<Step> steps, List<Step> groups, List<Expression> parameters) {
        this.steps = steps;
        this.groups = groups;
        this.parameters = parameters;
        inputs = steps.stream()
                .filter(step -> step.expression.operator() == Operator.VECTOR)
                .toList();
        products = steps.stream()
                .filter(Product.class::isInstance)
                .map(Product.class::cast)
                .toList();
    }

    /**
     * Creates the program that computes the gradient of a loss by its parameters, as groups: for each product a = W x
     * in the graph, u = df / da and v = x; for each a = W<sup>T</sup> x, u = x and v = df / da.
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
        return QuasiNewton.update(hessian, step, gradient, u, v);
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
        return QuasiNewton.update(inverse, gradient, step, u, v);
    }

    /** Number of groups of one example. */
    public int groups() {
        return groups.size();
    }

    /**
     * The parameter to whose gradient a group belongs.
     *
     * @param group from 0, below {@link #groups()}
     * @throws IndexOutOfBoundsException if there is no such group
     */
    public Expression parameter(int group) {
        return parameters.get(group);
    }

    /**
     * Computes one example. Allocates nothing. Values that are not finite pass through as IEEE 754 has them.
     *
     * @param values the f32 of each input of the loss in native byte order, in row order, on the heap or not; other
     *     entries are ignored
     * @param u receives the first vector of each group: {@code parameter(g).rows()} floats
     * @param v receives the second vector of each group: {@code parameter(g).columns()} floats
     * @return the loss
     * @throws IllegalArgumentException naming an input without a value, or with one of another length, or a vector that
     *     is missing or has another length; nothing is written then
     */
    public float compute(Map<Expression, MemorySegment> values, float[][] u, float[][] v) {
        requireGroups(u, v);
        for (int i = 0; i < inputs.size(); i++) {
            inputs.get(i).load(value(values, inputs.get(i).expression));
        }
        for (int i = 0; i < products.size(); i++) {
            products.get(i).use(value(values, products.get(i).matrix()));
        }
        for (int i = 0; i < steps.size(); i++) {
            steps.get(i).forward();
            steps.get(i).clearDerivative();
        }
        Step loss = steps.getLast();
        loss.derivative[0] = 1;
        for (int i = steps.size() - 1; i >= 0; i--) {
            steps.get(i).backward();
        }
        for (int g = 0; g < groups.size(); g++) {
            groups.get(g).write(u[g], v[g]);
        }
        return loss.value[0];
    }

    private static MemorySegment value(Map<Expression, MemorySegment> values, Expression input) {
        MemorySegment value = values.get(input);
        long bytes = (long) input.rows() * input.columns() * Float.BYTES;
        if (value == null || value.byteSize() != bytes) {
            String given = value == null ? "no value" : value.byteSize() + " bytes";
            throw new IllegalArgumentException(input + " is given " + given + ", expected " + bytes + " bytes");
        }
        return value;
    }

    private void requireGroups(float[][] u, float[][] v) {
        if (u.length < groups.size() || v.length < groups.size()) {
            throw new IllegalArgumentException(u.length + " arrays are given for u and " + v.length
                    + " for v, expected " + groups.size() + " of each, one for each group");
        }
        for (int g = 0; g < groups.size(); g++) {
            int rows = parameters.get(g).rows();
            int columns = parameters.get(g).columns();
            if (u[g].length != rows || v[g].length != columns) {
                throw new IllegalArgumentException("group " + g + " of " + parameters.get(g) + " is given arrays of "
                        + u[g].length + " and " + v[g].length + " floats, expected " + rows + " and " + columns);
            }
        }
    }
}
