package io.sluice.consistency.factors.expression;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/** A random loss: two matrices and some vectors, and random operators on them and on one another's results. */
final class RandomGraph {
    private final SplittableRandom random;
    private final List<Expression> vectors = new ArrayList<>();
    private final List<Expression> scalars = new ArrayList<>();
    private final Map<Expression, double[]> inputs = new LinkedHashMap<>();
    private final List<Expression> matrices = new ArrayList<>();

    RandomGraph(SplittableRandom random) {
        this.random = random;
        for (int i = 0; i < 2; i++) {
            matrices.add(input(Expression.matrix("W" + i, random.nextInt(1, 6), random.nextInt(1, 6))));
        }
        for (Expression matrix : matrices) {
            vectors.add(input(Expression.vector("x" + vectors.size(), matrix.columns())));
            vectors.add(input(Expression.vector("x" + vectors.size(), matrix.rows())));
        }
        for (int i = random.nextInt(3, 16); i > 0; i--) {
            grow();
        }
    }

    private Expression input(Expression expression) {
        double[] values = new double[expression.rows() * expression.columns()];
        for (int i = 0; i < values.length; i++) {
            values[i] = (float) random.nextDouble(-1, 1);
        }
        inputs.put(expression, values);
        return expression;
    }

    List<Expression> matrices() {
        return matrices;
    }

    /** All inputs with their values, which floats can hold. */
    Map<Expression, double[]> inputs() {
        return inputs;
    }

    private Expression any(int rows) {
        List<Expression> fitting =
                vectors.stream().filter(vector -> vector.rows() == rows).toList();
        if (fitting.isEmpty()) {
            vectors.add(input(Expression.vector("x" + vectors.size(), rows)));
            return vectors.getLast();
        }
        return fitting.get(random.nextInt(fitting.size()));
    }

    private void grow() {
        Expression a = vectors.get(random.nextInt(vectors.size()));
        Expression b = any(a.rows());
        Expression matrix = matrices.get(random.nextInt(matrices.size()));
        switch (random.nextInt(14)) {
            case 0 -> vectors.add(Expression.softmax(a));
            case 1 -> vectors.add(Expression.sigmoid(a));
            case 2 -> vectors.add(Expression.tanh(a));
            case 3 -> vectors.add(Expression.relu(a));
            case 4 -> vectors.add(Expression.plus(a, b));
            case 5 -> vectors.add(Expression.minus(a, b));
            case 6 -> vectors.add(Expression.times(a, b));
            case 7 -> scalars.add(Expression.crossEntropy(Expression.sigmoid(a), b));
            case 8 -> scalars.add(Expression.crossEntropy(Expression.softmax(a), b));
            case 9 -> scalars.add(Expression.squaredError(a, b));
            case 10 -> scalars.add(Expression.l2(a));
            case 11 -> vectors.add(Expression.transposedProduct(matrix, any(matrix.rows())));
            default -> vectors.add(Expression.product(matrix, any(matrix.columns())));
        }
    }

    /** A loss in which both matrices and all scalars so far occur. */
    Expression loss() {
        for (Expression matrix : matrices) {
            Expression a = Expression.product(matrix, any(matrix.columns()));
            Expression b = Expression.transposedProduct(matrix, any(matrix.rows()));
            scalars.add(Expression.squaredError(Expression.tanh(a), any(a.rows())));
            scalars.add(Expression.crossEntropy(Expression.softmax(b), any(b.rows())));
        }
        Expression loss = scalars.getFirst();
        for (Expression scalar : scalars.subList(1, scalars.size())) {
            loss = Expression.plus(loss, scalar);
        }
        return loss;
    }
}
