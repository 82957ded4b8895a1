package io.sluice.perf.shared;

import io.sluice.messaging.LinkRate;
import io.sluice.perf.ExitCode;
import io.sluice.perf.lab.LabEvent;
import io.sluice.perf.options.OutputOptions;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Measures what thresholds that follow the network are worth on links that others use, too. */
@Command(
        name = "shared",
        description = {
            "Runs a job while others come to its links and go: with a fixed threshold, one that follows the measured"
                    + " rate (adaptive), and a budget that does.",
            "Needs Linux and root: nodes and others are on hosts in two racks of a network lab. Computing only takes"
                    + " time, and gradients are random; all else is real. The defaults take about three minutes."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false)
public final class SharedCommand implements Callable<Integer> {
    private static final long MIN_RATE = 1_000_000;
    private static final long MAX_RATE = 10_000_000_000L;
    private static final int MAX_ROUNDS = 100;

    @Spec
    private CommandSpec spec;

    @Option(names = "--workers", paramLabel = "N", defaultValue = "2", description = "Workers (${DEFAULT-VALUE}).")
    private int workers;

    @Option(
            names = "--elements",
            paramLabel = "N",
            defaultValue = "1048576",
            description = "Parameters of the model (${DEFAULT-VALUE}).")
    private int elements;

    @Option(
            names = "--compute",
            paramLabel = "TIME",
            defaultValue = "60ms",
            description = "Computing of a clock (${DEFAULT-VALUE}).")
    private String compute;

    @Option(
            names = "--rate",
            paramLabel = "RATE",
            defaultValue = "100mbit",
            description = "Of the link between server and workers (${DEFAULT-VALUE}).")
    private String rate;

    @Option(
            names = "--cross",
            paramLabel = "SHARE",
            defaultValue = "0.7",
            description = "Of that link that others take, in each direction (${DEFAULT-VALUE}).")
    private double cross;

    @Option(
            names = "--clocks",
            paramLabel = "N",
            split = ",",
            defaultValue = "25,40,120",
            description = "Clocks before, with and after cross traffic (${DEFAULT-VALUE}).")
    private List<Integer> clocks;

    @Option(
            names = "--low",
            paramLabel = "DELTA",
            defaultValue = "4",
            description = "Of the fixed threshold, and of the adaptive one on fast links; gradients are double"
                    + " exponential with a scale of 1 / sqrt(t) (${DEFAULT-VALUE}).")
    private double low;

    @Option(
            names = "--high",
            paramLabel = "DELTA",
            defaultValue = "12",
            description = "Of the adaptive one while a link is slow (${DEFAULT-VALUE}).")
    private double high;

    @Option(
            names = "--min-rate",
            paramLabel = "RATE",
            defaultValue = "25mbit",
            description = "What a link must have not to be slow (${DEFAULT-VALUE}).")
    private String minimum;

    @Option(
            names = "--thresholds",
            paramLabel = "NAME",
            split = ",",
            defaultValue = "fixed,adaptive,budget",
            description = "Which to run: fixed, adaptive, budget (${DEFAULT-VALUE}).")
    private List<Threshold> thresholds;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            defaultValue = "1",
            description = "Turns of each threshold (${DEFAULT-VALUE}).")
    private int rounds;

    @Mixin
    private OutputOptions output;

    @Override
    public Integer call() throws IOException, InterruptedException {
        SharedPlan plan = new SharedPlan(
                workers,
                elements,
                LabEvent.time("--compute", compute).toNanos(),
                rate("--rate", rate),
                cross,
                clocks,
                low,
                high,
                rate("--min-rate", minimum));
        if (rounds < 1 || rounds > MAX_ROUNDS) {
            throw new IllegalArgumentException("--rounds is " + rounds + ", expected 1 to " + MAX_ROUNDS);
        }
        output.check();
        PrintWriter out = spec.commandLine().getOut();
        out.println(output.machine().sentence());
        out.printf(
                "%,d parameters, %d workers behind a link of %s, of which others take %.0f %%; computing %s%n%n",
                elements, workers, rate, 100 * cross, compute);
        out.flush();
        SharedRun run = new SharedRun(plan, thresholds.stream().distinct().toList(), rounds);
        Map<Threshold, List<Turn>> turns = run.run(done -> {
            spec.commandLine().getErr().println(done);
            spec.commandLine().getErr().flush();
        });
        List<SharedRow> rows = run.rows(turns);
        SharedReport.print(rows, out);
        List<String> conclusions = SharedReport.conclusions(rows);
        out.println();
        conclusions.forEach(out::println);
        if (output.plot() != null) {
            SharedReport.plot(plan, turns, output.plot()).forEach(path -> out.println("drawn: " + path));
        }
        out.flush();
        output.writeJson(spec, rows, conclusions);
        return ExitCode.OK;
    }

    private static long rate(String option, String text) {
        long bits = LinkRate.parse(option, text);
        if (bits < MIN_RATE || bits > MAX_RATE) {
            throw new IllegalArgumentException(option + " is '" + text + "', expected 1mbit to 10gbit");
        }
        return bits;
    }
}
