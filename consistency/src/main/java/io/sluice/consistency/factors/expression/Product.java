package io.sluice.consistency.factors.expression;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import io.sluice.consistency.standard.FloatRows;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * The product a of a matrix W and a vector x. The derivative of the loss by W is (df / da) x<sup>T</sup>, or x (df /
 * da)<sup>T</sup> if W is transposed.
 */
final class Product extends Step {
    private final Step x;
    private final boolean isTransposed;
    private final float[] row;
    private MemorySegment matrix;

    Product(Expression expression, Step x, boolean depends) {
        super(expression, null, null, depends);
        this.x = x;
        isTransposed = expression.operator() == Operator.TRANSPOSED_PRODUCT;
        row = new float[matrix().columns()];
    }

    Expression matrix() {
        return expression.operands().getFirst();
    }

    void use(MemorySegment floats) {
        matrix = floats;
    }

    @Override
    void forward() {
        Arrays.fill(value, 0);
        multiply(isTransposed, x.value, value);
    }

    @Override
    void backward() {
        if (derivative != null && x.derivative != null) {
            multiply(!isTransposed, derivative, x.derivative);
        }
    }

    /** Adds the product of the matrix, or the transposed matrix, and a vector. */
    private void multiply(boolean transposed, float[] in, float[] out) {
        int rows = matrix().rows();
        for (int j = 0; j < rows; j++) {
            MemorySegment.copy(matrix, JAVA_FLOAT, (long) j * row.length * Float.BYTES, row, 0, row.length);
            if (transposed) {
                FloatRows.addScaled(out, in[j], row);
            } else {
                out[j] += (float) FloatRows.dot(row, in);
            }
        }
    }

    @Override
    void write(float[] u, float[] v) {
        System.arraycopy(isTransposed ? x.value : derivative, 0, u, 0, u.length);
        System.arraycopy(isTransposed ? derivative : x.value, 0, v, 0, v.length);
    }
}
