package io.sluice.perf.broadcast;

import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.TransportKind;
import io.sluice.perf.cluster.Cluster;
import io.sluice.perf.experiment.Column;
import io.sluice.perf.experiment.Experiment;
import io.sluice.perf.experiment.Layout;
import io.sluice.perf.experiment.Parameter;
import io.sluice.perf.experiment.Row;
import io.sluice.perf.experiment.Sample;
import io.sluice.perf.experiment.Scenario;
import io.sluice.perf.experiment.Settings;
import io.sluice.perf.experiment.TableSize;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Measures broadcasts over shared memory: one server writes a log that all workers read in place. */
public final class OneHostBroadcast extends Experiment<OneHostBroadcast.Variant> {
    private static final int MOST_BROADCASTS = 10_000;
    private static final long QUIET_NS = TimeUnit.MILLISECONDS.toNanos(4);
    private static final String OURS = "sluice ipc";
    private static final String OPEN_MPI = "openmpi shared memory";
    private static final Parameter<List<Integer>> WORKERS =
            Parameter.whole("workers", 1, 1, 64).several("1,3,7").help("Workers");
    private static final Parameter<List<TableSize>> BYTES =
            Parameter.size("bytes", "4mib").several("4mib,64mib").help("Bytes of f32 parameters in one broadcast");
    private static final Parameter<Integer> BROADCASTS =
            Parameter.whole("broadcasts", 15, 1, MOST_BROADCASTS).help("Measured broadcasts in each turn");
    private static final Parameter<Integer> WARMUP =
            Parameter.whole("warmup", 15, 0, MOST_BROADCASTS).help("Warm-up broadcasts in each turn");

    public static final Scenario SCENARIO = new Scenario(
            "one-host",
            List.of(
                    "Measures how long a server takes to broadcast parameters to all workers of its own host.",
                    "They use shared memory. Open MPI is measured too where it is built and installed.",
                    "Servers and workers are threads of this process, ranks of Open MPI are processes."),
            2,
            Parameter.declaredBy(OneHostBroadcast.class),
            new Layout(
                    row -> "broadcasts over shared memory",
                    Column.list(
                            Column.fact("shape").shown("way"),
                            Column.fact("workers").shownShort("workers"),
                            Column.fact("servers"),
                            Column.fact("bytes").shown("MB", "%.1f", 1e-6),
                            Column.median("seconds")
                                    .shown("ms", "%.2f", 1e3)
                                    .note("from the call of the last push of the round until the last worker has"
                                            + " added all"),
                            Column.quartiles("seconds", "%.2f", 1e3),
                            Column.derived(
                                            "delivered_per_second",
                                            row -> row.number("bytes") * row.number("workers") / row.number("seconds"))
                                    .shown("GB/s delivered", "%.1f", 1e-9),
                            Column.relative("ratio_to_mpi", "seconds", row -> !isOurs(row), "workers", "bytes")
                                    .shown("/ Open MPI", "%.2f"),
                            // The system counts the time of a process in steps of several milliseconds.
                            Column.mean("cpu_seconds", "cpu_seconds")
                                    .shown("cpu ms", "%.1f", 1e3)
                                    .note("of all nodes and the media driver, or of all ranks"),
                            Column.count("broadcasts", "seconds"))),
            OneHostBroadcast::new);

    private final Peers peers = Peers.find().orElse(null);
    private final String missing = peers == null ? Peers.NOT_BUILT : peers.missing();
    private Cluster host;

    record Variant(BroadcastPlan plan, boolean ofMpi) {}

    private OneHostBroadcast(Settings settings) {
        super(settings);
    }

    private static boolean isOurs(Row row) {
        return row.text("shape").equals(OURS);
    }

    @Override
    public List<Variant> variants() {
        List<Variant> variants = new ArrayList<>();
        for (TableSize size : get(BYTES)) {
            for (int workers : get(WORKERS)) {
                BroadcastPlan plan = new BroadcastPlan(1, workers, size.elements(), get(WARMUP), get(BROADCASTS));
                variants.add(new Variant(plan, false));
                if (missing == null) {
                    variants.add(new Variant(plan, true));
                }
            }
        }
        return variants;
    }

    @Override
    public void open() {
        int most = get(WORKERS).stream().max(Integer::compare).orElseThrow();
        host = closing(Cluster.onThisHost(2 * nodes(most), TransportKind.IPC));
        if (peers != null) {
            closing(peers);
        }
    }

    /** Number of workers of a cluster: one pushes the update, another one starts the broadcast. */
    private static int nodes(int workers) {
        return Math.max(2, workers);
    }

    @Override
    public List<Sample> measure(Variant variant) throws IOException, InterruptedException {
        BroadcastPlan plan = variant.plan();
        List<Broadcast> all = variant.ofMpi() ? peers.overSharedMemory(plan) : overSharedMemory(plan);
        return all.subList(plan.warmup(), all.size()).stream()
                .map(broadcast -> new Sample()
                        .fact("shape", variant.ofMpi() ? OPEN_MPI : OURS)
                        .fact("workers", plan.workers())
                        .fact("servers", 1)
                        .fact("bytes", plan.bytes())
                        .figure("seconds", broadcast.seconds())
                        .figure("cpu_seconds", broadcast.cost().cpuSeconds()))
                .toList();
    }

    private List<Broadcast> overSharedMemory(BroadcastPlan plan) throws IOException, InterruptedException {
        ClusterSettings terms = Cluster.terms(1, nodes(plan.workers())).build();
        BroadcastTask task = new BroadcastTask(plan.elements(), 1, plan.trials(), terms.sliceElements(), QUIET_NS);
        return BroadcastTask.broadcasts(host.run(terms, plan.trials(), task));
    }

    @Override
    public List<String> conclusions(List<Row> rows) {
        List<String> notes = new ArrayList<>();
        if (get(WORKERS).contains(1)) {
            notes.add(
                    "With --workers 1, Sluice runs a second worker, which starts the broadcast and also receives it.");
        }
        if (missing != null) {
            notes.add(missing);
        }
        return notes;
    }
}
