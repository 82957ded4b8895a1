package io.sluice.perf.layers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.perf.experiment.Row;
import io.sluice.perf.experiment.Sample;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class LayersRowsTest {
    private static final long MBIT = 1_000_000;
    private static final TrainingPlan PLAN =
            new TrainingPlan(LayerModel.named(PublishedLayers.VGG19, 64), 2, 1, 600_000_000);

    /** Rows whose times are the forecasts, multiplied by a factor where a method works layer by layer. */
    private static List<Row> rows(double byLayer, List<Integer> slices, long... rates) {
        List<Sample> samples = new ArrayList<>();
        for (long rate : rates) {
            for (SyncMethod method : SyncMethod.compared(slices)) {
                double seconds = Forecast.of(PLAN, method, rate).iteration() * (method.byLayer() ? byLayer : 1);
                double[] times = {seconds, seconds, seconds, seconds};
                List<Layers.Times> seen = List.of(new Layers.Times(times, new double[4], new double[4]));
                samples.add(Layers.sample(PLAN, new Layers.Variant(rate, "uniform", method), seen)
                        .fact("model", PublishedLayers.VGG19)
                        .fact("workers", 2)
                        .fact("batch", 32));
            }
        }
        return Layers.SCENARIO.layout().rows(samples);
    }

    @Test
    void saysWhatIsGained() {
        String sentence =
                Layers.conclusionsOf(rows(1, List.of(4_096), 200 * MBIT)).getFirst();
        assertTrue(sentence.matches("vgg19, 200 Mbit/s: slices alone \\+\\d+ % .* by layer \\+\\d\\d % .*"), sentence);
    }

    @Test
    void saysWhyNothingIs() {
        assertEnds(rows(1, List.of(4_096), 100_000 * MBIT), "at the bound already: computing takes 600 of 6\\d\\d ms");
        assertEnds(rows(1, List.of(65_536), 2 * MBIT), "only the forward pass, 200 ms, could be hidden behind it");
        assertEnds(rows(2, List.of(4_096), 200 * MBIT), "\\d+ ms instead of the forecast's \\d+");
    }

    private static void assertEnds(List<Row> rows, String words) {
        String sentence = Layers.conclusionsOf(rows).getFirst();
        assertTrue(sentence.matches(".*" + words), sentence);
    }

    @Test
    void hasTheThroughputOfAllWorkers() {
        Row baseline = rows(1, List.of(4_096, 1_024), 200 * MBIT).getFirst();
        assertEquals(1, baseline.number("ratio_to_baseline"), 1e-9);
        assertEquals(2 * 32 * 1e3 / baseline.number("iteration_ms"), baseline.number("samples_per_s"), 1e-6);
    }
}
