package io.sluice.samples.mlr;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.consistency.local.LocalCluster;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.WorkerSet;
import io.sluice.samples.UpdateListener;
import io.sluice.samples.data.Dataset;
import io.sluice.samples.data.Examples;
import io.sluice.samples.data.Pieces;
import io.sluice.samples.data.PlantedCorpus;
import io.sluice.samples.data.PlantedImages;
import io.sluice.samples.descent.DescentSettings;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Gradients, and the weights that all workers hold in the end. */
@Timeout(120)
class MlrTrainingTest {
    private static final Dataset DATA = PlantedImages.generate();

    private static final int CLASSES = 3;
    private static final int FEATURES = 7;

    /** Five examples, of which one has no feature and the others lack some. */
    private static Dataset five(SplittableRandom random) {
        Examples.Builder examples = new Examples.Builder();
        for (int label : new int[] {0, 2, 1, 2, 0}) {
            for (int feature = label; label > 0 && feature < FEATURES; feature += random.nextInt(1, 3)) {
                examples.add(feature, (float) random.nextDouble(-1, 1));
            }
            examples.endRow(label);
        }
        Examples five = examples.build();
        return new Dataset("five", FEATURES, five, five);
    }

    private static float[] weights(SplittableRandom random) {
        float[] w = new float[CLASSES * FEATURES];
        for (int i = 0; i < w.length; i++) {
            w[i] = (float) random.nextDouble(-1, 1);
        }
        return w;
    }

    /** The step is minus the gradient of the loss, by differences in the direction of each weight. */
    @Test
    void stepsGoDownhillByTheGradient() {
        SplittableRandom random = new SplittableRandom(9);
        Dataset five = five(random);
        float[] w = weights(random);
        float[] step = new float[w.length];
        new MlrModel(five, 5).step(new int[] {0, 1, 2, 3, 4}, 1, w, step);
        for (int i = 0; i < w.length; i++) {
            float kept = w[i];
            w[i] = kept + 1e-2f;
            double up = 5 * MlrModel.loss(five, five.train(), w);
            w[i] = kept - 1e-2f;
            double down = 5 * MlrModel.loss(five, five.train(), w);
            w[i] = kept;
            assertEquals((up - down) / -2e-2, step[i], 1e-3, "weight " + i);
        }
    }

    /** The outer products of vectors of classes and the features of the examples. */
    @Test
    void theStepIsTheSumOfOuterProducts() {
        SplittableRandom random = new SplittableRandom(10);
        Dataset five = five(random);
        float[] w = weights(random);
        float[] step = new float[w.length];
        MlrModel model = new MlrModel(five, 4);
        int[] rows = {4, 1, 3, 1};
        double loss = model.step(rows, 0.3, w, step);
        assertEquals(loss, model.residuals(rows, 0.3, w));
        float[] sum = new float[w.length];
        for (int i = 0; i < rows.length; i++) {
            for (int c = 0; c < CLASSES; c++) {
                five.train().addTo(rows[i], model.residual(i)[c], sum, c * FEATURES);
            }
        }
        assertArrayEquals(step, sum);
    }

    /** Sparse: most features are in no example of a clock. */
    @Tag("slow")
    @Test
    void learnsWhichTextAPieceIsFrom() throws InterruptedException {
        Dataset pieces = Pieces.of(new PlantedCorpus(40, 2_000, 800, 40).generate(5));
        DescentSettings settings = new DescentSettings(30, 32, 3, 3);
        float[] expected = reference(pieces, settings, 2);
        Map<Integer, float[]> replicas =
                trained(ClusterSettings.builder().servers(2).workers(2).build(), pieces, settings);
        assertEquals(2, replicas.size());
        replicas.values().forEach(replica -> assertArrayEquals(expected, replica));
        double accuracy = MlrEvaluation.accuracyOf(pieces, expected);
        assertTrue(accuracy > 0.8, "accuracy " + accuracy); // a guess is right once in forty times
    }

    private static float[] reference(Dataset data, DescentSettings settings, int workers) {
        List<Integer> all = IntStream.range(0, workers).boxed().toList();
        return MlrReference.train(
                data, settings, List.of(new WorkerSet(1, all)), (clock, loss) -> {}, UpdateListener.NONE);
    }

    private static Map<Integer, float[]> trained(ClusterSettings terms, Dataset data, DescentSettings settings)
            throws InterruptedException {
        Map<Integer, float[]> replicas = new ConcurrentHashMap<>();
        LocalCluster.run(terms, worker -> {
            float[] w = new MlrTrainer(worker, data, settings).train(workerSets -> {}, (clock, loss) -> {});
            replicas.put(worker.index(), w);
        });
        return replicas;
    }

    @ParameterizedTest
    @CsvSource({"1, 1, 1", "2, 3, 1", "2, 2, 3"})
    void replicasAreTheReference(int servers, int workers, int batches) throws InterruptedException {
        DescentSettings settings = new DescentSettings(12, batches, 16, 0.5, 3);
        float[] expected = reference(DATA, settings, workers);
        ClusterSettings terms = ClusterSettings.builder()
                .servers(servers)
                .workers(workers)
                .sliceElements(1_000)
                .build();
        Map<Integer, float[]> replicas = trained(terms, DATA, settings);
        assertEquals(workers, replicas.size());
        replicas.values().forEach(replica -> assertArrayEquals(expected, replica));
    }

    @Tag("slow")
    @ParameterizedTest
    @CsvSource({"sum, 0.5", "mean, 0.5", "adarevision:0.5, 1", "nesterov:0.3, 1", "adam:0.01, 1"})
    void everyRuleLearns(String rule, double rate) throws InterruptedException {
        DescentSettings settings = new DescentSettings(60, 32, rate, 3);
        ClusterSettings terms = ClusterSettings.builder().workers(2).rule(rule).build();
        Map<Integer, float[]> replicas = trained(terms, DATA, settings);
        assertArrayEquals(replicas.get(0), replicas.get(1));
        MlrEvaluation end = MlrEvaluation.of(DATA, replicas.get(0));
        assertTrue(end.accuracy() > 0.7, rule + ": " + end); // a guess is right once in ten times
    }
}
