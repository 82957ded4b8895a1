package io.sluice.consistency.factors.expression;

import static io.sluice.consistency.factors.expression.Expression.crossEntropy;
import static io.sluice.consistency.factors.expression.Expression.l2;
import static io.sluice.consistency.factors.expression.Expression.matrix;
import static io.sluice.consistency.factors.expression.Expression.minus;
import static io.sluice.consistency.factors.expression.Expression.plus;
import static io.sluice.consistency.factors.expression.Expression.product;
import static io.sluice.consistency.factors.expression.Expression.relu;
import static io.sluice.consistency.factors.expression.Expression.softmax;
import static io.sluice.consistency.factors.expression.Expression.squaredError;
import static io.sluice.consistency.factors.expression.Expression.tanh;
import static io.sluice.consistency.factors.expression.Expression.transposedProduct;
import static io.sluice.consistency.factors.expression.Expression.vector;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.sluice.codecs.Property;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** The groups of gradients. */
class FactorProgramTest {
    private static final int GRAPHS = 500;

    /** Half the distance of two points of a central difference, in double precision. */
    private static final double NUDGE = 1e-5;

    private final Expression x = vector("x", 4);
    private final Expression t = vector("t", 3);
    private final Expression w = matrix("W", 3, 4);

    /** A program, its inputs and room for its groups. */
    private static final class Run {
        final FactorProgram program;
        final Map<Expression, MemorySegment> values = new HashMap<>();
        final float[][] u;
        final float[][] v;

        Run(FactorProgram program) {
            this.program = program;
            u = new float[program.groups()][];
            v = new float[program.groups()][];
            for (int g = 0; g < u.length; g++) {
                u[g] = new float[program.parameter(g).rows()];
                v[g] = new float[program.parameter(g).columns()];
            }
        }

        Run with(Expression input, float... floats) {
            values.put(input, MemorySegment.ofArray(floats));
            return this;
        }

        float compute() {
            return program.compute(values, u, v);
        }

        double[] gradient(Expression parameter) {
            double[] gradient = new double[parameter.rows() * parameter.columns()];
            for (int g = 0; g < u.length; g++) {
                if (program.parameter(g) == parameter) {
                    for (int i = 0; i < gradient.length; i++) {
                        gradient[i] += (double) u[g][i / parameter.columns()] * v[g][i % parameter.columns()];
                    }
                }
            }
            return gradient;
        }
    }

    private static float[] floats(double[] values) {
        float[] floats = new float[values.length];
        for (int i = 0; i < floats.length; i++) {
            floats[i] = (float) values[i];
        }
        return floats;
    }

    @Tag("slow")
    @Test
    void gradientsOfRandomGraphsEqualCentralDifferences() {
        int[] compared = {0};
        Property.holds(GRAPHS, random -> {
            RandomGraph graph = new RandomGraph(random);
            Expression loss = graph.loss();
            DoubleEvaluator at = new DoubleEvaluator(graph.inputs());
            double expected = at.value(loss)[0];
            if (at.margin() < 0.01 || Math.abs(expected) > 100) {
                return; // differences would cross a kink, or f32 would be too coarse
            }
            compared[0]++;
            Expression[] parameters = graph.inputs().keySet().stream()
                    .filter(input -> Occurrence.all(loss).contains(input))
                    .toArray(Expression[]::new);
            Run run = new Run(FactorProgram.of(loss, parameters));
            graph.inputs().forEach((input, values) -> run.with(input, floats(values)));
            assertEquals(expected, run.compute(), 1e-4 * Math.max(1, Math.abs(expected)));
            for (Expression parameter : parameters) {
                double[] differences = differences(graph, loss, parameter);
                double size = Math.max(
                        1, Arrays.stream(differences).map(Math::abs).max().orElseThrow());
                assertArrayEquals(differences, run.gradient(parameter), 1e-3 * size, parameter::toString);
            }
        });
        assertTrue(compared[0] > GRAPHS / 2 || Long.getLong("sluice.test.seed") != null, compared[0] + " compared");
    }

    private static double[] differences(RandomGraph graph, Expression loss, Expression parameter) {
        double[] values = graph.inputs().get(parameter);
        double[] differences = new double[values.length];
        for (int i = 0; i < values.length; i++) {
            double before = values[i];
            values[i] = before + NUDGE;
            double above = new DoubleEvaluator(graph.inputs()).value(loss)[0];
            values[i] = before - NUDGE;
            double below = new DoubleEvaluator(graph.inputs()).value(loss)[0];
            values[i] = before;
            differences[i] = (above - below) / (2 * NUDGE);
        }
        return differences;
    }

    /** The example of the paper: u = p - t and v = x. */
    @Test
    void softmaxRegressionHasPredictedMinusTrueAndTheInput() {
        FactorProgram program = FactorProgram.of(crossEntropy(softmax(product(w, x)), t), w);
        assertEquals(1, program.groups());
        assertSame(w, program.parameter(0));
        Run run = new Run(program).with(x, 1, 0, -1, 0.5f).with(t, 0, 1, 0).with(w, new float[12]);
        assertEquals(Math.log(3), run.compute(), 1e-6);
        assertArrayEquals(new float[] {1 / 3f, 1 / 3f - 1, 1 / 3f}, run.u[0], 1e-6f);
        assertArrayEquals(new float[] {1, 0, -1, 0.5f}, run.v[0]);
    }

    @Test
    void softmaxCrossEntropyIsStable() {
        Run run = new Run(FactorProgram.of(crossEntropy(softmax(product(w, x)), t), w));
        run.with(x, 1, 1, 1, 1).with(t, 0, 1, 0).with(w, 1e4f, 0, 0, 0, -1e4f, 0, 0, 0, 0, 0, 0, 0);
        assertEquals(2e4f, run.compute());
        assertArrayEquals(new float[] {1, -1, 0}, run.u[0]);
    }

    /** Topic models of the paper: the loss is |d - B a|^2 / 2, u = B a - d and v = a. */
    @Test
    void squaredErrorHasTheDifferenceAndTheInput() {
        Run run = new Run(FactorProgram.of(squaredError(product(w, x), t), w));
        run.with(x, 1, 2, 0, 0).with(t, 5, 5, 5).with(w, 1, 1, 0, 0, 2, 2, 0, 0, 3, 3, 0, 0);
        assertEquals(10.5f, run.compute());
        assertArrayEquals(new float[] {-2, 1, 4}, run.u[0]);
        assertArrayEquals(new float[] {1, 2, 0, 0}, run.v[0]);
    }

    @Test
    void aTransposedMatrixHasTheInputFirst() {
        Run run = new Run(FactorProgram.of(squaredError(transposedProduct(w, t), x), w));
        run.with(t, 1, 2, 3).with(x, 1, 1, 1, 1).with(w, new float[12]);
        run.compute();
        assertArrayEquals(new float[] {1, 2, 3}, run.u[0]);
        assertArrayEquals(new float[] {-1, -1, -1, -1}, run.v[0]);
    }

    /** A recurrent network with the same matrices in three steps: a group for each step, in the order of time. */
    @Test
    void eachStepOfARecurrentNetworkHasAGroup() {
        Property.holds(20, random -> {
            Expression recurrent = matrix("U", 3, 3);
            Expression h0 = vector("h0", 3);
            Expression[] xs = {vector("x1", 4), vector("x2", 4), vector("x3", 4)};
            Expression h = h0;
            for (Expression each : xs) {
                h = tanh(plus(product(recurrent, h), product(w, each)));
            }
            Expression loss = crossEntropy(softmax(h), t);
            Run run = new Run(FactorProgram.of(loss, recurrent, w));
            assertEquals(6, run.program.groups());
            float[][] steps = new float[3][4];
            for (int i = 0; i < 3; i++) {
                run.with(xs[i], normal(random, steps[i], 1));
            }
            run.with(h0, 0.5f, -0.5f, 0.25f).with(t, 0, 0, 1);
            run.with(recurrent, normal(random, new float[9], 0.5)).with(w, normal(random, new float[12], 0.5));
            run.compute();
            assertArrayEquals(new float[] {0.5f, -0.5f, 0.25f}, run.v[0], "state before the first step");
            for (int i = 0; i < 3; i++) {
                assertSame(recurrent, run.program.parameter(i));
                assertSame(w, run.program.parameter(3 + i));
                assertArrayEquals(steps[i], run.v[3 + i], "input of step " + i);
                assertArrayEquals(run.u[i], run.u[3 + i], "error of step " + i);
            }
        });
    }

    private static float[] normal(SplittableRandom random, float[] to, double deviation) {
        for (int i = 0; i < to.length; i++) {
            to[i] = (float) (deviation * random.nextGaussian());
        }
        return to;
    }

    /** Two layers with biases, rectified in between: the loops that trainers write by hand. */
    @Test
    void aPerceptronHasTheGradientOfHandWrittenLoops() {
        int inputs = 7;
        int hidden = 5;
        int classes = 3;
        Property.holds(50, random -> {
            Expression in = vector("x", inputs);
            Expression first = matrix("W1", hidden, inputs);
            Expression firstBias = vector("b1", hidden);
            Expression second = matrix("W2", classes, hidden);
            Expression secondBias = vector("b2", classes);
            Expression layer = relu(plus(product(first, in), firstBias));
            Expression loss = crossEntropy(softmax(plus(product(second, layer), secondBias)), t);
            float[] example = normal(random, new float[inputs], 1);
            float[] w1 = normal(random, new float[hidden * inputs], 0.5);
            float[] b1 = normal(random, new float[hidden], 0.5);
            float[] w2 = normal(random, new float[classes * hidden], 0.5);
            float[] b2 = normal(random, new float[classes], 0.5);
            int label = random.nextInt(classes);
            float[] truth = new float[classes];
            truth[label] = 1;
            Run run = new Run(FactorProgram.of(loss, first, firstBias, second, secondBias));
            run.with(in, example).with(t, truth);
            run.with(first, w1).with(firstBias, b1).with(second, w2).with(secondBias, b2);
            float value = run.compute();

            double[] activations = new double[hidden];
            for (int i = 0; i < hidden; i++) {
                double sum = b1[i];
                for (int k = 0; k < inputs; k++) {
                    sum += w1[i * inputs + k] * example[k];
                }
                activations[i] = Math.max(0, sum);
            }
            double[] outputs = new double[classes];
            double total = 0;
            for (int c = 0; c < classes; c++) {
                double sum = b2[c];
                for (int i = 0; i < hidden; i++) {
                    sum += w2[c * hidden + i] * activations[i];
                }
                outputs[c] = Math.exp(sum);
                total += outputs[c];
            }
            assertEquals(-Math.log(outputs[label] / total), value, 1e-4);
            double[] back = new double[hidden];
            double[] ofFirst = new double[w1.length];
            double[] ofSecond = new double[w2.length];
            for (int c = 0; c < classes; c++) {
                outputs[c] = outputs[c] / total - (c == label ? 1 : 0);
                for (int i = 0; i < hidden; i++) {
                    ofSecond[c * hidden + i] = outputs[c] * activations[i];
                    back[i] += activations[i] > 0 ? outputs[c] * w2[c * hidden + i] : 0;
                }
            }
            for (int i = 0; i < ofFirst.length; i++) {
                ofFirst[i] = back[i / inputs] * example[i % inputs];
            }
            assertArrayEquals(ofFirst, run.gradient(first), 1e-4);
            assertArrayEquals(back, run.gradient(firstBias), 1e-4);
            assertArrayEquals(ofSecond, run.gradient(second), 1e-4);
            assertArrayEquals(outputs, run.gradient(secondBias), 1e-4);
        });
    }

    /** Many steps of a recurrent network make a deep graph. */
    @Test
    void aDeepGraphIsNoDeepRecursion() {
        Expression recurrent = matrix("U", 3, 3);
        Expression h = t;
        for (int i = 0; i < 100_000; i++) {
            h = product(recurrent, h);
        }
        Run run = new Run(FactorProgram.of(squaredError(h, t), recurrent));
        assertEquals(100_000, run.program.groups());
        run.with(t, 1, 2, 3).with(recurrent, 1, 0, 0, 0, 1, 0, 0, 0, 1);
        assertEquals(0, run.compute());
    }

    /** As a tree this graph would have 2^60 nodes. */
    @Test
    void aSharedNodeIsEvaluatedOnce() {
        Expression a = product(w, x);
        for (int i = 0; i < 60; i++) {
            a = plus(a, a);
        }
        Run run = new Run(FactorProgram.of(squaredError(a, t), w));
        assertEquals(1, run.program.groups());
        run.with(x, 0x1p-60f, 0, 0, 0).with(t, 0, 0, 0).with(w, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0);
        assertEquals(7, run.compute());
        assertArrayEquals(new double[] {1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0}, run.gradient(w), 1e-6);
    }

    @Test
    void aMatrixElsewhereIsRefusedWithThePathToIt() {
        Expression error = squaredError(product(w, x), t);
        refuses(
                "matrix W of 3 x 4 is at loss > plus[2] > l2[1], expected only as the first operand of product",
                () -> FactorProgram.of(plus(error, l2(w)), w));
        Expression other = matrix("A", 3, 4);
        refuses(
                "matrix A of 3 x 4 is at loss > plus[2] > squaredError[2]",
                () -> FactorProgram.of(plus(error, squaredError(w, other)), other, w),
                "matrix W of 3 x 4 is at loss > plus[2] > squaredError[1]");
        refuses("matrix S of 1 x 1 is at loss, expected", () -> {
            Expression s = matrix("S", 1, 1);
            FactorProgram.of(s, s);
        });
        Expression column = matrix("C", 3, 1);
        refuses(
                "matrix C of 3 x 1 is at loss > squaredError[1] > tanh[1] > minus[2]",
                () -> FactorProgram.of(squaredError(tanh(minus(product(w, x), column)), t), w));
    }

    private static void refuses(String words, Executable call, String... orElse) {
        String message = assertThrows(IllegalArgumentException.class, call).getMessage();
        assertTrue(message.contains(words) || Arrays.stream(orElse).anyMatch(message::contains), message);
    }

    @Test
    void otherMistakesAreRefusedByName() {
        Expression loss = squaredError(product(w, x), t);
        refuses("the loss is vector x of length 4, expected a scalar", () -> FactorProgram.of(x, x));
        refuses("there is no parameter", () -> FactorProgram.of(loss));
        refuses("matrix W of 3 x 4 is given twice", () -> FactorProgram.of(loss, w, w));
        Expression stranger = matrix("Z", 2, 2);
        refuses("matrix Z of 2 x 2 is a parameter, expected an input", () -> FactorProgram.of(loss, w, stranger));
        refuses("squaredError of length 1 is a parameter, expected an input", () -> FactorProgram.of(loss, loss));
        refuses("length of vector n is 0, expected 1 or more", () -> vector("n", 0));
        refuses("matrix n is 3 x -1, expected at least 1 x 1", () -> matrix("n", 3, -1));
        refuses(
                "the first operand of product is vector x of length 4, expected the input of a matrix",
                () -> product(x, x));
        refuses(
                "the second operand of product is vector t of length 3, expected a vector of length 4 for matrix W of"
                        + " 3 x 4",
                () -> product(w, t));
        refuses(
                "the second operand of transposedProduct is matrix W of 3 x 4, expected a vector of length 3",
                () -> transposedProduct(w, w));
        refuses(
                "the operands of plus are vector x of length 4 and vector t of length 3, expected equal",
                () -> plus(x, t));
        refuses("the operands of softmaxCrossEntropy are vector x of length 4 and", () -> crossEntropy(softmax(x), t));
    }

    @Test
    void valuesAndRoomOfAnotherLengthAreRefusedByName() {
        Run run = new Run(FactorProgram.of(squaredError(product(w, x), t), w));
        refuses("vector x of length 4 is given no value, expected 16 bytes", run::compute);
        run.with(x, 1, 2, 3).with(t, 1, 2, 3);
        refuses("vector x of length 4 is given 12 bytes, expected 16 bytes", run::compute);
        run.with(x, 1, 2, 3, 4).with(w, new float[11]);
        refuses("matrix W of 3 x 4 is given 44 bytes, expected 48 bytes", run::compute);
        run.with(w, new float[12]).compute();
        refuses(
                "0 arrays are given for u and 1 for v, expected 1 of each, one for each group",
                () -> run.program.compute(run.values, new float[0][], run.v));
        refuses(
                "group 0 of matrix W of 3 x 4 is given arrays of 3 and 5 floats, expected 3 and 4",
                () -> run.program.compute(run.values, run.u, new float[1][5]));
    }

    @Test
    void computingAllocatesNothing() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        Property.holds(1, random -> {
            RandomGraph graph = new RandomGraph(random);
            Run run = new Run(FactorProgram.of(graph.loss(), graph.matrices().toArray(Expression[]::new)));
            graph.inputs().forEach((input, values) -> run.with(input, floats(values)));
            int clean = 0;
            for (int i = 0; i < 100_000 && clean < 100; i++) {
                long before = threads.getCurrentThreadAllocatedBytes();
                run.compute();
                clean = threads.getCurrentThreadAllocatedBytes() == before ? clean + 1 : 0;
            }
            assertEquals(100, clean, "examples in a row that allocate nothing");
        });
    }
}
