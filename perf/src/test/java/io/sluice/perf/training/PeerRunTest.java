package io.sluice.perf.training;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.consistency.standard.Multicast;
import io.sluice.samples.data.Dataset;
import io.sluice.samples.data.Pieces;
import io.sluice.samples.data.PlantedCorpus;
import io.sluice.samples.descent.BatchOrder;
import io.sluice.samples.descent.DescentReference;
import io.sluice.samples.descent.DescentSettings;
import io.sluice.samples.descent.SharedBatches;
import io.sluice.samples.mlr.MlrModel;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Vectors that not all workers get train about as well, and replicas stay near each other. */
@Timeout(600)
class PeerRunTest {
    private static final int WORKERS = 6;
    private static final int CLOCKS = 32;

    /** The matrix has so many slices, of which two are averaged in each clock. */
    private static final int SLICES = 8;

    private static final int SEEDS = 5;
    private static final double WITHIN = 0.02;
    private static final Dataset TEXTS = Pieces.of(new PlantedCorpus(12, 12, 20_000, 12).generate(1));

    /** The objective of a multicast to all, the mean over the seeds and the last clocks. */
    private static double ofAll;

    private static DescentSettings settings(int seed) {
        return new DescentSettings(CLOCKS, 16, 0.02, seed);
    }

    private static Replicas run(int seed, String multicast) throws InterruptedException {
        return PeerRun.of(TEXTS, settings(seed), WORKERS, 12 * 12 / SLICES, "all", multicast)
                .replicas();
    }

    @BeforeAll
    static void trainWithAll() throws InterruptedException {
        for (int seed = 1; seed <= SEEDS; seed++) {
            ofAll += last(run(seed, "all").objective(TEXTS, 1)) / SEEDS;
        }
    }

    private static void requireNear(String multicast, double objective) {
        System.out.printf("%s: objective %.5f, of all %.5f: %.4f%n", multicast, objective, ofAll, objective / ofAll);
        assertTrue(Math.abs(objective / ofAll - 1) < WITHIN, multicast + " reaches " + objective + ", all " + ofAll);
    }

    /** The mean over two averagings of each slice, so that nothing depends on the last clock. */
    private static double last(double[] values) {
        return Arrays.stream(values, values.length - SLICES, values.length)
                .average()
                .orElseThrow();
    }

    /** The mean over five seeds and the last eight clocks is within 2 % of the objective of a multicast to all. */
    @Test
    @Tag("slow")
    void aPartialMulticastReachesTheObjectiveOfAll() throws InterruptedException {
        requireObjectiveOfAll("random:2;sync=4;rotate=3", 2);
    }

    @Test
    @Tag("trial")
    void soDoesOneWithoutRotation() throws InterruptedException {
        requireObjectiveOfAll("random:2;sync=4", 2);
    }

    private static void requireObjectiveOfAll(String multicast, int receivers) throws InterruptedException {
        double partial = 0;
        for (int seed = 1; seed <= SEEDS; seed++) {
            Replicas run = run(seed, multicast + ";seed=" + seed);
            partial += last(run.objective(TEXTS, 1)) / SEEDS;
            double[] distance = run.distance();
            double[] bound = bound(run, settings(seed), multicast, receivers);
            double most = 0;
            for (int clock = 1; clock <= CLOCKS; clock++) {
                most = Math.max(most, distance[clock] / bound[clock]);
            }
            System.out.printf("%s, seed %d: distance up to %.3f of the bound%n", multicast, seed, most);
            assertTrue(most > 0 && most < 1, "seed " + seed + ": distance is " + most + " of the bound");
        }
        requireNear(multicast, partial);
    }

    /**
     * For each clock, from 0, the bound on the distance: step L sqrt(R (P - 1) (1 - q) / q), with L the norm of the
     * largest gradient of a worker's batch, R the clocks between two averagings, q the share of the others that get a
     * worker's vectors, and the largest step of the last R clocks.
     */
    private static double[] bound(Replicas replicas, DescentSettings settings, String multicast, int receivers) {
        int sync = Multicast.named(multicast).among(WORKERS).sync();
        double q = (double) receivers / (WORKERS - 1);
        double factor = largestGradient(replicas, settings) * Math.sqrt(sync * (WORKERS - 1) * (1 - q) / q);
        return IntStream.rangeClosed(0, CLOCKS)
                .mapToDouble(clock -> factor * settings.step(Math.max(1, clock - sync + 1), WORKERS))
                .toArray();
    }

    private static double largestGradient(Replicas replicas, DescentSettings settings) {
        MlrModel model = new MlrModel(TEXTS, settings.batch());
        List<BatchOrder> orders = DescentReference.orders(
                DescentReference.fixed(WORKERS),
                worker -> new SharedBatches(TEXTS.train().size(), worker, settings));
        double largest = 0;
        for (int clock = 1; clock <= CLOCKS; clock++) {
            for (int worker = 0; worker < WORKERS; worker++) {
                float[] gradient = new float[model.size()];
                model.step(orders.get(worker).rows(clock, 0), 1, replicas.of(worker, clock - 1), gradient);
                double square = 0;
                for (float each : gradient) {
                    square += (double) each * each;
                }
                largest = Math.max(largest, Math.sqrt(square));
            }
        }
        return largest;
    }

    @Test
    @Tag("trial")
    void nothingIsLostWhereVectorsWait() throws InterruptedException {
        double lossless = 0;
        for (int seed = 1; seed <= SEEDS; seed++) {
            lossless += last(run(seed, "random:2;lossless;seed=" + seed).objective(TEXTS, 1)) / SEEDS;
        }
        requireNear("random:2;lossless", lossless);
    }
}
