package io.sluice.cli;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.cli.advise.Advice;
import io.sluice.cli.advise.AdvicePage;
import io.sluice.cli.advise.JobFigures;
import io.sluice.cli.advise.Known;
import io.sluice.cli.advise.Setup;
import io.sluice.cli.stat.RunningJob;
import io.sluice.codecs.api.ValueType;
import io.sluice.consistency.clock.ConsistencyRules;
import io.sluice.consistency.terms.TableSpec;
import io.sluice.console.ExitCode;
import io.sluice.messaging.DriverView;
import io.sluice.messaging.Latency;
import io.sluice.messaging.LinkRate;
import io.sluice.tree.planning.TreePlanners;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Advises what to change about a job. */
@Command(
        name = "advise",
        description = {
            "Reports where the time of a job goes, and what each change would gain.",
            "Of a finished job (FILE), a running one (--running), or one of which you state the figures."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false)
final class AdviseCommand implements Callable<Integer> {
    private static final int MOST_NODES = 10_000;
    private static final int MOST_LAYERS = 10_000;
    private static final long MOST_PARAMETERS = 1L << 40;
    private static final int STANDARD_SLICE = 16_320;

    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "FILE", arity = "0..1", description = "Report of a job, as train --json writes it.")
    private Path report;

    @Option(names = "--running", description = "Watch the job at this host's media driver.")
    private boolean running;

    @Option(
            names = "--aeron-dir",
            paramLabel = "DIR",
            description = "With --running: directory of the media driver; by default as with stat.")
    private Path directory;

    @Option(names = "--seconds", paramLabel = "S", description = "With --running: seconds to watch, 0.1 to 3600 (5).")
    private Double seconds;

    @Option(
            names = "--link-rate",
            paramLabel = "RATE",
            description = "Rate of each host's link, such as 100mbit. No report has it.")
    private String linkRate;

    @Option(names = "--workers", paramLabel = "N", description = "Workers; with --running those of all hosts.")
    private Integer workers;

    @Option(names = "--servers", paramLabel = "N", description = "Servers; with --running those of all hosts.")
    private Integer servers;

    @Option(names = "--parameters", paramLabel = "N", description = "Elements of an update.")
    private Long parameters;

    @Option(names = "--compute", paramLabel = "TIME", description = "Computing in a clock: 50us, 1.5ms or 2s.")
    private String compute;

    @Option(names = "--clock", paramLabel = "TIME", description = "Measured time of a clock; without it, the model's.")
    private String clock;

    @Option(names = "--kept", paramLabel = "SHARE", description = "Share of the elements that is sent, 0 to 1 (1).")
    private Double kept;

    @Option(names = "--values", paramLabel = "TYPE", description = "Type of the values (f32).")
    private String values;

    @Option(names = "--slice", paramLabel = "FLOATS", description = "Elements of a slice (16320).")
    private Integer slice;

    @Option(names = "--consistency", paramLabel = "RULE", description = "Consistency rule (bsp).")
    private String consistency;

    @Option(names = "--tree", paramLabel = "NAME", description = "Broadcast trees (flat).")
    private String tree;

    @Option(
            names = "--layers",
            paramLabel = "N",
            defaultValue = "1",
            description = "Parts of the update that are pushed as they are computed (${DEFAULT-VALUE}).")
    private int layers;

    @Option(
            names = "--order",
            paramLabel = "NAME",
            defaultValue = "fifo",
            description = "Which waiting slice is sent first: fifo or layer (${DEFAULT-VALUE}).")
    private String order;

    @Option(
            names = "--byte-time",
            paramLabel = "NS",
            defaultValue = "0.25",
            description = "Nanoseconds of a processor for a byte in shared memory (${DEFAULT-VALUE}).")
    private double byteTime;

    @Mixin
    private ReportFile json = new ReportFile();

    @Override
    public Integer call() throws IOException, InterruptedException {
        json.check();
        Advice advice = Advice.on(figures());
        AdvicePage.print(advice, spec.commandLine().getOut());
        json.write(new ObjectMapper().valueToTree(advice));
        return ExitCode.OK;
    }

    private JobFigures figures() throws IOException, InterruptedException {
        checkSources();
        Known known = report != null ? Known.ofReport(report) : running ? watched() : Known.NOTHING;
        String source = report != null ? report.toString() : running ? "the running job" : "the stated job";
        boolean shared = Boolean.TRUE.equals(known.sharesMemory());
        if (shared && linkRate != null) {
            throw new IllegalArgumentException(
                    "--link-rate is " + linkRate + ", but the nodes of " + source + " share memory and use no link");
        }
        requireAll(known, shared);
        long size = number("--parameters", agreed("--parameters", parameters, known.parameters()), MOST_PARAMETERS);
        Setup setup = setup(known);
        double computing = agreed("--compute", time("--compute", compute), known.computeSeconds());
        double pushing = known.pushSeconds() == null ? 0 : known.pushSeconds();
        Double measured = agreed("--clock", time("--clock", clock), known.clockSeconds());
        if (measured != null && measured < computing + pushing) {
            throw new IllegalArgumentException(
                    "a clock of " + source + " takes " + measured + " s, expected at least the " + (computing + pushing)
                            + " s that a worker computes and sends in it");
        }
        return new JobFigures(
                source,
                (int) number(
                        "--workers",
                        running ? workersOf(known) : agreed("--workers", workers, known.workers()),
                        MOST_NODES),
                (int) number(
                        "--servers",
                        running ? serversOf(known) : agreed("--servers", servers, known.servers()),
                        MOST_NODES),
                size,
                shared ? 0 : LinkRate.parse("--link-rate", linkRate),
                byteTime / 1e9,
                computing,
                pushing,
                measured,
                known.pushedBytes() == null ? setup.bytes(size) : known.pushedBytes(),
                known.receivedBytes() == null ? setup.bytes(size) : known.receivedBytes(),
                setup);
    }

    private void checkSources() {
        if (report != null && running) {
            throw new IllegalArgumentException("--running and " + report + " exclude each other: name one job");
        }
        if (!running && (directory != null || seconds != null)) {
            throw new IllegalArgumentException(
                    (directory != null ? "--aeron-dir" : "--seconds") + " needs --running: nothing else is watched");
        }
        if (!(byteTime >= 0 && byteTime <= 1e6)) {
            throw new IllegalArgumentException("--byte-time is " + byteTime + ", expected 0 to 1000000 nanoseconds");
        }
        if (!List.of("fifo", "layer").contains(order)) {
            throw new IllegalArgumentException("--order is " + order + ", expected fifo or layer");
        }
    }

    private Known watched() throws InterruptedException {
        double watch = seconds == null ? 5 : seconds;
        if (!(watch >= 0.1 && watch <= 3_600)) {
            throw new IllegalArgumentException("--seconds is " + watch + ", expected 0.1 to 3600");
        }
        try (DriverView driver = DriverView.open(directory == null ? StatCommand.onlyDirectory() : directory)) {
            return RunningJob.watch(driver, watch);
        }
    }

    private int workersOf(Known known) {
        return workers == null ? known.workers() : workers;
    }

    private int serversOf(Known known) {
        return servers == null ? known.servers() : servers;
    }

    private void requireAll(Known known, boolean shared) {
        List<String> missing = new ArrayList<>();
        require(missing, "--parameters", parameters, known.parameters());
        require(missing, "--workers", workers, known.workers());
        require(missing, "--servers", servers, known.servers());
        require(missing, "--compute", compute, known.computeSeconds());
        require(missing, "--link-rate", linkRate, shared ? Boolean.TRUE : null);
        if (!missing.isEmpty()) {
            throw new IllegalArgumentException("some figures are missing, state them with " + String.join(", ", missing)
                    + (report == null && !running ? ", or name a report or --running" : ""));
        }
    }

    private static void require(List<String> missing, String option, Object given, Object known) {
        if (given == null && known == null) {
            missing.add(option);
        }
    }

    private Setup setup(Known known) {
        ValueType type = agreed("--values", values == null ? null : ValueType.named(values), known.values());
        double share = orElse(agreed("--kept", kept, known.kept()), 1.0);
        if (!(share >= 0 && share <= 1)) {
            throw new IllegalArgumentException("--kept is " + share + ", expected 0 to 1");
        }
        String rule = orElse(agreed("--consistency", consistency, known.consistency()), "bsp");
        String planner = orElse(agreed("--tree", tree, known.tree()), "flat");
        ConsistencyRules.named(rule);
        TreePlanners.named(planner);
        return new Setup(
                share,
                orElse(type, ValueType.F32),
                (int) number(
                        "--slice",
                        orElse(agreed("--slice", slice, known.slice()), STANDARD_SLICE),
                        TableSpec.MAX_SLICE_ELEMENTS),
                (int) number("--layers", layers, MOST_LAYERS),
                "layer".equals(order),
                rule,
                planner,
                1,
                Boolean.TRUE.equals(known.pull()));
    }

    private static <T> T orElse(T value, T standard) {
        return value == null ? standard : value;
    }

    /** The stated or the known figure; {@code null} if there is none. */
    private <T> T agreed(String option, T stated, T known) {
        if (stated != null && known != null && !stated.equals(known)) {
            throw new IllegalArgumentException(option + " is " + stated + ", but "
                    + (report == null ? "the running job" : report.toString()) + " has " + known
                    + ": omit the option");
        }
        return stated == null ? known : stated;
    }

    private static Double time(String option, String text) {
        return text == null ? null : Latency.parse(option, text);
    }

    private static long number(String option, Number value, long most) {
        if (value.longValue() < 1 || value.longValue() > most) {
            throw new IllegalArgumentException(option + " is " + value + ", expected 1 to " + most);
        }
        return value.longValue();
    }
}
