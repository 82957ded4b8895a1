package io.sluice.samples.lr;

import java.util.Random;
import java.util.stream.IntStream;

/**
 * The order in which one worker takes its part of the examples: all examples are shuffled by the seed, worker
 * k mod n takes the k-th, and each worker cycles over its own, batch by batch.
 */
final class Batches {
    private final int[] own;
    private final int[] rows;
    private int next;

    /**
     * Deals the examples.
     *
     * @param examples number of examples
     * @param worker index of the worker that takes its part
     * @param workers number of workers that share the examples
     * @param settings batch size and seed
     * @throws IllegalArgumentException if there are fewer examples than workers
     */
    Batches(int examples, int worker, int workers, LrSettings settings) {
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

    /** Skips batches. */
    void skip(long batches) {
        next = (int) ((next + batches * rows.length) % own.length);
    }

    /** The next batch; the array is reused. */
    int[] next() {
        for (int i = 0; i < rows.length; i++) {
            rows[i] = own[next];
            next = (next + 1) % own.length;
        }
        return rows;
    }
}
