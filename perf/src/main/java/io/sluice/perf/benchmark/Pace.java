package io.sluice.perf.benchmark;

import java.io.Serializable;

/**
 * The durations of warm-ups and turns.
 *
 * @param warmUpNanos time without improvement that ends a warm-up
 * @param warmUpPasses minimum number of passes of a warm-up
 * @param turnNanos time of a turn to aim at, by repeating short passes
 */
public record Pace(long warmUpNanos, int warmUpPasses, long turnNanos, int maxPasses) implements Serializable {
    private static final long MS = 1_000_000;

    /** The pace of passes over tables that no cache holds. */
    public static final Pace TABLES = new Pace(700 * MS, 3, 40 * MS, 1_000_000);

    /** The pace of passes over a few slices, with very many benchmarks. */
    public static final Pace SLICES = new Pace(150 * MS, 20, 8 * MS, 1_000_000);

    /** The pace of streams of frames, for which a pass takes a few milliseconds. */
    public static final Pace STREAMS = new Pace(400 * MS, 20, 300 * MS, 1_000_000);

    /** The pace of a check that everything runs. */
    public static final Pace QUICK = new Pace(0, 1, 0, 1);
}
