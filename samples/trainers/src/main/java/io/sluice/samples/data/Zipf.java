package io.sluice.samples.data;

import java.util.Arrays;
import java.util.Random;

/** Draws numbers: the probability of number i is proportional to 1 / (i + 1). */
final class Zipf {
    private final double[] sums;

    /** Prepares to draw numbers from 0 to a limit, exclusive. */
    Zipf(int numbers) {
        sums = new double[numbers];
        for (int i = 0; i < numbers; i++) {
            sums[i] = 1.0 / (i + 1) + (i == 0 ? 0 : sums[i - 1]);
        }
    }

    int draw(Random random) {
        int found = Arrays.binarySearch(sums, random.nextDouble() * sums[sums.length - 1]);
        return Math.min(found < 0 ? -found - 1 : found, sums.length - 1);
    }
}
