package io.sluice.consistency.factors.expression;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;

/**
 * Computes a loss and the groups of its gradient, one training example at a time: {@link Identification} makes it.
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
     * Makes a program.
     *
     * @param steps      all vectors, each after its operands; the loss is the last
     * @param groups     the steps that write the groups
     * @param parameters the parameter of each group
     */
    FactorProgram(List<Step> steps, List<Step> groups, List<Expression> parameters) {
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
