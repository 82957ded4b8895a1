package io.sluice.samples.descent;

import io.sluice.consistency.terms.WorkerSet;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * The order in which one of a fixed number of workers takes its part of the examples: all examples are shuffled by the
 * seed, worker k mod n takes the k-th, and each worker cycles over its examples, batch by batch.
 */
public final class Batches implements BatchOrder {
    private final int[] own;
    private final int[] rows;
    private final int batches;

    /**
     * Shuffles the examples and takes those of a worker.
     *
     * @param examples number of examples
     * @param worker index of the worker that takes its part
     * @param workers number of workers that share the examples
     * @param settings batch size and seed
     * @throws IllegalArgumentException if there are fewer examples than workers
     */
    public Batches(int examples, int worker, int workers, DescentSettings settings) {
        if (examples < workers) {
            throw new IllegalArgumentException("there are " + examples + " training examples for " + workers
                    + " workers, expected at least one each");
        }
        int[] order = shuffled(examples, settings.seed());
        own = IntStream.range(0, examples)
                .filter(k -> k % workers == worker)
                .map(k -> order[k])
                .toArray();
        rows = new int[settings.batch()];
        batches = settings.batches();
    }

    /**
     * Takes all examples in their order, for a worker that has no examples but its own.
     *
     * @param examples number of examples, at least 1
     * @param settings batch size
     */
    public Batches(int examples, DescentSettings settings) {
        own = IntStream.range(0, examples).toArray();
        rows = new int[settings.batch()];
        batches = settings.batches();
    }

    /** The examples of the worker, in the order in which it takes them. */
    public int[] examples() {
        return own.clone();
    }

    /** All examples, in an order that the seed determines. */
    static int[] shuffled(int examples, long seed) {
        int[] order = IntStream.range(0, examples).toArray();
        Random random = new Random(seed);
        for (int i = examples - 1; i > 0; i--) {
            int j = random.nextInt(i + 1);
            int swapped = order[i];
            order[i] = order[j];
            order[j] = swapped;
        }
        return order;
    }

    /** Does nothing: the worker set does not change. */
    @Override
    public void onWorkerSet(List<WorkerSet> workerSets) {}

    @Override
    public int[] rows(long clock, int batch) {
        long start = ((clock - 1) * batches + batch) * rows.length;
        for (int i = 0; i < rows.length; i++) {
            rows[i] = own[(int) ((start + i) % own.length)];
        }
        return rows;
    }
}
