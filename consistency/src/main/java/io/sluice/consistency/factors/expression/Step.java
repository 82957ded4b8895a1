package io.sluice.consistency.factors.expression;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/** A vector of a program: how it is computed, its value, and the derivative of the loss by it. */
class Step {
    final Expression expression;
    final float[] value;

    /** Derivative of the loss by this vector; null if the vector does not depend on a parameter. */
    final float[] derivative;

    private final Step a;
    private final Step b;

    /** Creates a step; b is a again for an operator of one operand, and both are null for an input. */
    Step(Expression expression, Step a, Step b, boolean depends) {
        this.expression = expression;
        this.a = a;
        this.b = b;
        value = new float[expression.rows()];
        derivative = depends ? new float[expression.rows()] : null;
    }

    /** Copies the value of an input. */
    final void load(MemorySegment floats) {
        MemorySegment.copy(floats, JAVA_FLOAT, 0, value, 0, value.length);
    }

    final void clearDerivative() {
        if (derivative != null) {
            Arrays.fill(derivative, 0);
        }
    }

    void forward() {
        if (a != null) {
            expression.operator().forward(value, a.value, b.value);
        }
    }

    /** Adds to the derivatives by the operands. */
    void backward() {
        if (a != null && derivative != null) {
            expression.operator().backward(value, derivative, a.value, b.value, a.derivative, b.derivative);
        }
    }

    /** Writes the group by which the step changes its parameter: a parameter that is a vector is one of n x 1. */
    void write(float[] u, float[] v) {
        System.arraycopy(derivative, 0, u, 0, u.length);
        v[0] = 1;
    }
}
