package io.sluice.consistency.factors.expression;

import java.util.List;

/**
 * A node of an expression graph: an input, or an operator applied to other nodes (table 1 of Xie et al., Orpheus, SoCC
 * 2018). From the loss of one training example, {@link FactorProgram} derives the vectors of which its gradient is
 * made.
 *
 * <pre>{@code
 * Expression x = vector("x", features);
 * Expression t = vector("t", classes);
 * Expression w = matrix("W", classes, features);
 * Expression loss = crossEntropy(softmax(product(w, x)), t);
 * }</pre>
 *
 * <p>Values are f32. A vector has one column, and a scalar is a vector of one element. A node that is an operand of
 * several others is evaluated once; nodes are told apart by identity, names are for messages only. Immutable, for any
 * thread.
 */
public final class Expression {
    private final Operator operator;
    private final String name;
    private final int rows;
    private final int columns;
    private final List<Expression> operands;

    private Expression(Operator operator, String name, int rows, int columns, List<Expression> operands) {
        this.operator = operator;
        this.name = name;
        this.rows = rows;
        this.columns = columns;
        this.operands = operands;
    }

    /**
     * An input that is a vector.
     *
     * @param name   name for messages
     * @param length number of elements, 1 or more
     * @throws IllegalArgumentException if the length is below 1
     */
    public static Expression vector(String name, int length) {
        if (length < 1) {
            throw new IllegalArgumentException("length of vector " + name + " is " + length + ", expected 1 or more");
        }
        return new Expression(Operator.VECTOR, name, length, 1, List.of());
    }

    /**
     * An input that is a matrix, in row order.
     *
     * @param name    name for messages
     * @param rows    number of rows, 1 or more
     * @param columns number of columns, 1 or more
     * @throws IllegalArgumentException if a number is below 1
     */
    public static Expression matrix(String name, int rows, int columns) {
        if (rows < 1 || columns < 1) {
            throw new IllegalArgumentException(
                    "matrix " + name + " is " + rows + " x " + columns + ", expected at least 1 x 1");
        }
        return new Expression(Operator.MATRIX, name, rows, columns, List.of());
    }

    /**
     * Matrix times vector.
     *
     * @param matrix J x K
     * @param vector of K
     * @return a vector of J
     * @throws IllegalArgumentException if the shapes do not fit
     */
    public static Expression product(Expression matrix, Expression vector) {
        return multiply(Operator.PRODUCT, matrix, vector, matrix.columns, matrix.rows);
    }

    /**
     * Transposed matrix times vector.
     *
     * @param matrix J x K
     * @param vector of J
     * @return a vector of K
     * @throws IllegalArgumentException if the shapes do not fit
     */
    public static Expression transposedProduct(Expression matrix, Expression vector) {
        return multiply(Operator.TRANSPOSED_PRODUCT, matrix, vector, matrix.rows, matrix.columns);
    }

    private static Expression multiply(Operator operator, Expression matrix, Expression vector, int in, int out) {
        if (matrix.operator != Operator.MATRIX) {
            throw new IllegalArgumentException(
                    "the first operand of " + operator + " is " + matrix + ", expected the input of a matrix");
        }
        if (vector.isMatrix() || vector.rows != in) {
            throw new IllegalArgumentException("the second operand of " + operator + " is " + vector
                    + ", expected a vector of length " + in + " for " + matrix);
        }
        return new Expression(operator, "", out, 1, List.of(matrix, vector));
    }

    /**
     * Euclidean length. Its derivative at 0 counts as 0.
     *
     * @param a a vector
     * @return a scalar
     */
    public static Expression l2(Expression a) {
        return reduce(Operator.L2, a);
    }

    /**
     * Exponentials over their sum, stable for large values.
     *
     * @param a a vector
     * @return a vector of equal length
     */
    public static Expression softmax(Expression a) {
        return each(Operator.SOFTMAX, a);
    }

    /**
     * 1 / (1 + e<sup>-a</sup>) of each element.
     *
     * @param a a vector
     * @return a vector of equal length
     */
    public static Expression sigmoid(Expression a) {
        return each(Operator.SIGMOID, a);
    }

    /**
     * Hyperbolic tangent of each element.
     *
     * @param a a vector
     * @return a vector of equal length
     */
    public static Expression tanh(Expression a) {
        return each(Operator.TANH, a);
    }

    /**
     * The larger of 0 and each element. Its derivative at 0 is taken as 0.
     *
     * @param a a vector
     * @return a vector of equal length
     */
    public static Expression relu(Expression a) {
        return each(Operator.RELU, a);
    }

    /**
     * - sum of t<sub>i</sub> ln p<sub>i</sub>. If {@code p} is a {@link #softmax}, the two are one operator, which is
     * stable and has the derivative p - t if t adds up to 1. Otherwise each p<sub>i</sub> must be above 0 where
     * t<sub>i</sub> is not 0.
     *
     * @param p predicted probabilities, a vector
     * @param t true probabilities, a vector of equal length
     * @return a scalar
     * @throws IllegalArgumentException if the shapes differ
     */
    public static Expression crossEntropy(Expression p, Expression t) {
        return p.operator == Operator.SOFTMAX
                ? reduce(Operator.SOFTMAX_CROSS_ENTROPY, p.operands.getFirst(), t)
                : reduce(Operator.CROSS_ENTROPY, p, t);
    }

    /**
     * Half the sum of the squared differences, whose derivative is a - b.
     *
     * @param a a vector
     * @param b a vector of equal length
     * @return a scalar
     * @throws IllegalArgumentException if the shapes differ
     */
    public static Expression squaredError(Expression a, Expression b) {
        return reduce(Operator.SQUARED_ERROR, a, b);
    }

    /**
     * Sum of each two elements.
     *
     * @param a a vector
     * @param b a vector of equal length
     * @return a vector of equal length
     * @throws IllegalArgumentException if the shapes differ
     */
    public static Expression plus(Expression a, Expression b) {
        return each(Operator.PLUS, a, b);
    }

    /**
     * Difference of each two elements.
     *
     * @param a a vector
     * @param b a vector of equal length
     * @return a vector of equal length
     * @throws IllegalArgumentException if the shapes differ
     */
    public static Expression minus(Expression a, Expression b) {
        return each(Operator.MINUS, a, b);
    }

    /**
     * Product of each two elements.
     *
     * @param a a vector
     * @param b a vector of equal length
     * @return a vector of equal length
     * @throws IllegalArgumentException if the shapes differ
     */
    public static Expression times(Expression a, Expression b) {
        return each(Operator.TIMES, a, b);
    }

    private static Expression each(Operator operator, Expression... operands) {
        requireEqualShapes(operator, operands);
        return new Expression(operator, "", operands[0].rows, operands[0].columns, List.of(operands));
    }

    private static Expression reduce(Operator operator, Expression... operands) {
        requireEqualShapes(operator, operands);
        return new Expression(operator, "", 1, 1, List.of(operands));
    }

    private static void requireEqualShapes(Operator operator, Expression... operands) {
        Expression a = operands[0];
        Expression b = operands[operands.length - 1];
        if (a.rows != b.rows || a.columns != b.columns) {
            throw new IllegalArgumentException(
                    "the operands of " + operator + " are " + a + " and " + b + ", expected equal shapes");
        }
    }

    /** Number of rows; of a vector, the number of elements. */
    public int rows() {
        return rows;
    }

    /** Number of columns; of a vector, 1. */
    public int columns() {
        return columns;
    }

    Operator operator() {
        return operator;
    }

    List<Expression> operands() {
        return operands;
    }

    /** Whether it is the input of a matrix, or a matrix by its shape. */
    boolean isMatrix() {
        return operator == Operator.MATRIX || columns > 1;
    }

    /** The node as messages describe it: {@code matrix W of 3 x 4}, {@code softmax of length 3}. */
    @Override
    public String toString() {
        String what = name.isEmpty() ? operator.toString() : operator + " " + name;
        return what + " of " + (isMatrix() ? rows + " x " + columns : "length " + rows);
    }
}
