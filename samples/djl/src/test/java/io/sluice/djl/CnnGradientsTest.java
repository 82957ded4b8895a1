package io.sluice.djl;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.samples.UpdateListener;
import io.sluice.samples.cnn.CnnSettings;
import io.sluice.samples.cnn.CnnTraining;
import io.sluice.samples.cnn.ImageGradients;
import io.sluice.samples.data.Dataset;
import io.sluice.samples.data.PlantedImages;
import io.sluice.samples.descent.DescentReference;
import io.sluice.samples.descent.DescentSettings;
import io.sluice.samples.descent.SharedBatches;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Gradients for programs with exchanges of their own are those of {@code train cnn}. */
@Timeout(200)
class CnnGradientsTest {
    private static final int CLOCKS = 20;
    private static final int BATCH = 16;
    private static final float RATE = 0.05f;
    private static final Dataset IMAGES = PlantedImages.generate();
    private static final CnnSettings SETTINGS = new CnnSettings(
            CnnSettings.Network.LENET, new DescentSettings(CLOCKS, BATCH, RATE, 3), CnnSettings.Backward.WHOLE);

    private final CnnTraining training = CnnTraining.find();

    @Test
    void stepsGiveTheModelOfTheReference() {
        ImageGradients network = training.gradients(IMAGES, SETTINGS);
        float[] w = network.first();
        float[] gradient = new float[w.length];
        SharedBatches order = new SharedBatches(IMAGES.train().size(), 0, SETTINGS.descent());
        order.onWorkerSet(DescentReference.fixed(1));
        for (int clock = 1; clock <= CLOCKS; clock++) {
            network.gradient(order.rows(clock, 0), w, gradient);
            for (int i = 0; i < w.length; i++) {
                w[i] += -RATE * gradient[i];
            }
        }
        Map<String, Double> reference = training.reference(
                        IMAGES, SETTINGS, DescentReference.fixed(1), (_, _) -> {}, UpdateListener.NONE)
                .figures();
        ImageGradients.Quality quality = network.quality(w);
        assertEquals(reference.get(CnnTraining.LOSS), quality.loss(), 0);
        assertEquals(reference.get(CnnTraining.ACCURACY), quality.accuracy(), 0);
    }

    /** No call leaves anything for the next one, also if threads share the network. */
    @Test
    void threadsThatShareANetworkGetTheSameGradients() {
        ImageGradients network = training.gradients(IMAGES, SETTINGS);
        float[] first = network.first();
        float[] other = first.clone();
        other[0] += 1;
        int[] rows = {5, 9, 2};
        float[] expected = gradient(network, rows, first);
        IntStream.range(0, 40).parallel().forEach(i -> {
            if (i % 2 == 0) {
                assertArrayEquals(expected, gradient(network, rows, first));
            } else {
                gradient(network, new int[] {i}, other);
            }
        });
    }

    private static float[] gradient(ImageGradients network, int[] rows, float[] at) {
        float[] gradient = new float[at.length];
        network.gradient(rows, at, gradient);
        return gradient;
    }
}
