package io.sluice.samples.lr;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.samples.UpdateListener;
import io.sluice.samples.data.Dataset;
import io.sluice.samples.data.Examples;
import io.sluice.samples.descent.DescentSettings;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class LrModelTest {
    private static final int FEATURES = 40;
    private static final double STEP = 0.5;

    private final Dataset data = Rows.separable(100, FEATURES, 7);
    private final Examples train = data.train();
    private final int[] all = IntStream.range(0, train.size()).toArray();

    @Test
    void stepsAgainstTheGradientThatFiniteDifferencesGive() {
        float[] w = randomWeights(3);
        float[] update = new float[FEATURES];
        LrModel.step(train, all, STEP, i -> w[(int) i], update);
        float h = 1f / 64;
        for (int feature = 0; feature < FEATURES; feature++) {
            double slope = (lossWith(w, feature, h) - lossWith(w, feature, -h)) / (2 * h);
            assertEquals(-STEP * slope * train.size(), update[feature], 2e-3, "feature " + feature);
        }
    }

    private double lossWith(float[] w, int feature, float change) {
        float[] moved = w.clone();
        moved[feature] += change;
        return LrModel.meanLoss(train, i -> moved[(int) i]);
    }

    @Test
    void addsToTheUpdateAndReturnsTheLossOfTheBatch() {
        float[] w = randomWeights(4);
        float[] once = new float[FEATURES];
        double loss = LrModel.step(train, all, STEP, i -> w[(int) i], once);
        assertEquals(LrModel.meanLoss(train, i -> w[(int) i]) * train.size(), loss, 1e-9 * loss);

        float[] twice = once.clone();
        LrModel.step(train, all, STEP, i -> w[(int) i], twice);
        for (int feature = 0; feature < FEATURES; feature++) {
            assertEquals(2 * once[feature], twice[feature], 1e-5);
        }
    }

    @Test
    void losesLogTwoOnEachRowBeforeItHasLearnt() {
        assertEquals(Math.log(2), LrModel.meanLoss(train, i -> 0), 1e-12);
    }

    @Test
    void staysFiniteAtAnyMargin() {
        Examples rows = Rows.parsed("1 1:1\n0 1:1\n1 1:1\n0 1:1\n1 1:1\n", 1).train();
        for (float margin : new float[] {0, 1, 36, 700, 710, 745, 1e4f, 1e30f, Float.MAX_VALUE}) {
            for (float w : new float[] {margin, -margin}) {
                double expected = w == 0 ? Math.log(2) : (Math.abs((double) w) + 2 * tail(w)) / 2;
                double loss = LrModel.meanLoss(rows, i -> w);
                assertTrue(Double.isFinite(loss), "loss at " + w);
                assertEquals(expected, loss, 1e-12 * expected, "half of the rows are wrong by " + w);
                float[] update = new float[1];
                LrModel.step(rows, new int[] {0, 1, 2, 3}, 1, i -> w, update);
                assertTrue(Float.isFinite(update[0]), "update at " + w);
                assertTrue(Math.abs(update[0]) <= 2, "a row pushes by one step at most");
            }
        }
    }

    private static double tail(float margin) {
        return Math.log1p(Math.exp(-Math.abs(margin)));
    }

    @Test
    void countsTheRowsWhoseLabelIsTheLikelierOne() {
        Examples rows =
                Rows.parsed("1 1:1\n0 1:1\n0 1:-1\n0 2:1\n1 1:1\n1 2:1\n", 2).train();
        assertEquals(5, rows.size());
        // Right: 1 at margin 1, 0 at -1, 0 at 0. Wrong: 0 at margin 1, and 1 at 0, which is not above it.
        assertEquals(0.6, LrModel.accuracy(rows, i -> i == 0 ? 1 : 0));
    }

    @Test
    void learnsWhatCanBeLearnt() {
        float[] w = LrReference.train(
                data, new DescentSettings(200, 40, 4, 1), 2, (clock, loss) -> {}, UpdateListener.NONE);
        assertTrue(LrModel.meanLoss(train, i -> w[(int) i]) < 0.2);
        assertTrue(LrModel.accuracy(train, i -> w[(int) i]) > 0.95);
        assertFalse(LrModel.accuracy(train, i -> -w[(int) i]) > 0.05, "the opposite is as wrong as this is right");
    }

    private static float[] randomWeights(long seed) {
        float[] w = new float[FEATURES];
        Random random = new Random(seed);
        for (int i = 0; i < w.length; i++) {
            w[i] = random.nextFloat(-1, 1);
        }
        return w;
    }
}
