package io.sluice.cli.run;

import java.util.ArrayList;
import java.util.List;

/** A small job that trains until the test ends it. */
final class EndlessJob {
    private EndlessJob() {}

    /** Starts it, with two workers and two servers, and waits until it trains. */
    static CliRun training(Object... more) {
        CliRun run = start(more);
        try {
            run.awaitTraining();
            return run;
        } catch (AssertionError e) {
            run.close();
            throw e;
        }
    }

    static CliRun start(Object... more) {
        List<Object> arguments = new ArrayList<>(List.of("train", "lr", "--workers", 2, "--servers", 2));
        arguments.addAll(List.of("--features", 1 << 14, "--batch", 16, "--clocks", 100_000_000));
        arguments.addAll(List.of(more));
        return Cli.plain().start(arguments.toArray());
    }
}
