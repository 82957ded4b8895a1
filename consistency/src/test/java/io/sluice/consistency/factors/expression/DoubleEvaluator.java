package io.sluice.consistency.factors.expression;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.IntStream;

/** The values of expressions in double precision, from the definitions of the operators. */
final class DoubleEvaluator {
    private final Map<Expression, double[]> values = new HashMap<>();

    /** The distance from the nearest kink of a relu, and of a length from 0, where derivatives jump. */
    private double margin = Double.MAX_VALUE;

    DoubleEvaluator(Map<Expression, double[]> inputs) {
        values.putAll(inputs);
    }

    double margin() {
        return margin;
    }

    double[] value(Expression expression) {
        double[] known = values.get(expression);
        if (known == null) {
            double[] a = value(expression.operands().getFirst());
            double[] b = value(expression.operands().getLast());
            known = apply(expression, a, b);
            values.put(expression, known);
        }
        return known;
    }

    private double[] apply(Expression expression, double[] a, double[] b) {
        return switch (expression.operator()) {
            case VECTOR, MATRIX -> throw new IllegalArgumentException("no value of " + expression);
            case PRODUCT, TRANSPOSED_PRODUCT -> multiply(expression, a, b);
            case L2 -> {
                double length = Math.sqrt(sum(a.length, i -> a[i] * a[i]));
                margin = Math.min(margin, length);
                yield new double[] {length};
            }
            case SOFTMAX -> softmax(a);
            case SIGMOID -> each(a.length, i -> 1 / (1 + Math.exp(-a[i])));
            case TANH -> each(a.length, i -> Math.tanh(a[i]));
            case RELU -> {
                for (double each : a) {
                    margin = Math.min(margin, Math.abs(each));
                }
                yield each(a.length, i -> Math.max(0, a[i]));
            }
            case CROSS_ENTROPY -> new double[] {-sum(a.length, i -> b[i] * Math.log(a[i]))};
            case SOFTMAX_CROSS_ENTROPY -> {
                double[] p = softmax(a);
                yield new double[] {-sum(a.length, i -> b[i] * Math.log(p[i]))};
            }
            case SQUARED_ERROR -> new double[] {sum(a.length, i -> (a[i] - b[i]) * (a[i] - b[i])) / 2};
            case PLUS -> each(a.length, i -> a[i] + b[i]);
            case MINUS -> each(a.length, i -> a[i] - b[i]);
            case TIMES -> each(a.length, i -> a[i] * b[i]);
        };
    }

    private static double[] multiply(Expression expression, double[] matrix, double[] x) {
        int columns = expression.operands().getFirst().columns();
        double[] out = new double[expression.rows()];
        for (int at = 0; at < matrix.length; at++) {
            if (expression.operator() == Operator.PRODUCT) {
                out[at / columns] += matrix[at] * x[at % columns];
            } else {
                out[at % columns] += matrix[at] * x[at / columns];
            }
        }
        return out;
    }

    private static double[] softmax(double[] a) {
        double total = sum(a.length, i -> Math.exp(a[i]));
        return each(a.length, i -> Math.exp(a[i]) / total);
    }

    private interface Element {
        double at(int index);
    }

    private static double[] each(int length, Element element) {
        double[] vector = new double[length];
        Arrays.setAll(vector, element::at);
        return vector;
    }

    private static double sum(int length, Element element) {
        return IntStream.range(0, length).mapToDouble(element::at).sum();
    }
}
