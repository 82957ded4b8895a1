package io.sluice.perf.broadcast;

import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.console.UnavailableException;
import io.sluice.perf.cluster.Cluster;
import io.sluice.perf.cluster.Cost;
import io.sluice.perf.cluster.LabParameters;
import io.sluice.perf.cluster.Star;
import io.sluice.perf.experiment.Column;
import io.sluice.perf.experiment.Curves;
import io.sluice.perf.experiment.Experiment;
import io.sluice.perf.experiment.Layout;
import io.sluice.perf.experiment.Parameter;
import io.sluice.perf.experiment.Row;
import io.sluice.perf.experiment.Sample;
import io.sluice.perf.experiment.Scenario;
import io.sluice.perf.experiment.Settings;
import io.sluice.perf.experiment.TableSize;
import io.sluice.perf.report.TextTable;
import io.sluice.tree.planning.TreePlanners;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.agrona.CloseHelper;

/** Measures broadcasts by each planner of trees and by other systems. Each turn is a cluster of its own. */
public final class NetworkBroadcast extends Experiment<NetworkBroadcast.Variant> {
    private static final int MOST_BROADCASTS = 100;

    /** The time for which links must be idle, which is the length of a queue. */
    private static final long QUIET_NS = TimeUnit.MILLISECONDS.toNanos(200);

    private static final Parameter<List<Integer>> WORKERS =
            Parameter.whole("workers", 4, 2, Star.MAX_NODES).several().help("Workers");
    private static final Parameter<List<TableSize>> BYTES = Parameter.size("bytes", "32mib")
            .several()
            .help("Bytes of f32 parameters in one broadcast, spread over the servers");
    private static final Parameter<List<Double>> KEPT = Parameter.share("kept", 1)
            .several("1.0")
            .help("Share of the elements that the filter lets pass; peers have no filter");
    private static final Parameter<List<String>> TREE = LabParameters.trees("flat,chain,rotated:2,shared:2,stripes");
    private static final Parameter<Boolean> PEERS = Parameter.flag("peers")
            .help("Also measure ZeroMQ and gRPC, from each server to each worker, and Open MPI if it is installed,"
                    + " with its default and two other algorithms");
    private static final Parameter<Boolean> SIMULATE =
            Parameter.flag("simulate").help("Also simulate each broadcast by tree, and give the error");
    private static final Parameter<Integer> BROADCASTS =
            Parameter.whole("broadcasts", 2, 1, MOST_BROADCASTS).help("Measured broadcasts in each turn");
    private static final Parameter<Integer> WARMUP = Parameter.whole("warmup", 1, 0, MOST_BROADCASTS)
            .help("Warm-up broadcasts in each turn, which touch memory for the first time");

    public static final Scenario SCENARIO = new Scenario(
            "broadcast",
            List.of(
                    "Measures how long servers take to broadcast parameters to all workers, by each tree.",
                    "Times are also given as a multiple of S/B: the bytes divided by the rate of one link.",
                    "Needs Linux and root: each server and worker runs on a host of a network lab. The defaults take"
                            + " about three minutes."),
            2,
            LabParameters.and(NetworkBroadcast.class),
            new Layout(
                    NetworkBroadcast::title,
                    columns(),
                    List.of(
                            new Curves(
                                    "workers",
                                    row -> String.format(
                                            "broadcast of %.0f MB from %s servers over %s",
                                            row.number("bytes") / MEGA, row.text("servers"), links(row)),
                                    new Curves.Axis("workers", "workers", 1),
                                    new Curves.Axis("ratio_to_wire", "time / (S/B)", 1),
                                    NetworkBroadcast::curve,
                                    "udp_batch",
                                    "mtu"),
                            new Curves(
                                    "bytes",
                                    row -> "broadcast from " + row.text("servers") + " servers to "
                                            + row.text("workers") + " workers over " + links(row),
                                    new Curves.Axis("bytes", "MB of parameters", 1 / MEGA),
                                    new Curves.Axis("seconds", "seconds", 1),
                                    NetworkBroadcast::curve,
                                    "udp_batch",
                                    "mtu"))),
            NetworkBroadcast::new);

    private final List<Variant> variants = new ArrayList<>();
    private final Peers peers;
    private Cluster cluster;

    /** A shape, which is a planner of trees or the name of another system; {@code kept} is 1 without a filter. */
    record Variant(Star star, BroadcastPlan plan, String shape, double kept, boolean peer) {}

    private NetworkBroadcast(Settings settings) {
        super(settings);
        peers = get(PEERS) ? Peers.find().orElseThrow(() -> new UnavailableException(Peers.NOT_BUILT)) : null;
        get(TREE).forEach(TreePlanners::named);
        for (TableSize size : get(BYTES)) {
            for (int workers : get(WORKERS)) {
                LabParameters.stars(settings, get(LabParameters.SERVERS), workers)
                        .forEach(star -> addVariants(star, size.elements()));
            }
        }
    }

    private void addVariants(Star star, long elements) {
        BroadcastPlan plan = new BroadcastPlan(star.servers(), star.workers(), elements, get(WARMUP), get(BROADCASTS));
        for (double kept : get(KEPT)) {
            get(TREE).forEach(tree -> variants.add(new Variant(star, plan, tree, kept, false)));
        }
        for (String shape : peers == null ? List.<String>of() : peers.shapes()) {
            variants.add(new Variant(star, plan, shape, 1, true));
        }
    }

    private static List<Column> columns() {
        return Column.list(
                Column.fact("shape").shown("shape"),
                Column.facts("workers", "servers", "bytes", "rate"),
                Column.fact("mtu").shown("mtu"),
                Column.fact("udp_batch").shown("udp"),
                Column.fact("kept").shownShort("kept"),
                Column.median("seconds")
                        .shown("seconds", "%.3f")
                        .note("from the last push that servers wait for until the last worker has applied all"),
                Column.quartiles("seconds", "%.3f", 1),
                Column.derived("ratio_to_wire", row -> row.number("seconds") / wireSeconds(row))
                        .shown("/ S/B", "%.2f")
                        .note("seconds relative to the time of the bytes alone on one link; headers make it at least"
                                + " 1.05"),
                Column.median("cpu_seconds"),
                Column.median("max_uplink_bytes").whole(),
                Column.quotient("uplink_ratio", "max_uplink_bytes", "bytes")
                        .shown("uplink / S", "%.2f")
                        .note("maximum of the bytes that one host sent, headers included, relative to the bytes"),
                Column.median("wire_bytes", "bytes_on_wire").whole().shown("wire MB", "%,.1f", 1 / MEGA),
                Column.shownOnly("cpu_seconds", "cpu s", "%.2f", 1)
                        .note("of all nodes and media drivers, which are threads of this process"),
                Cost.columns(),
                Column.count("broadcasts", "seconds"),
                Column.median("simulated_seconds").shown("simulated", "%.3f"),
                Column.derived("simulation_error", row -> row.number("simulated_seconds") / row.number("seconds") - 1)
                        .shown("error", "%+.1f %%", 100));
    }

    private static double wireSeconds(Row row) {
        return row.number("bytes") * Byte.SIZE / row.number("rate");
    }

    private static String links(Row row) {
        return "links of " + row.mbit("rate");
    }

    private static String curve(Row row) {
        String kept = row.number("kept") < 1 ? ", kept " + TextTable.share(row.number("kept")) : "";
        return row.text("shape") + kept;
    }

    private static String title(Row row) {
        return String.format(
                "%.1f MB from %s servers to %s workers over %s: S/B is %.3f s",
                row.number("bytes") / MEGA, row.text("servers"), row.text("workers"), links(row), wireSeconds(row));
    }

    @Override
    public List<Variant> variants() {
        return variants;
    }

    @Override
    public String introduction() {
        return variants.getFirst().star().conditions();
    }

    @Override
    public List<Sample> measure(Variant variant) throws IOException, InterruptedException {
        BroadcastPlan plan = variant.plan();
        if (cluster == null || !cluster.serves(variant.star())) {
            CloseHelper.close(cluster);
            cluster = Cluster.build(variant.star());
        }
        List<Broadcast> all = variant.peer() ? peers.over(variant.shape(), cluster, plan) : byTree(variant);
        List<Sample> samples = new ArrayList<>();
        for (Broadcast broadcast : all.subList(plan.warmup(), all.size())) {
            Sample sample = sample(variant, broadcast)
                    .fact("udp_batch", cluster.udpBatch().text());
            if (get(SIMULATE) && !variant.peer() && variant.kept() == 1) { // the simulator has no filters
                int slice = variant.star().terms().build().sliceElements();
                double seconds = LabSimulation.seconds(variant.star(), plan.bytes(), variant.shape(), slice);
                sample.figure("simulated_seconds", seconds);
            }
            samples.add(sample);
        }
        return samples;
    }

    static Sample sample(Variant variant, Broadcast broadcast) {
        return broadcast
                .cost()
                .addTo(new Sample()
                        .fact("shape", variant.shape())
                        .fact("workers", variant.star().workers())
                        .fact("servers", variant.star().servers())
                        .fact("bytes", variant.plan().bytes())
                        .fact("rate", variant.star().rate())
                        .fact("mtu", variant.star().mtu())
                        .fact("kept", variant.kept())
                        .figure("seconds", broadcast.seconds()));
    }

    private List<Broadcast> byTree(Variant variant) throws IOException, InterruptedException {
        BroadcastPlan plan = variant.plan();
        ClusterSettings terms = variant.star()
                .terms()
                .filter(variant.kept() < 1 ? BroadcastTask.FILTER : "none")
                .tree(variant.shape())
                .build();
        BroadcastTask task =
                new BroadcastTask(plan.elements(), variant.kept(), plan.trials(), terms.sliceElements(), QUIET_NS);
        return BroadcastTask.broadcasts(cluster.run(terms, plan.trials(), task));
    }

    @Override
    public List<String> conclusions(List<Row> rows) {
        return peers == null || peers.missing() == null ? List.of() : List.of(peers.missing());
    }

    @Override
    public void close() {
        CloseHelper.closeAll(cluster, peers);
    }
}
