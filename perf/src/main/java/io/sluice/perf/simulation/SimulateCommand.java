package io.sluice.perf.simulation;

import io.sluice.messaging.LinkRate;
import io.sluice.perf.ExitCode;
import io.sluice.perf.options.OutputOptions;
import io.sluice.perf.report.TextTable;
import io.sluice.tree.planning.BroadcastJob;
import io.sluice.tree.planning.Forest;
import io.sluice.tree.planning.LowerBound;
import io.sluice.tree.planning.PlanEstimate;
import io.sluice.tree.planning.TreePlanner;
import io.sluice.tree.planning.TreePlanners;
import io.sluice.tree.topology.ByteSize;
import io.sluice.tree.topology.Latency;
import io.sluice.tree.topology.Placement;
import io.sluice.tree.topology.RackNetwork;
import io.sluice.tree.topology.Topology;
import io.sluice.tree.topology.TopologyFile;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Simulates broadcasts to more hosts than there are. */
@Command(
        name = "simulate",
        description = {
            "Simulates broadcasts frame by frame over networks of up to 100,000 hosts, and compares shapes.",
            "First come first served on every link; no loss, no headers, no bounds of buffers."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false)
public final class SimulateCommand implements Callable<Integer> {
    private static final int MOST_WORKERS = 90_000;
    private static final int MOST_SERVERS = 1_000;
    private static final long MOST_BYTES = 1L << 40;
    private static final int MOST_FRAME = 1 << 30;
    private static final long MOST_FRAMES = 200_000_000;
    private static final double PERCENT = 100;

    @Spec
    private CommandSpec spec;

    @Option(
            names = "--workers",
            paramLabel = "N",
            split = ",",
            defaultValue = "8,32,128,512,2048,10000",
            description = "Workers, one on each host (those that the topology file places, or ${DEFAULT-VALUE}).")
    private List<Integer> workers;

    @Option(
            names = "--servers",
            paramLabel = "P",
            defaultValue = "2",
            description = "Servers (those that the topology file places, or ${DEFAULT-VALUE}).")
    private int servers;

    @Option(
            names = "--bytes",
            paramLabel = "BYTES",
            defaultValue = "64MiB",
            description = "Bytes of a broadcast, all servers together (${DEFAULT-VALUE}).")
    private String bytes;

    @Option(
            names = "--frame",
            paramLabel = "BYTES",
            defaultValue = "64KiB",
            description = "Bytes that a relay has to have before it passes them on (${DEFAULT-VALUE}).")
    private String frame;

    @Option(
            names = "--tree",
            paramLabel = "NAME",
            split = ";",
            defaultValue = "flat;shared:2;rotated:2;chain;stripes;auto",
            description = "Strategies, with semicolons between (${DEFAULT-VALUE}).")
    private List<String> strategies;

    @Option(
            names = "--rate",
            paramLabel = "RATE",
            defaultValue = "1gbit",
            description = "Rate of each host's link (${DEFAULT-VALUE}).")
    private String rate;

    @Option(
            names = "--latency",
            paramLabel = "TIME",
            defaultValue = "50us",
            description = "From host to host (${DEFAULT-VALUE}).")
    private String latency;

    @Option(
            names = "--rack",
            paramLabel = "N",
            defaultValue = "40",
            description = "Hosts of a rack; 16 racks are under one aggregation switch (${DEFAULT-VALUE}).")
    private int rack;

    @Option(
            names = "--oversubscription",
            paramLabel = "X",
            split = ",",
            defaultValue = "1",
            description = "What a rack's hosts can send over what its uplink carries; 0 for no limit; several, with"
                    + " commas between, are simulated one after another (${DEFAULT-VALUE}).")
    private List<Double> oversubscriptions;

    @Option(
            names = "--topology",
            paramLabel = "FILE",
            description = "Network, in YAML, instead of racks of equal hosts, and where servers and workers are, if"
                    + " --servers and --workers are not given; without 'bandwidth'. docs/reference.md has the"
                    + " format.")
    private Path file;

    private TopologyFile described;

    /** Whether the file says where they are, and no option anything else. */
    private boolean placesServers;

    private boolean placesWorkers;

    @Mixin
    private OutputOptions output;

    @Override
    public Integer call() throws IOException {
        if (null != file) {
            described = TopologyFile.read(file);
            if (described.topology().measuredPairs() > 0) {
                throw new IllegalArgumentException("--topology " + file + " has a 'bandwidth' of "
                        + described.topology().measuredPairs() + " pairs of hosts, expected none: the simulation knows"
                        + " links and switches only");
            }
            takePlaces();
        }
        check();
        output.check();
        List<TreePlanner> planners =
                strategies.stream().map(TreePlanners::named).toList();
        PrintWriter out = spec.commandLine().getOut();
        out.println(output.machine().sentence());
        List<SimulationRow> rows = new ArrayList<>();
        for (Double oversubscription : described == null ? oversubscriptions : unknown()) {
            for (int count : workers) {
                BroadcastJob job = job(count, oversubscription);
                List<SimulationRow> alike = new ArrayList<>();
                for (TreePlanner planner : planners) {
                    simulate(job, planner, count, oversubscription, alike, out);
                }
                print(alike, out);
                rows.addAll(alike);
            }
        }
        if (output.plot() != null) {
            for (Path drawn : SimulationPlot.write(rows, output.plot())) {
                out.println("drawn: " + drawn);
            }
        }
        output.writeJson(spec, rows, List.of());
        return ExitCode.OK;
    }

    /** A described network has uplinks of its own. */
    private static List<Double> unknown() {
        return Collections.singletonList(null);
    }

    private void takePlaces() {
        placesServers = !spec.commandLine().getParseResult().hasMatchedOption("--servers")
                && !described.servers().isEmpty();
        placesWorkers = !spec.commandLine().getParseResult().hasMatchedOption("--workers")
                && !described.workers().isEmpty();
        servers = placesServers ? described.servers().size() : servers;
        workers = placesWorkers ? List.of(described.workers().size()) : workers;
    }

    private void check() {
        for (int count : workers) {
            inRange("--workers", count, MOST_WORKERS);
        }
        inRange("--servers", servers, MOST_SERVERS);
        inRange("--rack", rack, MOST_WORKERS);
        for (double oversubscription : oversubscriptions) {
            if (!(oversubscription >= 0 && oversubscription <= 1_000)) {
                throw new IllegalArgumentException(
                        "--oversubscription is " + oversubscription + ", expected 0 to 1000");
            }
        }
    }

    private static void inRange(String option, int value, int most) {
        if (value < 1 || value > most) {
            throw new IllegalArgumentException(option + " is " + value + ", expected 1 to " + most);
        }
    }

    private BroadcastJob job(int count, Double oversubscription) {
        long total = ByteSize.parse("--bytes", bytes, MOST_BYTES);
        int frameBytes = (int) ByteSize.parse("--frame", frame, MOST_FRAME);
        if (total < servers || total / frameBytes > MOST_FRAMES / count) {
            throw new IllegalArgumentException("--bytes is " + total + " in frames of " + frameBytes + " to " + count
                    + " workers, expected a byte for each server or more, and up to " + MOST_FRAMES + " deliveries");
        }
        Topology topology = described != null
                ? described.topology()
                : new RackNetwork(
                                count + servers,
                                rack,
                                16,
                                LinkRate.parse("--rate", rate) / (double) Byte.SIZE,
                                oversubscription,
                                Latency.parse("--latency", latency))
                        .topology();
        Placement placement = Placement.spread(topology, servers, count);
        return new BroadcastJob(
                topology,
                placesServers ? numbers(described.servers()) : placement.servers(),
                placesWorkers ? numbers(described.workers()) : placement.workers(),
                Placement.shards(total, servers),
                frameBytes,
                1);
    }

    private static int[] numbers(List<Integer> hosts) {
        return hosts.stream().mapToInt(Integer::intValue).toArray();
    }

    private static void simulate(
            BroadcastJob job,
            TreePlanner planner,
            int count,
            Double oversubscription,
            List<SimulationRow> rows,
            PrintWriter out) {
        long start = System.nanoTime();
        Forest plan;
        try {
            plan = planner.plan(job);
        } catch (IllegalArgumentException e) {
            out.println("left out: " + e.getMessage());
            return;
        }
        long planned = System.nanoTime();
        BroadcastSimulation simulation = new BroadcastSimulation(job, plan);
        double seconds = simulation.run();
        double predicted = PlanEstimate.of(job, plan).finishSeconds();
        double bound = LowerBound.of(job).seconds();
        double wire = wireSeconds(job);
        rows.add(new SimulationRow(
                planner.name(),
                plan.strategy(),
                count,
                job.shards(),
                job.bytes(),
                job.frameBytes(),
                oversubscription,
                plan.depth(),
                (planned - start) / 1e9,
                wire,
                bound,
                predicted,
                seconds,
                seconds / wire,
                seconds / bound,
                predicted / seconds - 1,
                simulation.deliveries(),
                (System.nanoTime() - planned) / 1e9));
    }

    /** What all shards take over one link, the slowest by which a worker receives: S/B. */
    private static double wireSeconds(BroadcastJob job) {
        double slowest = Double.POSITIVE_INFINITY;
        for (int site = 0; site < job.sites(); site++) {
            slowest = job.hasWorkers(site) ? Math.min(slowest, job.downlink(site)) : slowest;
        }
        return job.bytes() / slowest;
    }

    private static void print(List<SimulationRow> rows, PrintWriter out) {
        if (rows.isEmpty()) {
            return;
        }
        SimulationRow first = rows.getFirst();
        out.printf(
                "%n%,d workers, %,d servers, %,d bytes%s; a link takes %.4g s, and no plan less than %.4g s%n",
                first.workers(),
                first.servers(),
                first.bytes(),
                first.racks(),
                first.wireSeconds(),
                first.boundSeconds());
        TextTable table = new TextTable(
                2,
                "shape",
                "planned",
                "depth",
                "seconds",
                "/ wire",
                "/ bound",
                "predicted",
                "error",
                "plan s",
                "run s");
        for (SimulationRow row : rows) {
            table.add(
                    row.shape(),
                    row.planned(),
                    TextTable.cell("%,d", row.depth()),
                    TextTable.cell("%.4f", row.seconds()),
                    TextTable.cell("%.3f", row.ratioToWire()),
                    TextTable.cell("%.3f", row.ratioToBound()),
                    TextTable.cell("%.4f", row.predictedSeconds()),
                    TextTable.cell("%+.1f %%", PERCENT * row.predictionError()),
                    TextTable.cell("%.3f", row.planSeconds()),
                    TextTable.cell("%.2f", row.simulationSeconds()));
        }
        table.print(out);
        out.flush();
    }
}
