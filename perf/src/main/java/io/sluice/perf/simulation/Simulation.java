package io.sluice.perf.simulation;

import io.sluice.messaging.ByteSize;
import io.sluice.messaging.Latency;
import io.sluice.messaging.LinkRate;
import io.sluice.perf.experiment.Column;
import io.sluice.perf.experiment.Curves;
import io.sluice.perf.experiment.Experiment;
import io.sluice.perf.experiment.Layout;
import io.sluice.perf.experiment.Parameter;
import io.sluice.perf.experiment.Row;
import io.sluice.perf.experiment.Sample;
import io.sluice.perf.experiment.Scenario;
import io.sluice.perf.experiment.Settings;
import io.sluice.tree.planning.LowerBound;
import io.sluice.tree.planning.Placement;
import io.sluice.tree.planning.PlanEstimate;
import io.sluice.tree.planning.RackNetwork;
import io.sluice.tree.planning.TreePlanners;
import io.sluice.tree.spi.BroadcastJob;
import io.sluice.tree.spi.Forest;
import io.sluice.tree.spi.TreePlanner;
import io.sluice.tree.topology.Topology;
import io.sluice.tree.topology.TopologyFile;
import java.io.IOException;
import java.nio.file.Path;
import java.text.DecimalFormat;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Simulates broadcasts to more hosts than this machine has, frame by frame. */
public final class Simulation extends Experiment<Simulation.Case> {
    private static final int MOST_WORKERS = 90_000;
    private static final long MOST_BYTES = 1L << 40;
    private static final int MOST_FRAME = 1 << 30;
    private static final long MOST_FRAMES = 200_000_000;
    private static final int RACKS_OF_AN_AGGREGATION = 16;
    private static final Parameter<List<Integer>> WORKERS = Parameter.whole("workers", 8, 1, MOST_WORKERS)
            .several("8,32,128,512,2048,10000")
            .help("Workers, one on each host; by default those that the topology file places, if any");
    private static final Parameter<Integer> SERVERS = Parameter.whole("servers", 2, 1, 1_000)
            .help("Servers; by default those that the topology file places, if any");
    private static final Parameter<Long> BYTES = Parameter.of(
                    "bytes", "BYTES", "64MiB", (option, text) -> ByteSize.parse(option, text, MOST_BYTES))
            .help("Bytes of a broadcast, all servers together");
    private static final Parameter<Long> FRAME = Parameter.of(
                    "frame", "BYTES", "64KiB", (option, text) -> ByteSize.parse(option, text, MOST_FRAME))
            .help("Bytes of a frame, which a relay receives as a whole before it forwards it");
    private static final Parameter<List<TreePlanner>> TREE = Parameter.of(
                    "tree", "NAME", null, (option, text) -> TreePlanners.named(text))
            .several(";", "flat;shared:2;rotated:2;chain;stripes;auto")
            .help("Strategies, with semicolons between");
    private static final Parameter<Long> RATE =
            Parameter.of("rate", "RATE", "1gbit", LinkRate::parse).help("Rate of each host's link");
    private static final Parameter<Double> LATENCY =
            Parameter.of("latency", "TIME", "50us", Latency::parse).help("Latency from host to host");
    private static final Parameter<Integer> RACK = Parameter.whole("rack", 40, 1, MOST_WORKERS)
            .help("Hosts of a rack; 16 racks are under one aggregation switch");
    private static final Parameter<List<Double>> OVERSUBSCRIPTION = Parameter.number(
                    "oversubscription", 1, times -> times >= 0 && times <= 1_000, "0 to 1000")
            .several()
            .help("Rate of all hosts of a rack divided by that of its uplink; 0 for an unlimited uplink");
    private static final Parameter<Path> TOPOLOGY = Parameter.path("topology", "FILE")
            .help("Network, in YAML, instead of racks of equal hosts, and where servers and workers are; without"
                    + " 'bandwidth'. docs/reference.md has the format");

    public static final Scenario SCENARIO = new Scenario(
            "simulate",
            List.of(
                    "Simulates broadcasts frame by frame over networks of up to 100,000 hosts, by each tree.",
                    "Links serve frames first come, first served; no loss, no headers, no bounds of buffers."),
            1,
            Parameter.declaredBy(Simulation.class),
            new Layout(
                    row -> String.format(
                            "%,.0f workers, %,.0f servers, %,.0f bytes%s; a link takes %.4g s, and no plan less than"
                                    + " %.4g s",
                            row.number("workers"),
                            row.number("servers"),
                            row.number("bytes"),
                            racks(row),
                            row.number("wire_seconds"),
                            row.number("bound_seconds")),
                    columns(),
                    List.of(new Curves(
                                    "workers",
                                    row -> String.format(
                                            "Broadcasts of %s servers, simulated%s", row.text("servers"), racks(row)),
                                    new Curves.Axis("workers", "workers", 1),
                                    new Curves.Axis("ratio_to_wire", "time relative to one link (S/B)", 1),
                                    row -> row.text("shape"))
                            .in(row -> row.has("oversubscription") ? whole(row.number("oversubscription")) : ""))),
            Simulation::new);

    private final TopologyFile described;
    private final List<String> leftOut = new ArrayList<>();

    /**
     * A broadcast.
     *
     * @param oversubscription oversubscription of racks; {@code null} where a file describes the network
     */
    record Case(int workers, Double oversubscription, TreePlanner planner) {
        @Override
        public String toString() {
            return planner.name() + " to " + workers + " workers";
        }
    }

    private Simulation(Settings settings) throws IOException {
        super(settings);
        Path file = get(TOPOLOGY);
        described = file == null ? null : TopologyFile.read(file);
        if (described != null && described.topology().measuredPairs() > 0) {
            throw new IllegalArgumentException("--topology " + file + " has a 'bandwidth' of "
                    + described.topology().measuredPairs() + " pairs of hosts, expected none: the simulation has"
                    + " links and switches only");
        }
        for (int workers : workers()) {
            if (get(BYTES) < servers() || get(BYTES) / get(FRAME) > MOST_FRAMES / workers) {
                throw new IllegalArgumentException("--bytes is " + get(BYTES) + " in frames of " + get(FRAME)
                        + " to " + workers + " workers, expected a byte for each server or more, and up to "
                        + MOST_FRAMES + " deliveries");
            }
        }
    }

    private static List<Column> columns() {
        return Column.list(
                Column.fact("shape").shown("shape"),
                Column.fact("planned").shown("planned"),
                Column.facts("workers", "servers", "bytes", "frame_bytes", "oversubscription"),
                Column.fact("depth").shown("depth", "%,.0f"),
                Column.facts("wire_seconds", "bound_seconds"),
                Column.median("seconds").shown("seconds", "%.4f"),
                Column.quotient("ratio_to_wire", "seconds", "wire_seconds").shown("/ wire", "%.3f"),
                Column.quotient("ratio_to_bound", "seconds", "bound_seconds").shown("/ bound", "%.3f"),
                Column.median("predicted_seconds").shown("predicted", "%.4f"),
                Column.derived("prediction_error", row -> row.number("predicted_seconds") / row.number("seconds") - 1)
                        .shown("error", "%+.1f %%", PERCENT),
                Column.median("frames").whole(),
                Column.median("plan_seconds").shown("plan s", "%.3f"),
                Column.median("simulation_seconds").shown("run s", "%.2f"));
    }

    private static String whole(double value) {
        return new DecimalFormat("0.###").format(value);
    }

    /** The racks, as the end of a sentence; empty without racks. */
    private static String racks(Row row) {
        return row.number("oversubscription") > 0
                ? ", racks oversubscribed " + whole(row.number("oversubscription")) + ":1"
                : "";
    }

    private boolean placesServers() {
        return described != null
                && !settings.isGiven(SERVERS)
                && !described.servers().isEmpty();
    }

    private boolean placesWorkers() {
        return described != null
                && !settings.isGiven(WORKERS)
                && !described.workers().isEmpty();
    }

    private int servers() {
        return placesServers() ? described.servers().size() : get(SERVERS);
    }

    private List<Integer> workers() {
        return placesWorkers() ? List.of(described.workers().size()) : get(WORKERS);
    }

    @Override
    public List<Case> variants() {
        List<Case> cases = new ArrayList<>();
        List<Double> racks = described == null ? get(OVERSUBSCRIPTION) : Collections.singletonList(null);
        for (Double oversubscription : racks) {
            for (int workers : workers()) {
                get(TREE).forEach(planner -> cases.add(new Case(workers, oversubscription, planner)));
            }
        }
        return cases;
    }

    private BroadcastJob job(Case broadcast) {
        Topology topology = described != null
                ? described.topology()
                : new RackNetwork(
                                broadcast.workers() + servers(),
                                get(RACK),
                                RACKS_OF_AN_AGGREGATION,
                                get(RATE) / (double) Byte.SIZE,
                                broadcast.oversubscription(),
                                get(LATENCY))
                        .topology();
        Placement placement = Placement.spread(topology, servers(), broadcast.workers());
        return new BroadcastJob(
                topology,
                placesServers() ? numbers(described.servers()) : placement.servers(),
                placesWorkers() ? numbers(described.workers()) : placement.workers(),
                Placement.shards(get(BYTES), servers()),
                Math.toIntExact(get(FRAME)),
                1);
    }

    private static int[] numbers(List<Integer> hosts) {
        return hosts.stream().mapToInt(Integer::intValue).toArray();
    }

    @Override
    public List<Sample> measure(Case broadcast) {
        BroadcastJob job = job(broadcast);
        long startNs = System.nanoTime();
        Forest plan;
        try {
            plan = broadcast.planner().plan(job);
        } catch (IllegalArgumentException e) {
            leftOut.add("left out: " + e.getMessage());
            return List.of();
        }
        long plannedNs = System.nanoTime();
        BroadcastSimulation simulation = new BroadcastSimulation(job, plan);
        double seconds = simulation.run();
        long endNs = System.nanoTime();
        return List.of(new Sample()
                .fact("shape", broadcast.planner().name())
                .fact("planned", plan.strategy())
                .fact("workers", broadcast.workers())
                .fact("servers", job.shards())
                .fact("bytes", job.bytes())
                .fact("frame_bytes", job.frameBytes())
                .fact("oversubscription", broadcast.oversubscription())
                .fact("depth", plan.depth())
                .fact("wire_seconds", wireSeconds(job))
                .fact("bound_seconds", LowerBound.of(job).seconds())
                .figure("seconds", seconds)
                .figure("predicted_seconds", PlanEstimate.of(job, plan).finishSeconds())
                .figure("frames", simulation.deliveries())
                .figure("plan_seconds", (plannedNs - startNs) / NS)
                .figure("simulation_seconds", (endNs - plannedNs) / NS));
    }

    /** S/B: the transfer time of all shards over the slowest receiving link of a worker. */
    private static double wireSeconds(BroadcastJob job) {
        double slowest = Double.POSITIVE_INFINITY;
        for (int site = 0; site < job.sites(); site++) {
            slowest = job.hasWorkers(site) ? Math.min(slowest, job.downlink(site)) : slowest;
        }
        return job.bytes() / slowest;
    }

    @Override
    public List<String> conclusions(List<Row> rows) {
        return leftOut.stream().distinct().toList();
    }
}
