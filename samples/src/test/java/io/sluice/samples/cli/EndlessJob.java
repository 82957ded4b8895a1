package io.sluice.samples.cli;

/** A small job that trains until somebody ends it. */
final class EndlessJob {
    private EndlessJob() {}

    /** Starts it, with two workers and two servers, and waits until it trains. */
    static CliRun training() {
        CliRun run = start();
        try {
            run.awaitTraining();
            return run;
        } catch (AssertionError e) {
            run.close();
            throw e;
        }
    }

    static CliRun start() {
        return Cli.plain()
                .start(
                        "train",
                        "lr",
                        "--workers",
                        2,
                        "--servers",
                        2,
                        "--features",
                        1 << 14,
                        "--batch",
                        16,
                        "--clocks",
                        100_000_000);
    }
}
