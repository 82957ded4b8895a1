package io.sluice.perf.failure;

import io.sluice.consistency.snapshot.SnapshotInterval;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.TransportKind;
import io.sluice.consistency.worker.Table;
import io.sluice.consistency.worker.Worker;
import io.sluice.console.UnavailableException;
import io.sluice.messaging.counters.CounterType;
import io.sluice.perf.cluster.Cluster;
import io.sluice.perf.cluster.Rendezvous;
import io.sluice.perf.cluster.Replica;
import io.sluice.perf.experiment.Column;
import io.sluice.perf.experiment.Experiment;
import io.sluice.perf.experiment.Layout;
import io.sluice.perf.experiment.Parameter;
import io.sluice.perf.experiment.Row;
import io.sluice.perf.experiment.Sample;
import io.sluice.perf.experiment.Scenario;
import io.sluice.perf.experiment.Settings;
import io.sluice.perf.report.TextTable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Measures the cost of snapshots per clock and the bytes written; each turn is a cluster on this host. */
public final class Snapshots extends Experiment<Snapshots.Variant> {
    private static final int LIVENESS_MS = 20_000;
    private static final String NONE = "none";

    /** Maximum number of consecutive increments. */
    private static final int MANY = 31;

    private static final int LINKS = 16;
    private static final int WARM_PARAMS = 500_000;
    private static final int WARM_CLOCKS = 300;
    private static final int MOST_CLOCKS = 10_000;
    static final Parameter<Integer> PARAMS =
            Parameter.whole("params", 4_000_000, 10_000, 1 << 27).help("Parameters of the model, on each server");
    static final Parameter<Integer> INTERVAL =
            Parameter.whole("interval", 8, 1, MOST_CLOCKS).help("Clocks between two snapshots");
    static final Parameter<Double> CHANGED = Parameter.share("changed", 0.1)
            .help("Share of the parameters, in blocks of 4 KiB, that training changes; 1 is a dense model");
    private static final Parameter<Integer> WORKERS =
            Parameter.whole("workers", 2, 1, 16).help("Workers");
    private static final Parameter<Integer> CLOCKS =
            Parameter.whole("clocks", 40, 2, MOST_CLOCKS).help("Measured clocks in each turn, after one warm-up clock");

    public static final Scenario SCENARIO = new Scenario(
            "snapshots",
            List.of(
                    "Measures by how much snapshots lengthen the clocks of a training run, and what they write.",
                    "One server and the workers, which compute nothing, are threads of this process.",
                    "Variants: no snapshots; snapshots at the default interval, which is chosen from their measured"
                            + " cost; whole snapshots every --interval clocks; and increments every --interval"
                            + " clocks."),
            2,
            Parameter.declaredBy(Snapshots.class, SnapshotFolder.PARENT),
            new Layout(Snapshots::title, columns()),
            Snapshots::new);

    private Integer replicaHash;

    /**
     * A way to take snapshots; {@code interval} has the form of {@code --snapshot-every}, or is {@code null} for none.
     */
    record Variant(String name, String interval, int increments) {}

    private Snapshots(Settings settings) {
        super(settings);
        new SnapshotFolder(settings).close(); // refuses one that cannot be written to
    }

    private static List<Column> columns() {
        return Column.list(
                Column.fact("way").shown("snapshots"),
                Column.fact("interval").shown("every"),
                Column.facts("params", "workers", "changed"),
                Column.count("clocks", "seconds"),
                Column.mean("seconds", "seconds").shown("s/clock", "%.3f"),
                Column.median("seconds_median", "seconds").shown("median", "%.3f"),
                Column.max("seconds_longest", "seconds").shown("longest", "%.3f"),
                Column.relative("ratio_to_none", "seconds", Snapshots::isNone).shown("/ none", "%.3f"),
                Column.sum("snapshots").whole().shown("taken", "%,.0f"),
                Column.sum("bytes").whole(),
                Column.sum("copy_seconds"),
                Column.quotient("bytes_per_snapshot", "bytes", "snapshots")
                        .shown("MB each", "%.1f", 1e-6)
                        .note("of all nodes"),
                Column.quotient("stand_still_seconds", "copy_seconds", "snapshots")
                        .shown("still ms", "%.1f", 1e3)
                        .note("pause for copying per snapshot, at the node with the longest"),
                Column.max("taking_seconds", "taking_seconds")
                        .shown("taking s", "%.2f")
                        .note("from the first copy until all is on disk, at the slowest node"),
                Column.derived("interval_seconds", Snapshots::young)
                        .shown("interval s", "%.0f")
                        .note("that auto derives from this, with one failure a day (Young)"),
                Column.derived(
                                "added_at_interval",
                                (row, rows) -> Math.max(
                                                0,
                                                row.number("seconds")
                                                        - row.partner(rows, Snapshots::isNone)
                                                                .number("seconds"))
                                        * row.number("clocks")
                                        / row.number("snapshots")
                                        / row.number("interval_seconds"))
                        .shown("adds %", "%.3f", PERCENT)
                        .note("total delay of clocks by one snapshot, as a share of that interval"),
                Column.fact("identical"));
    }

    private static boolean isNone(Row row) {
        return row.text("way").equals(NONE);
    }

    private static double young(Row row) {
        return row.has("taking_seconds")
                ? SnapshotInterval.parse("auto").optimumNs((long) (row.number("taking_seconds") * NS)) / NS
                : Double.NaN;
    }

    private static String title(Row row) {
        return String.format(
                "%,.0f parameters, 1 server, %s workers, %s of the parameters change",
                row.number("params"), row.text("workers"), TextTable.share(row.number("changed")));
    }

    @Override
    public List<Variant> variants() {
        String every = "" + get(INTERVAL);
        return List.of(
                new Variant(NONE, null, 0),
                new Variant("auto", "auto", MANY),
                new Variant("whole", every, 0),
                new Variant("increments", every, MANY));
    }

    /** Trains a small model first, so that the code is compiled. */
    @Override
    public void open() throws IOException, InterruptedException {
        int params = Math.min(get(PARAMS), WARM_PARAMS);
        train(variants().getLast(), params, WARM_CLOCKS);
    }

    /**
     * Trains once.
     *
     * @throws UnavailableException if a node fails, or parameters differ between turns
     */
    @Override
    public List<Sample> measure(Variant variant) throws IOException, InterruptedException {
        Seen seen = train(variant, get(PARAMS), get(CLOCKS));
        if (replicaHash != null && replicaHash != seen.hash()) {
            throw new UnavailableException("parameters differ between runs with snapshots and without");
        }
        replicaHash = seen.hash();
        return List.of(seen.sample()
                .fact("way", variant.name())
                .fact("interval", variant.interval())
                .fact("identical", true));
    }

    /** The measurements of worker 0, and the hash of its final replica. */
    private record Seen(Sample sample, int hash) {}

    private Seen train(Variant variant, int params, int clocks) throws IOException, InterruptedException {
        ClusterSettings terms = ClusterSettings.builder()
                .servers(1)
                .workers(get(WORKERS))
                .filter(PartialUpdates.FILTER)
                .livenessMs(LIVENESS_MS)
                .build();
        PartialUpdates updates = new PartialUpdates(params, get(CHANGED));
        try (Cluster host = Cluster.onThisHost(LINKS, TransportKind.IPC);
                SnapshotFolder space = new SnapshotFolder(settings)) {
            return host.run(
                            terms,
                            1,
                            server -> {
                                if (variant.interval() != null) {
                                    server.snapshots(space.path()).snapshotIncrements(variant.increments());
                                    server.takeSnapshots(variant.interval(), false);
                                }
                            },
                            worker -> {
                                if (variant.interval() != null) {
                                    worker.snapshots(space.path()).snapshotIncrements(variant.increments());
                                }
                            },
                            (worker, rendezvous) ->
                                    train(worker, rendezvous, updates.update(), clocks, host.directory()))
                    .seen()
                    .getFirst();
        }
    }

    private static Seen train(Worker worker, Rendezvous rendezvous, float[] update, int clocks, Path driver)
            throws InterruptedException {
        Table table = worker.table("model", 1, update.length);
        worker.start(PartialUpdates::initial);
        double[] seconds = new double[clocks];
        for (int clock = -1; clock < clocks; clock++) {
            long startNs = System.nanoTime();
            table.sync();
            table.update(update);
            worker.clock();
            if (clock >= 0) {
                seconds[clock] = (System.nanoTime() - startNs) / NS;
            }
        }
        worker.drain();
        rendezvous.await();
        rendezvous.await();
        Seen seen = 0 == worker.index() ? new Seen(costs(driver, seconds), Replica.hash(table)) : null;
        rendezvous.await(); // counters end with their nodes
        rendezvous.await();
        return seen;
    }

    private static Sample costs(Path driver, double[] seconds) throws InterruptedException {
        NodeCosts.awaitQuiet(driver);
        Map<String, Long> saved = NodeCosts.of(driver, CounterType.NODE_SNAPSHOTS);
        Map<String, Long> taking = NodeCosts.of(driver, CounterType.NODE_SNAPSHOT_TIME);
        Map<String, Long> copies = NodeCosts.of(driver, CounterType.NODE_SNAPSHOT_COPY_TIME);
        Map<String, Long> bytes = NodeCosts.of(driver, CounterType.NODE_SNAPSHOT_BYTES);
        long fewest = saved.values().stream().mapToLong(Long::longValue).min().orElse(0);
        Sample sample = new Sample().figure("seconds", seconds).figure("snapshots", fewest);
        if (fewest == 0) {
            return sample;
        }
        double longest = taking.entrySet().stream()
                .filter(node -> saved.getOrDefault(node.getKey(), 0L) > 0)
                .mapToDouble(node -> node.getValue() / NS / saved.get(node.getKey()))
                .max()
                .orElse(0);
        return sample.figure(
                        "bytes",
                        bytes.values().stream().mapToLong(Long::longValue).sum())
                .figure(
                        "copy_seconds",
                        copies.values().stream()
                                        .mapToLong(Long::longValue)
                                        .max()
                                        .orElse(0)
                                / NS)
                .figure("taking_seconds", longest);
    }
}
