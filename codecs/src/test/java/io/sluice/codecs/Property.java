package io.sluice.codecs;

import java.util.SplittableRandom;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Runs a check for several seeds, which are new in each run. A failure names its seed, and
 * {@code -Dsluice.test.seed=<seed>} runs that one alone.
 */
public final class Property {
    private static final String SEED = "sluice.test.seed";
    private static final int MOST_SEED = 1_000_000_000;

    private Property() {}

    /** What must hold for every seed. */
    public interface Check {
        void run(SplittableRandom random) throws Exception;
    }

    /** Runs the check for {@code runs} seeds. */
    public static void holds(int runs, Check check) {
        Long only = Long.getLong(SEED);
        long first = only == null ? ThreadLocalRandom.current().nextInt(1, MOST_SEED) : only;
        long last = only == null ? first + runs - 1 : only;
        for (long seed = first; seed <= last; seed++) {
            try {
                check.run(new SplittableRandom(seed));
            } catch (Exception | Error e) {
                throw new AssertionError("replay with -D" + SEED + "=" + seed + ": " + e, e);
            }
        }
    }
}
