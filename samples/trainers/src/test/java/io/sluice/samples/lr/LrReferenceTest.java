package io.sluice.samples.lr;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.samples.UpdateListener;
import io.sluice.samples.data.Dataset;
import io.sluice.samples.descent.Batches;
import io.sluice.samples.descent.DescentSettings;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class LrReferenceTest {
    private final Dataset data = Rows.separable(150, 64, 11);
    private final DescentSettings settings = new DescentSettings(30, 20, 2, 6);

    private float[] train(int workers) {
        return LrReference.train(data, settings, workers, (clock, loss) -> {}, UpdateListener.NONE);
    }

    @Test
    void givesTheSameBitsEveryTime() {
        assertArrayEquals(train(3), train(3));
        assertFalse(Arrays.equals(train(3), train(2)), "other workers take other batches");
    }

    @Test
    void isPlainMiniBatchDescentForOneWorker() {
        float[] w = new float[data.features()];
        Batches batches = new Batches(data.train().size(), 0, 1, settings);
        for (int clock = 1; clock <= settings.clocks(); clock++) {
            float[] update = new float[w.length];
            LrModel.step(data.train(), batches.rows(clock, 0), settings.step(clock, 1), i -> w[(int) i], update);
            for (int i = 0; i < w.length; i++) {
                w[i] += update[i];
            }
        }
        assertArrayEquals(w, train(1));
    }

    @Test
    void reportsEachClockOnceWithALossThatFalls() {
        List<Integer> clocks = new ArrayList<>();
        List<Double> losses = new ArrayList<>();
        float[] w = LrReference.train(
                data,
                settings,
                2,
                (clock, loss) -> {
                    clocks.add(clock);
                    losses.add(loss);
                },
                UpdateListener.NONE);
        assertEquals(settings.clocks(), clocks.size());
        assertEquals(1, clocks.getFirst());
        assertEquals(settings.clocks(), clocks.getLast());
        assertEquals(Math.log(2), losses.getFirst(), 1e-9, "the first batch meets zeros");
        assertTrue(losses.getLast() < 0.7 * losses.getFirst(), losses.toString());
        assertTrue(Evaluation.of(data, w).accuracy() > 0.7);
    }
}
