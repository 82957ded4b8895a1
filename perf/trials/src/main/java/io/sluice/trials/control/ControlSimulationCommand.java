package io.sluice.trials.control;

import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.annotation.JsonNaming;
import io.sluice.console.ExitCode;
import io.sluice.perf.PerfCommand;
import io.sluice.perf.report.Machine;
import io.sluice.perf.report.OutputFile;
import io.sluice.perf.report.Progress;
import io.sluice.trials.control.ControlSimulation.Result;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Simulates the control plane. */
@Command(
        name = "control-simulation",
        description = {
            "Runs jobs of real coordinators and nodes on a simulated clock and network, with nodes that are killed,"
                    + " stall, join, leave and fail, coordinators that change, and paths that are cut.",
            "After each step the control plane's invariants hold, or the command names the seed that breaks one. It"
                    + " replays a seed with --seed SEED --schedules 1 --trace."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false)
public final class ControlSimulationCommand implements PerfCommand {
    private static final int MOST_SHOWN = 10;
    private static final int MOST_SCHEDULES = 1_000_000_000;

    @Spec
    private CommandSpec spec;

    @Option(
            names = "--schedules",
            paramLabel = "N",
            defaultValue = "10000",
            description = "Jobs to simulate (${DEFAULT-VALUE}).")
    private int schedules;

    @Option(
            names = "--seed",
            paramLabel = "SEED",
            defaultValue = "1",
            description = "Seed of the first job; each following job uses the next number (${DEFAULT-VALUE}).")
    private long seed;

    @Option(
            names = "--threads",
            paramLabel = "N",
            description = "Jobs to simulate at a time (default: one for each processor).")
    private int threads = Runtime.getRuntime().availableProcessors();

    @Option(names = "--trace", description = "Print one line for each event of each job.")
    private boolean trace;

    @Option(names = "--json", paramLabel = "FILE", description = "Write all figures as one JSON object.")
    private Path json;

    /**
     * The results of all schedules.
     *
     * @param seed       seed of the first schedule
     * @param schedules  number of simulated schedules
     * @param jobsDone   schedules whose job completed
     * @param steps      duty cycles of coordinators and nodes
     * @param frames     control frames sent
     * @param faults     faults injected
     * @param seconds    seconds of real time
     * @param violations broken invariants, each with its seed
     */
    @JsonNaming(PropertyNamingStrategies.SnakeCaseStrategy.class)
    record Summary(
            long seed,
            int schedules,
            int jobsDone,
            long steps,
            long frames,
            long faults,
            double seconds,
            List<Violation> violations) {}

    record Report(String command, Machine machine, List<Summary> rows) {}

    /** A broken invariant. */
    record Violation(long seed, String scenario, String violation) {}

    @Override
    public Integer call() throws IOException, InterruptedException {
        requireFrom(1, "--schedules", schedules);
        requireFrom(1, "--threads", threads);
        if (json != null) {
            OutputFile.check("--json", json);
        }
        PrintWriter out = spec.commandLine().getOut();
        if (trace) {
            threads = 1;
        }
        Summary summary;
        try (Progress progress = new Progress(out, schedules)) {
            progress.task("control plane");
            Schedules all = new Schedules(seed, schedules, threads, trace);
            summary = all.run(progress, trace ? result -> print(out, result) : _ -> {});
        }
        print(out, summary);
        if (json != null) {
            OutputFile.writeJson(
                    json,
                    new Report(
                            "sluice perf "
                                    + String.join(
                                            " ",
                                            spec.commandLine().getParseResult().originalArgs()),
                            Machine.current(),
                            List.of(summary)));
        }
        return summary.violations.isEmpty() ? ExitCode.OK : ExitCode.FAILED;
    }

    private static void requireFrom(int least, String option, int value) {
        if (value < least || value > MOST_SCHEDULES) {
            throw new IllegalArgumentException(
                    option + " is " + value + ", expected " + least + " to " + MOST_SCHEDULES);
        }
    }

    private static void print(PrintWriter out, Result result) {
        out.println("seed " + result.seed() + ": " + result.scenario());
        result.trace().forEach(out::println);
        out.println();
        out.flush();
    }

    private static void print(PrintWriter out, Summary summary) {
        out.printf(
                "%,d schedules from seed %d, %,d steps, %,d frames, %,d faults, %.1f s (%,.0f schedules a second)%n",
                summary.schedules,
                summary.seed,
                summary.steps,
                summary.frames,
                summary.faults,
                summary.seconds,
                summary.schedules / summary.seconds);
        out.printf("%,d jobs completed their work%n", summary.jobsDone);
        if (summary.violations.isEmpty()) {
            out.println("no invariant was broken");
            return;
        }
        out.printf("FAILED: %,d schedules broke an invariant%n", summary.violations.size());
        for (Violation each : summary.violations.subList(0, Math.min(MOST_SHOWN, summary.violations.size()))) {
            out.printf("  seed %d (%s)%n    %s%n", each.seed, each.scenario, each.violation);
        }
        out.printf(
                "replay one:  sluice perf control-simulation --seed %d --schedules 1 --trace%n",
                summary.violations.getFirst().seed);
    }
}
