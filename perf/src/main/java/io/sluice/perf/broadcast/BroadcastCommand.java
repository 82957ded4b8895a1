package io.sluice.perf.broadcast;

import io.sluice.perf.ExitCode;
import io.sluice.perf.UnavailableException;
import io.sluice.perf.cluster.Star;
import io.sluice.perf.options.LabLinks;
import io.sluice.perf.options.LabRate;
import io.sluice.perf.options.OutputOptions;
import io.sluice.perf.options.Repetition;
import io.sluice.perf.options.TableSize;
import io.sluice.tree.planning.TreePlanners;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Measures how long a broadcast takes, by each planner of trees. */
@Command(
        name = "broadcast",
        description = {
            "Measures how long servers take to broadcast parameters to all workers, by each way to pass them on, as a"
                    + " multiple of S/B: their bytes over the rate of one link.",
            "Needs Linux and root: each server and worker is on a host of a network lab. The defaults take about three"
                    + " minutes."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false)
public final class BroadcastCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Option(
            names = "--workers",
            paramLabel = "N",
            split = ",",
            defaultValue = "4",
            description = "Workers, 2 or more; several numbers one after the other (${DEFAULT-VALUE}).")
    private List<Integer> workers;

    @Option(names = "--servers", paramLabel = "N", defaultValue = "2", description = "Servers (${DEFAULT-VALUE}).")
    private int servers;

    @Mixin
    private LabLinks links;

    @Option(
            names = "--bytes",
            paramLabel = "SIZE",
            split = ",",
            converter = TableSize.Converter.class,
            defaultValue = "32mib",
            description = "What is broadcast: f32, spread over the servers; several sizes one after the other"
                    + " (${DEFAULT-VALUE}).")
    private List<TableSize> sizes;

    @Option(
            names = "--kept",
            paramLabel = "SHARE",
            split = ",",
            defaultValue = "1.0",
            description = "Share of the elements that the filter lets pass; less than 1 not for peers, which have none"
                    + " (${DEFAULT-VALUE}).")
    private List<Double> kept;

    @Option(
            names = "--tree",
            paramLabel = "TREE",
            split = LabRate.COMMA_BEFORE_WORD,
            defaultValue = "flat,chain,rotated:2,shared:2,stripes",
            description = "Who passes on to whom, as with sluice train (${DEFAULT-VALUE}).")
    private List<String> trees;

    @Option(
            names = "--peers",
            description =
                    "Also by what a user would take instead: ZeroMQ and gRPC, each server to each worker, and Open MPI"
                            + " where it is installed, by itself and by two of its algorithms.")
    private boolean peers;

    @Option(
            names = "--simulate",
            description = "Also what the simulator says of each broadcast by tree, and its error.")
    private boolean simulate;

    @Option(
            names = "--broadcasts",
            paramLabel = "N",
            defaultValue = "2",
            description = "Broadcasts of a turn that count (${DEFAULT-VALUE}).")
    private int broadcasts;

    @Option(
            names = "--warmup",
            paramLabel = "N",
            defaultValue = "1",
            description = "Broadcasts before those: memory is touched for the first time (${DEFAULT-VALUE}).")
    private int warmup;

    @Mixin
    private Repetition repetition;

    @Mixin
    private OutputOptions output;

    @Override
    public Integer call() throws IOException, InterruptedException {
        long bits = links.rate();
        trees.forEach(TreePlanners::named);
        repetition.check();
        for (double share : kept) {
            if (!(share > 0 && share <= 1)) {
                throw new IllegalArgumentException("--kept has " + share + ", expected more than 0, up to 1");
            }
        }
        List<BroadcastPlan> plans = new ArrayList<>();
        for (TableSize size : sizes) {
            workers.stream()
                    .distinct()
                    .map(number -> new Star(servers, number, bits, links.mtu()))
                    .forEach(star -> plans.add(new BroadcastPlan(star, size.elements(), warmup, broadcasts)));
        }
        output.check();
        PrintWriter out = spec.commandLine().getOut();
        out.println(output.machine().sentence());
        out.flush();
        List<BroadcastRow> rows = new ArrayList<>();
        String missing;
        try (Peers others = peers ? peers() : null) {
            missing = others == null ? null : others.missing();
            BroadcastRun run = new BroadcastRun(
                    trees.stream().distinct().toList(), kept.stream().distinct().toList(), others, repetition);
            for (BroadcastPlan plan : plans) {
                List<BroadcastRow> ofPlan = run.run(plan);
                if (simulate) {
                    ofPlan = ofPlan.stream().map(row -> simulated(plan, row)).toList();
                }
                BroadcastReport.print(plan, ofPlan, out);
                rows.addAll(ofPlan);
            }
        }
        explain(missing, out);
        if (output.plot() != null) {
            BroadcastReport.plot(rows, output.plot());
            out.println("drawn: " + output.plot());
        }
        output.writeJson(spec, rows, missing == null ? List.of() : List.of(missing));
        return ExitCode.OK;
    }

    /** Peers have ways of their own, and the simulator knows no filters. */
    private BroadcastRow simulated(BroadcastPlan plan, BroadcastRow row) {
        if (row.kept() < 1 || !trees.contains(row.shape())) {
            return row;
        }
        int slice = plan.star().terms().build().sliceElements();
        return row.beside(LabSimulation.seconds(plan, row.shape(), slice));
    }

    private static Peers peers() {
        return Peers.find().orElseThrow(() -> new UnavailableException(Peers.NOT_BUILT));
    }

    private static void explain(String missing, PrintWriter out) {
        out.println();
        out.println("  seconds     from the last push that servers wait for, until the last worker has applied all");
        out.println("  / S/B       those over what the bytes alone take on one link; with headers no less than 1.05");
        out.println("  uplink / S  most that one host has sent, headers included, over the bytes");
        out.println("  cpu s       of all nodes and media drivers, which are threads of this process");
        if (missing != null) {
            out.println("  " + missing);
        }
        out.flush();
    }
}
