package io.sluice.perf.layers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class LayersReportTest {
    private static final long MBIT = 1_000_000;
    private static final TrainingPlan PLAN =
            new TrainingPlan(LayerModel.named(LayerModel.VGG19, 64), 2, 1, 600_000_000, 1, 4, true);

    @TempDir
    private Path folder;

    /** Rows as if every forecast came true but for a factor on what is by layer. */
    private static List<LayersRow> rows(long rate, double byLayer, int... slices) {
        List<LayersRow> rows = new ArrayList<>();
        double baseline = Forecast.of(PLAN, SyncMethod.BASELINE, rate).iteration();
        for (SyncMethod method :
                SyncMethod.compared(Arrays.stream(slices).boxed().toList())) {
            double seconds = Forecast.of(PLAN, method, rate).iteration() * (method.byLayer() ? byLayer : 1);
            double[] times = {seconds, seconds, seconds, seconds};
            Training seen = new Training(times, new double[4], new double[4]);
            rows.add(LayersRow.of(PLAN, method, rate, 32, seen, 0, baseline));
        }
        return rows;
    }

    @Test
    void saysWhatIsGained() {
        String sentence = LayersReport.conclusions(rows(200 * MBIT, 1, 4_096)).getFirst();
        assertTrue(sentence.matches("vgg19, 200 Mbit/s: slices alone \\+\\d+ % .* by layer \\+\\d\\d % .*"), sentence);
    }

    @Test
    void saysWhyNothingIs() {
        assertEnds(rows(100_000 * MBIT, 1, 4_096), "at the bound already: computing takes 600 of 6\\d\\d ms");
        assertEnds(rows(2 * MBIT, 1, 65_536), "only the forward pass, 200 ms, could be hidden behind it");
        assertEnds(rows(200 * MBIT, 2, 4_096), "\\d+ ms instead of the forecast's \\d+");
    }

    private static void assertEnds(List<LayersRow> rows, String words) {
        String sentence = LayersReport.conclusions(rows).getFirst();
        assertTrue(sentence.matches(".*" + words), sentence);
    }

    @Test
    void hasALineForEachMethodAndThroughputOfAllWorkers() {
        List<LayersRow> rows = rows(200 * MBIT, 1, 4_096, 1_024);
        StringWriter text = new StringWriter();
        LayersReport.print(rows, new PrintWriter(text));
        assertEquals(2 + 1 + rows.size(), text.toString().lines().count(), text::toString);
        LayersRow baseline = rows.getFirst();
        assertEquals(1, baseline.ratioToBaseline(), 1e-9);
        assertEquals(2 * 32 * 1e3 / baseline.iterationMs(), baseline.samplesPerS(), 1e-6);
    }

    @Test
    void drawsSlicesOnlyWhereThereAreSeveral() throws IOException {
        System.setProperty("java.awt.headless", "true");
        List<LayersRow> one = new ArrayList<>(rows(100 * MBIT, 1, 4_096));
        one.addAll(rows(200 * MBIT, 1, 4_096));
        Path file = folder.resolve("layers.svg");
        assertEquals(List.of(folder.resolve("layers-rate.svg")), LayersReport.plot(one, file));
        List<Path> files = LayersReport.plot(rows(100 * MBIT, 1, 4_096, 1_024), file);
        assertEquals(List.of(folder.resolve("layers-rate.svg"), folder.resolve("layers-slice.svg")), files);
        assertTrue(files.stream().allMatch(Files::exists));
    }
}
