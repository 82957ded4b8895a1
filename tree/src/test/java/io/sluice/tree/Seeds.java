package io.sluice.tree;

import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.LongStream;

/** Seeds that are new in each run. Failures name theirs, and {@code -Dsluice.test.seed=<seed>} runs that one alone. */
public final class Seeds {
    private static final String SEED = "sluice.test.seed";
    private static final int MOST = 1_000_000_000;

    private Seeds() {}

    /** As many seeds as given, one after the other. */
    public static long[] of(int runs) {
        Long only = Long.getLong(SEED);
        long first = null == only ? ThreadLocalRandom.current().nextInt(1, MOST) : only;
        return LongStream.range(first, first + (null == only ? runs : 1)).toArray();
    }
}
