package io.sluice.perf.urgency;

import io.sluice.messaging.LinkRate;
import io.sluice.perf.ExitCode;
import io.sluice.perf.UnavailableException;
import io.sluice.perf.lab.Lab;
import io.sluice.perf.lab.LabPlan;
import io.sluice.perf.options.OutputOptions;
import io.sluice.perf.options.TableSize;
import io.sluice.perf.report.TextTable;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Measures how fast an urgent slice overtakes others on a link of the network lab. */
@Command(
        name = "urgency",
        description = {
            "Measures how long an urgent slice takes past others that wait for the same link.",
            "Slices of 16320 f32 of a later layer are queued on a link of the network lab, then one of the first layer;"
                    + " by order of layers and first come, first served, in turns. Linux and root only."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false)
public final class UrgencyCommand implements Callable<Integer> {
    private static final List<String> ORDERS = List.of("layer", "fifo");
    private static final int MAX_RUNS = 1_000;

    @Spec
    private CommandSpec spec;

    @Option(
            names = "--queued",
            paramLabel = "SIZE",
            converter = TableSize.Converter.class,
            defaultValue = "64mib",
            description = "What waits when the urgent slice comes (${DEFAULT-VALUE}).")
    private TableSize queued;

    @Option(
            names = "--rate",
            paramLabel = "RATE",
            defaultValue = "1gbit",
            description = "Of the link (${DEFAULT-VALUE}).")
    private String rate;

    @Option(
            names = "--runs",
            paramLabel = "N",
            defaultValue = "9",
            description = "Urgent slices for each order, 1 to 1000 (${DEFAULT-VALUE}).")
    private int runs;

    @Mixin
    private OutputOptions output;

    @Override
    public Integer call() throws IOException {
        if (runs < 1 || runs > MAX_RUNS) {
            throw new IllegalArgumentException("--runs is " + runs + ", expected 1 to " + MAX_RUNS);
        }
        long linkRate = LinkRate.parse("--rate", rate);
        output.check();
        PrintWriter out = spec.commandLine().getOut();
        out.println(output.machine().sentence());
        List<UrgencyRow> rows = measure(linkRate);
        TextTable table = new TextTable(1, "order", "queued MB", "slice ms", "median ms", "worst ms", "slice times");
        for (UrgencyRow row : rows) {
            table.add(
                    row.order(),
                    String.format("%.1f", row.queuedBytes() / 1e6),
                    String.format("%.2f", row.sliceMs()),
                    String.format("%.2f", row.medianMs()),
                    String.format("%.2f", row.worstMs()),
                    String.format("%.1f", row.sliceTimes()));
        }
        out.printf("%nurgent slice over a link of %s, %d runs of each order%n", rate, runs);
        table.print(out);
        out.flush();
        output.writeJson(spec, rows, List.of());
        return ExitCode.OK;
    }

    private List<UrgencyRow> measure(long linkRate) throws IOException {
        int slices = (int) Math.ceilDiv(queued.elements(), UrgentSlices.ELEMENTS);
        Map<String, UrgencyTrial> trials = new LinkedHashMap<>();
        try (Lab lab = Lab.build(new LabPlan().hosts(2).rate(linkRate));
                UrgencyPath path = UrgencyPath.open(lab, linkRate)) {
            int run = 0;
            for (int i = 0; i < runs; i++) {
                for (String order : ORDERS) {
                    trials.computeIfAbsent(order, _ -> new UrgencyTrial(path, slices))
                            .run(order, run++);
                }
            }
            List<UrgencyRow> rows = new ArrayList<>();
            trials.forEach((order, trial) -> rows.add(trial.row(order, linkRate)));
            return rows;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UnavailableException("interrupted");
        }
    }
}
