package io.sluice.perf.failure;

import io.sluice.consistency.server.Server;
import io.sluice.consistency.server.ServerContext;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.DeathPolicy;
import io.sluice.consistency.terms.TransportKind;
import io.sluice.consistency.worker.Table;
import io.sluice.consistency.worker.Worker;
import io.sluice.console.UnavailableException;
import io.sluice.perf.cluster.Cluster;
import io.sluice.perf.cluster.HostTasks;
import io.sluice.perf.experiment.Column;
import io.sluice.perf.experiment.Experiment;
import io.sluice.perf.experiment.Layout;
import io.sluice.perf.experiment.Parameter;
import io.sluice.perf.experiment.Row;
import io.sluice.perf.experiment.Sample;
import io.sluice.perf.experiment.Scenario;
import io.sluice.perf.experiment.Settings;
import io.sluice.perf.nodes.NodeProcess;
import io.sluice.perf.nodes.NodeTask;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * Measures the recovery time of a server that was killed under {@link DeathPolicy#WAIT}. Two servers share the
 * parameters; one of them is a process of its own.
 */
public final class Recovery extends Experiment<String> {
    private static final String VICTIM = "server 1";
    private static final int NODES = 3;
    private static final int LINKS = 16;

    /**
     * Heap of a node in MB, which also limits buffers off the heap: frames retained for workers may take a gigabyte.
     */
    private static final int HEAP_MB = 4_096;

    /** Time within which frames in flight at the kill arrive; a process takes longer to start. */
    private static final long SETTLE_MS = 150;

    public static final Scenario SCENARIO = new Scenario(
            "recovery",
            List.of(
                    "Measures how long a server that is killed takes to serve again, from its snapshot.",
                    "One of two servers is a process and is killed (-9); the other one and a worker that computes"
                            + " nothing are threads of this process."),
            1,
            Parameter.declaredBy(
                    Recovery.class, Snapshots.PARAMS, Snapshots.INTERVAL, Snapshots.CHANGED, SnapshotFolder.PARENT),
            new Layout(
                    Recovery::title,
                    Column.list(
                            Column.fact("way").shown("way"),
                            Column.facts("params", "changed", "interval"),
                            Column.median("killed_at").whole().shown("killed at clock", "%,.0f"),
                            Column.median("seconds")
                                    .shown("seconds", "%.2f")
                                    .note("from the start of its process until the next clock is complete"),
                            Column.max("seconds_longest", "seconds").shown("longest", "%.2f"),
                            Column.median("seconds_since_kill").shown("since kill", "%.2f"))),
            Recovery::new);

    private final int params;
    private final int every;
    private final double changed;
    private NodeProcess victim;
    private volatile boolean enough;
    private volatile long version;
    private volatile long versionNs;

    private Recovery(Settings settings) {
        super(settings);
        params = get(Snapshots.PARAMS);
        every = get(Snapshots.INTERVAL);
        changed = get(Snapshots.CHANGED);
        new SnapshotFolder(settings).close(); // refuses one that cannot be written to
    }

    private static String title(Row row) {
        return String.format(
                "a server with %,.0f parameters is killed, with a snapshot every %s clocks",
                row.number("params"), row.text("interval"));
    }

    @Override
    public List<String> variants() {
        return List.of("recovery");
    }

    /**
     * Kills the server once.
     *
     * @throws UnavailableException if a node fails, or the server does not rejoin
     */
    @Override
    public List<Sample> measure(String way) throws IOException, InterruptedException {
        PartialUpdates updates = new PartialUpdates(2 * params, changed);
        ClusterSettings terms = ClusterSettings.builder()
                .servers(2)
                .workers(1)
                .filter(PartialUpdates.FILTER)
                .onDeath(DeathPolicy.WAIT)
                .build();
        enough = false;
        version = 0;
        Sample sample = new Sample().fact("way", way);
        try (Cluster host = Cluster.onThisHost(LINKS, TransportKind.IPC);
                SnapshotFolder space = new SnapshotFolder(settings)) {
            try {
                host.runWithCallerTask(
                        terms,
                        VICTIM,
                        server -> server.snapshots(space.path()).takeSnapshots(Integer.toString(every), false),
                        worker -> worker.snapshots(space.path()),
                        (worker, _) -> train(worker, updates.update()),
                        (tasks, cluster) ->
                                kill(tasks, new Serve(cluster, "" + host.directory(), "" + space.path()), sample));
            } finally {
                if (victim != null) {
                    victim.kill();
                }
            }
        }
        return List.of(sample);
    }

    private void kill(HostTasks tasks, Serve serve, Sample sample) throws IOException, InterruptedException {
        Path driver = Path.of(serve.driver());
        victim = serve.start();
        tasks.await("two snapshots are saved", () -> NodeCosts.snapshots(driver, NODES) >= 2 && version > every);
        long killedNs = System.nanoTime();
        victim.kill();
        long startedNs = System.nanoTime();
        victim = serve.start();
        Thread.sleep(SETTLE_MS);
        long before = version;
        tasks.await("the server has rejoined", () -> version > before);
        sample.figure("killed_at", before)
                .figure("seconds", (versionNs - startedNs) / NS)
                .figure("seconds_since_kill", (versionNs - killedNs) / NS);
        enough = true;
    }

    /** The server that is killed, until the cluster ends. */
    private record Serve(String cluster, String driver, String folder) implements NodeTask<Boolean> {
        NodeProcess start() throws IOException {
            NodeProcess process = NodeProcess.local("the server", HEAP_MB, List.of());
            process.order(this);
            return process;
        }

        @Override
        public Boolean run() {
            ServerContext context = new ServerContext()
                    .cluster(cluster)
                    .aeronDirectory(Path.of(driver))
                    .index(1)
                    .snapshots(Path.of(folder));
            try (Server server = Server.launch(context)) {
                server.run();
                return true;
            }
        }
    }

    private Void train(Worker worker, float[] update) {
        Table table = worker.table("model", 2, update.length / 2);
        worker.start(PartialUpdates::initial);
        while (!enough) {
            table.sync();
            versionNs = System.nanoTime();
            version = table.version();
            table.update(update);
            worker.clock();
        }
        worker.drain();
        return null;
    }
}
