package io.sluice.messaging;

import java.util.SplittableRandom;

/**
 * Runs a check for many seeds. A failure names its seed, and {@code -Dsluice.test.seed=<seed>} runs that one alone.
 */
public final class Property {
    private static final String SEED = "sluice.test.seed";

    private Property() {}

    /** What must hold for every seed. */
    public interface Check {
        void run(SplittableRandom random) throws Exception;
    }

    /** Runs the check for seeds 1 to {@code runs}. */
    public static void holds(int runs, Check check) {
        Long only = Long.getLong(SEED);
        long first = only == null ? 1 : only;
        long last = only == null ? runs : only;
        for (long seed = first; seed <= last; seed++) {
            try {
                check.run(new SplittableRandom(seed));
            } catch (Exception | Error e) {
                throw new AssertionError("replay with -D" + SEED + "=" + seed + ": " + e, e);
            }
        }
    }
}
