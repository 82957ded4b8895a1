package io.sluice.perf.options;

import picocli.CommandLine.Option;

/** How many threads share a table. */
public final class ThreadOption {
    private static final int MOST_THREADS = 2;

    @Option(
            names = "--threads",
            paramLabel = "N",
            defaultValue = "1",
            description = "Threads that share each table, 1 or 2 (${DEFAULT-VALUE}).")
    private int threads;

    /** The number, 1 or 2. */
    public int threads() {
        if (threads < 1 || threads > MOST_THREADS) {
            throw new IllegalArgumentException("--threads is " + threads + ", expected 1 or 2");
        }
        return threads;
    }
}
