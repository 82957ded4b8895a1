package io.sluice.perf.managed;

import io.sluice.messaging.LinkRate;
import io.sluice.perf.ExitCode;
import io.sluice.perf.UnavailableException;
import io.sluice.perf.lab.LabEvent;
import io.sluice.perf.options.OutputOptions;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Measures what it is worth to send the most significant slices before their clock ends. */
@Command(
        name = "managed",
        description = {
            "Trains logistic regression over budgeted links, and compares the loss over clocks with slices that go out"
                    + " early (Boesen's managed communication, in four orders) with end-of-clock communication only.",
            "All nodes are threads of this process and talk UDP over loopback; examples are made up, and a mini-batch"
                    + " takes a stated time. The defaults take about three minutes."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false)
public final class ManagedCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Option(
            names = "--budgets",
            paramLabel = "RATE",
            split = ",",
            defaultValue = "2mbit,4mbit,16mbit",
            description = "Budgets of each data link (${DEFAULT-VALUE}).")
    private List<String> budgets;

    @Option(
            names = "--budget-burst",
            paramLabel = "BYTES",
            defaultValue = "16384",
            description = "What a link may send at once (${DEFAULT-VALUE}).")
    private int burst;

    @Option(names = "--workers", paramLabel = "N", defaultValue = "4", description = "Workers (${DEFAULT-VALUE}).")
    private int workers;

    @Option(names = "--servers", paramLabel = "N", defaultValue = "1", description = "Servers (${DEFAULT-VALUE}).")
    private int servers;

    @Option(
            names = "--consistency",
            paramLabel = "RULE",
            defaultValue = "bsp",
            description = "bsp, ssp:S or tap (${DEFAULT-VALUE}).")
    private String consistency;

    @Option(
            names = "--clocks",
            paramLabel = "N",
            defaultValue = "12",
            description = "Clocks of each run (${DEFAULT-VALUE}).")
    private int clocks;

    @Option(
            names = "--batches",
            paramLabel = "N",
            defaultValue = "16",
            description = "Mini-batches of a worker in a clock (${DEFAULT-VALUE}).")
    private int batches;

    @Option(
            names = "--batch",
            paramLabel = "N",
            defaultValue = "16",
            description = "Examples of a mini-batch (${DEFAULT-VALUE}).")
    private int batch;

    @Option(
            names = "--compute",
            paramLabel = "TIME",
            defaultValue = "20ms",
            description = "What a mini-batch takes (${DEFAULT-VALUE}).")
    private String compute;

    @Option(
            names = "--learning-rate",
            paramLabel = "R",
            defaultValue = "4",
            description = "Step over the mean gradient of a mini-batch (${DEFAULT-VALUE}).")
    private double learningRate;

    @Option(
            names = "--features",
            paramLabel = "N",
            defaultValue = "32768",
            description = "Parameters of the model (${DEFAULT-VALUE}).")
    private int features;

    @Option(
            names = "--slice",
            paramLabel = "N",
            defaultValue = "512",
            description = "Parameters of a slice (${DEFAULT-VALUE}).")
    private int slice;

    @Option(names = "--seed", paramLabel = "S", defaultValue = "1", description = "Of the examples (${DEFAULT-VALUE}).")
    private long seed;

    @Mixin
    private OutputOptions output;

    @Override
    public Integer call() throws IOException {
        List<Long> known = budgets.stream()
                .map(text -> LinkRate.parse("--budgets", text))
                .distinct()
                .toList();
        ManagedPlan plan = new ManagedPlan(
                workers,
                servers,
                clocks,
                batches,
                batch,
                LabEvent.time("--compute", compute).toNanos(),
                learningRate,
                features,
                slice,
                burst,
                consistency,
                seed);
        known.forEach(rate -> plan.terms(CommunicationMethod.END_OF_CLOCK, rate)); // refuses what cannot be
        output.check();
        PrintWriter out = spec.commandLine().getOut();
        out.println(output.machine().sentence());
        out.printf(
                "%,d parameters in slices of %,d; %d workers, %d servers, %s; clocks of %d mini-batches of %d examples"
                        + " and %s%n",
                features, slice, workers, servers, consistency, batches, batch, compute);
        out.flush();
        List<ManagedRow> rows = measure(plan, known, out);
        explain(out);
        if (output.plot() != null) {
            ManagedReport.plot(rows, output.plot()).forEach(path -> out.println("drawn: " + path));
        }
        output.writeJson(spec, rows, List.of());
        return ExitCode.OK;
    }

    private static List<ManagedRow> measure(ManagedPlan plan, List<Long> budgets, PrintWriter out) {
        try {
            return new ManagedRun(plan).run(budgets, ofBudget -> ManagedReport.print(ofBudget, out));
        } catch (ExecutionException e) {
            throw new UnavailableException("a node failed: " + e.getCause().getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UnavailableException("interrupted");
        }
    }

    private static void explain(PrintWriter out) {
        out.println();
        out.println("  goal       the loss that end-of-clock communication ends with, same budget");
        out.println("  early      share of the frames that went before their clock ended");
        out.println("  bursts     by how much the worst link exceeded its rate in any span of time, over the burst,");
        out.println("             as the media driver's sender put it on the wire: the budget admits 1 to the log");
        out.println("  late       how late that sender was where bursts is above 1");
        out.flush();
    }
}
