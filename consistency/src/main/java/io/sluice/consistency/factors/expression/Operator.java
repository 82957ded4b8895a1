package io.sluice.consistency.factors.expression;

import io.sluice.consistency.standard.FloatRows;

/** The operators of table 1 of the paper on vectors, with their derivatives. {@link Product} has the products. */
enum Operator {
    VECTOR("vector"),

    MATRIX("matrix"),

    PRODUCT("product"),

    TRANSPOSED_PRODUCT("transposedProduct"),

    L2("l2") {
        @Override
        void forward(float[] out, float[] a, float[] b) {
            out[0] = (float) Math.sqrt(FloatRows.dot(a, a));
        }

        @Override
        void backward(float[] out, float[] d, float[] a, float[] b, float[] da, float[] db) {
            if (out[0] > 0) {
                FloatRows.addScaled(da, d[0] / out[0], a);
            }
        }
    },

    SOFTMAX("softmax") {
        @Override
        void forward(float[] out, float[] a, float[] b) {
            double logTotal = logTotal(a);
            for (int i = 0; i < a.length; i++) {
                out[i] = (float) StrictMath.exp(a[i] - logTotal);
            }
        }

        @Override
        void backward(float[] out, float[] d, float[] a, float[] b, float[] da, float[] db) {
            float mean = (float) FloatRows.dot(out, d);
            for (int i = 0; i < out.length; i++) {
                da[i] += out[i] * (d[i] - mean);
            }
        }
    },

    SIGMOID("sigmoid") {
        @Override
        void forward(float[] out, float[] a, float[] b) {
            for (int i = 0; i < a.length; i++) {
                out[i] = (float) (1 / (1 + StrictMath.exp(-a[i])));
            }
        }

        @Override
        void backward(float[] out, float[] d, float[] a, float[] b, float[] da, float[] db) {
            for (int i = 0; i < out.length; i++) {
                da[i] += d[i] * out[i] * (1 - out[i]);
            }
        }
    },

    TANH("tanh") {
        @Override
        void forward(float[] out, float[] a, float[] b) {
            for (int i = 0; i < a.length; i++) {
                out[i] = (float) StrictMath.tanh(a[i]);
            }
        }

        @Override
        void backward(float[] out, float[] d, float[] a, float[] b, float[] da, float[] db) {
            for (int i = 0; i < out.length; i++) {
                da[i] += d[i] * (1 - out[i] * out[i]);
            }
        }
    },

    RELU("relu") {
        @Override
        void forward(float[] out, float[] a, float[] b) {
            for (int i = 0; i < a.length; i++) {
                out[i] = Math.max(0, a[i]);
            }
        }

        @Override
        void backward(float[] out, float[] d, float[] a, float[] b, float[] da, float[] db) {
            for (int i = 0; i < a.length; i++) {
                da[i] += a[i] > 0 ? d[i] : 0;
            }
        }
    },

    CROSS_ENTROPY("crossEntropy") {
        @Override
        void forward(float[] out, float[] p, float[] t) {
            double sum = 0;
            for (int i = 0; i < p.length; i++) {
                if (t[i] != 0) {
                    sum -= t[i] * StrictMath.log(p[i]);
                }
            }
            out[0] = (float) sum;
        }

        @Override
        void backward(float[] out, float[] d, float[] p, float[] t, float[] dp, float[] dt) {
            for (int i = 0; i < p.length; i++) {
                if (dp != null && t[i] != 0) {
                    dp[i] -= d[0] * t[i] / p[i];
                }
                if (dt != null) {
                    dt[i] -= d[0] * (float) StrictMath.log(p[i]);
                }
            }
        }
    },

    /**
     * The cross-entropy of the softmax of a with t, from a itself: ln (sum of e^a) - a is the negated logarithm of the
     * softmax.
     */
    SOFTMAX_CROSS_ENTROPY("softmaxCrossEntropy") {
        @Override
        void forward(float[] out, float[] a, float[] t) {
            double logTotal = logTotal(a);
            double sum = 0;
            for (int i = 0; i < a.length; i++) {
                sum += t[i] * (logTotal - a[i]);
            }
            out[0] = (float) sum;
        }

        @Override
        void backward(float[] out, float[] d, float[] a, float[] t, float[] da, float[] dt) {
            double logTotal = logTotal(a);
            double total = 0;
            for (float each : t) {
                total += each;
            }
            for (int i = 0; i < a.length; i++) {
                if (da != null) {
                    da[i] += d[0] * (float) (StrictMath.exp(a[i] - logTotal) * total - t[i]);
                }
                if (dt != null) {
                    dt[i] += d[0] * (float) (logTotal - a[i]);
                }
            }
        }
    },

    SQUARED_ERROR("squaredError") {
        @Override
        void forward(float[] out, float[] a, float[] b) {
            double sum = 0;
            for (int i = 0; i < a.length; i++) {
                double difference = (double) a[i] - b[i];
                sum += difference * difference;
            }
            out[0] = (float) (sum / 2);
        }

        @Override
        void backward(float[] out, float[] d, float[] a, float[] b, float[] da, float[] db) {
            for (int i = 0; i < a.length; i++) {
                float change = d[0] * (a[i] - b[i]);
                if (da != null) {
                    da[i] += change;
                }
                if (db != null) {
                    db[i] -= change;
                }
            }
        }
    },

    PLUS("plus") {
        @Override
        void forward(float[] out, float[] a, float[] b) {
            for (int i = 0; i < a.length; i++) {
                out[i] = a[i] + b[i];
            }
        }

        @Override
        void backward(float[] out, float[] d, float[] a, float[] b, float[] da, float[] db) {
            if (da != null) {
                FloatRows.addScaled(da, 1, d);
            }
            if (db != null) {
                FloatRows.addScaled(db, 1, d);
            }
        }
    },

    MINUS("minus") {
        @Override
        void forward(float[] out, float[] a, float[] b) {
            for (int i = 0; i < a.length; i++) {
                out[i] = a[i] - b[i];
            }
        }

        @Override
        void backward(float[] out, float[] d, float[] a, float[] b, float[] da, float[] db) {
            if (da != null) {
                FloatRows.addScaled(da, 1, d);
            }
            if (db != null) {
                FloatRows.addScaled(db, -1, d);
            }
        }
    },

    TIMES("times") {
        @Override
        void forward(float[] out, float[] a, float[] b) {
            for (int i = 0; i < a.length; i++) {
                out[i] = a[i] * b[i];
            }
        }

        @Override
        void backward(float[] out, float[] d, float[] a, float[] b, float[] da, float[] db) {
            for (int i = 0; i < a.length; i++) {
                if (da != null) {
                    da[i] += d[i] * b[i];
                }
                if (db != null) {
                    db[i] += d[i] * a[i];
                }
            }
        }
    };

    private final String text;

    Operator(String text) {
        this.text = text;
    }

    /** Evaluates the operator; an operator of one operand ignores b. */
    void forward(float[] out, float[] a, float[] b) {
        throw new UnsupportedOperationException(text + " is not computed from vectors alone");
    }

    /**
     * Adds to the derivatives of the loss by the operands, which are null where they are not needed.
     *
     * @param d derivative of the loss by the result
     */
    void backward(float[] out, float[] d, float[] a, float[] b, float[] da, float[] db) {
        throw new UnsupportedOperationException(text + " is not computed from vectors alone");
    }

    /** The logarithm of the sum of the exponentials, which do not overflow. */
    private static double logTotal(float[] a) {
        float top = Float.NEGATIVE_INFINITY;
        for (float each : a) {
            top = Math.max(top, each);
        }
        double total = 0;
        for (float each : a) {
            total += StrictMath.exp((double) each - top);
        }
        return top + StrictMath.log(total);
    }

    @Override
    public String toString() {
        return text;
    }
}
