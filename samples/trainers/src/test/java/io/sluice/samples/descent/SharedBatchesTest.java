package io.sluice.samples.descent;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.consistency.terms.WorkerSet;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;

class SharedBatchesTest {

    /** While workers join and leave, examples are taken equally often, up to one. */
    @RepeatedTest(20)
    void partsNeitherOverlapNorLack(RepetitionInfo repetition) {
        Random random = new Random(repetition.getCurrentRepetition());
        int examples = random.nextInt(1, 200);
        DescentSettings settings =
                new DescentSettings(1, random.nextInt(1, 4), random.nextInt(1, 9), 1, random.nextLong());
        List<WorkerSet> workerSets = randomWorkerSets(random);
        int[] counts = new int[examples];
        for (int at = 0; at < workerSets.size(); at++) {
            long end = at + 1 < workerSets.size()
                    ? workerSets.get(at + 1).since()
                    : workerSets.get(at).since() + 10;
            List<SharedBatches> batches = new ArrayList<>();
            for (int worker : workerSets.get(at).workers()) {
                SharedBatches own = new SharedBatches(examples, worker, settings);
                own.onWorkerSet(
                        workerSets.subList(0, at + 1)); // all changes so far, as a worker receives them when it joins
                batches.add(own);
            }
            for (long clock = workerSets.get(at).since(); clock < end; clock++) {
                for (SharedBatches own : batches) {
                    for (int batch = 0; batch < settings.batches(); batch++) {
                        for (int row : own.rows(clock, batch)) {
                            counts[row]++;
                        }
                    }
                }
                int most = Arrays.stream(counts).max().orElseThrow();
                int least = Arrays.stream(counts).min().orElseThrow();
                assertTrue(most - least <= 1, () -> "seed " + repetition.getCurrentRepetition() + ": " + workerSets);
            }
        }
    }

    private static List<WorkerSet> randomWorkerSets(Random random) {
        List<WorkerSet> workerSets = new ArrayList<>();
        TreeSet<Integer> workers = new TreeSet<>(List.of(0, 1));
        long since = 1;
        for (int i = 0; i < 6; i++) {
            workerSets.add(new WorkerSet(since, List.copyOf(workers)));
            since += random.nextInt(1, 12);
            int worker = random.nextInt(5);
            if (!workers.add(worker) && workers.size() > 1) {
                workers.remove(worker);
            }
        }
        return workerSets;
    }

    @Test
    void withoutJoinsAndLeavesTheOrderIsThatOfFixedWorkers() {
        DescentSettings settings = new DescentSettings(10, 2, 3, 1, 7);
        WorkerSet workerSet = new WorkerSet(1, List.of(0, 1, 2));
        for (int worker : workerSet.workers()) {
            Batches old = new Batches(30, worker, workerSet.size(), settings);
            SharedBatches shared = new SharedBatches(30, worker, settings);
            shared.onWorkerSet(List.of(workerSet));
            for (int clock = 1; clock <= 10; clock++) {
                for (int batch = 0; batch < 2; batch++) {
                    assertArrayEquals(old.rows(clock, batch), shared.rows(clock, batch));
                }
            }
        }
    }
}
