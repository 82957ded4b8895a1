package io.sluice.samples.mlr;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.consistency.local.LocalCluster;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.WorkerSet;
import io.sluice.samples.UpdateListener;
import io.sluice.samples.data.Classification;
import io.sluice.samples.data.ImageSet;
import io.sluice.samples.lr.LrSettings;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Gradients, and the weights that all workers hold in the end. */
@Timeout(120)
class MlrTrainingTest {
    private static final ImageSet DATA = ImageSet.planted();

    /** The step is minus the gradient of the loss, by differences in random directions. */
    @Test
    void stepsGoDownhillByTheGradient() {
        SplittableRandom random = new SplittableRandom(9);
        float[] inputs = new float[5 * 7];
        for (int i = 0; i < inputs.length; i++) {
            inputs[i] = (float) random.nextDouble(-1, 1);
        }
        Classification few = new Classification("few", inputs, new byte[] {0, 2, 1, 2, 0}, 7, 3);
        float[] w = new float[3 * 7];
        for (int i = 0; i < w.length; i++) {
            w[i] = (float) random.nextDouble(-1, 1);
        }
        float[] step = new float[w.length];
        int[] all = {0, 1, 2, 3, 4};
        MlrModel.step(few, all, 1, w, step);
        for (int i = 0; i < w.length; i++) {
            float kept = w[i];
            w[i] = kept + 1e-2f;
            double up = 5 * MlrModel.loss(few, w);
            w[i] = kept - 1e-2f;
            double down = 5 * MlrModel.loss(few, w);
            w[i] = kept;
            assertEquals((up - down) / -2e-2, step[i], 1e-3, "weight " + i);
        }
    }

    @ParameterizedTest
    @CsvSource({"1, 1, 1", "2, 3, 1", "2, 2, 3"})
    void replicasAreTheReference(int servers, int workers, int batches) throws InterruptedException {
        LrSettings settings = new LrSettings(12, batches, 16, 0.5, 3);
        List<Integer> all = List.of(0, 1, 2).subList(0, workers);
        float[] expected = MlrReference.train(
                DATA, settings, List.of(new WorkerSet(1, all)), (clock, loss) -> {}, UpdateListener.NONE);
        Map<Integer, float[]> replicas = new ConcurrentHashMap<>();
        ClusterSettings terms = ClusterSettings.builder()
                .servers(servers)
                .workers(workers)
                .sliceElements(1_000)
                .build();
        LocalCluster.run(terms, worker -> {
            float[] w = new MlrTrainer(worker, DATA, settings).train(workerSets -> {}, (clock, loss) -> {});
            replicas.put(worker.index(), w);
        });
        assertEquals(workers, replicas.size());
        replicas.values().forEach(replica -> assertArrayEquals(expected, replica));
    }

    @ParameterizedTest
    @CsvSource({"sum, 0.5", "mean, 0.5", "adarevision:0.5, 1", "nesterov:0.3, 1", "adam:0.01, 1"})
    void everyRuleLearns(String rule, double rate) throws InterruptedException {
        LrSettings settings = new LrSettings(60, 32, rate, 3);
        ClusterSettings terms = ClusterSettings.builder().workers(2).rule(rule).build();
        Map<Integer, MlrEvaluation> ends = new ConcurrentHashMap<>();
        LocalCluster.run(terms, worker -> {
            float[] w = new MlrTrainer(worker, DATA, settings).train(workerSets -> {}, (clock, loss) -> {});
            ends.put(worker.index(), MlrEvaluation.of(DATA, w));
        });
        assertEquals(ends.get(0), ends.get(1));
        assertTrue(ends.get(0).accuracy() > 0.7, rule + ": " + ends.get(0)); // a guess is right once in ten times
    }
}
