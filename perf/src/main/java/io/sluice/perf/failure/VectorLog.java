package io.sluice.perf.failure;

import io.sluice.consistency.node.NodeContext;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.TransportKind;
import io.sluice.consistency.worker.Worker;
import io.sluice.console.UnavailableException;
import io.sluice.perf.cluster.Cluster;
import io.sluice.perf.cluster.Cost;
import io.sluice.perf.experiment.Column;
import io.sluice.perf.experiment.Experiment;
import io.sluice.perf.experiment.Layout;
import io.sluice.perf.experiment.Parameter;
import io.sluice.perf.experiment.Row;
import io.sluice.perf.experiment.Sample;
import io.sluice.perf.experiment.Scenario;
import io.sluice.perf.experiment.Settings;
import io.sluice.perf.report.Quartiles;
import io.sluice.samples.data.Dataset;
import io.sluice.samples.data.Pieces;
import io.sluice.samples.data.PlantedCorpus;
import io.sluice.samples.descent.DescentSettings;
import io.sluice.samples.mlr.MlrFactorTrainer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Measures what it costs to log the vectors of each clock between two snapshots (Orpheus, section 3.3 and table 4). All
 * measured clocks are between two snapshots, so turns differ in the log alone.
 */
public final class VectorLog extends Experiment<Boolean> {
    private static final int EXAMPLES = 4_000;
    private static final int MOST = 1_000_000;
    private static final int LINKS = 16;

    /** Clocks by which a snapshot may be later than its interval. */
    private static final int LATE = 15;

    private static final Parameter<Integer> CLASSES =
            Parameter.whole("classes", 500, 2, MOST).help("Rows of the matrix");
    private static final Parameter<Integer> WORDS =
            Parameter.whole("words", 13_000, 10, MOST).help("Columns of the matrix");
    private static final Parameter<Integer> WORKERS =
            Parameter.whole("workers", 2, 1, 16).help("Workers");
    private static final Parameter<Integer> BATCH =
            Parameter.whole("batch", 100, 1, 1 << 16).help("Examples of a worker in a clock");
    private static final Parameter<Integer> CLOCKS = Parameter.whole("clocks", 30, 2, 10_000)
            .help("Measured clocks in each turn; a snapshot and warm-up clocks precede them");

    public static final Scenario SCENARIO = new Scenario(
            "vector-log",
            List.of(
                    "Measures what logging the vectors of each clock between two snapshots costs.",
                    "Softmax regression on synthetic texts with train mlr's trainer; one server and all workers are"
                            + " threads of this process. Turns with the log and without it alternate."),
            5,
            Parameter.declaredBy(VectorLog.class, SnapshotFolder.PARENT),
            new Layout(VectorLog::title, columns()),
            VectorLog::new);

    private Dataset texts;

    private VectorLog(Settings settings) {
        super(settings);
        new SnapshotFolder(settings).close(); // refuses one that cannot be written to
    }

    private static List<Column> columns() {
        return Column.list(
                Column.fact("logged").shown("logged"),
                Column.facts("classes", "words", "workers", "batch"),
                Column.median("seconds").shown("s/clock", "%.4f"),
                Column.median("cpu_seconds").shown("CPU s/clock", "%.4f").note("of all nodes"),
                Column.quartiles("cpu_seconds", "%.4f", 1),
                Column.figure("cpu_seconds_of_turns", "cpu_seconds", VectorLog::list),
                Column.derived("cpu_ratio", (row, rows) -> ofPairs(row, rows).median())
                        .shown("/ without", "%.3f")
                        .note("median of the pairs of turns"),
                Column.derived(
                        "cpu_ratio_low", (row, rows) -> ofPairs(row, rows).low()),
                Column.derived(
                        "cpu_ratio_high", (row, rows) -> ofPairs(row, rows).high()),
                Column.quartiles("cpu_ratio_low", "cpu_ratio_high", "%.3f", 1),
                Column.median("log_bytes")
                        .whole()
                        .shown("logged kB/clock", "%.1f", 1e-3)
                        .note("at each worker"),
                Column.median("snapshot_bytes").whole(),
                Column.quotient("bytes_ratio", "log_bytes", "snapshot_bytes").shown("/ snapshot", "%.4f"));
    }

    private static List<Double> list(double[] values) {
        return Arrays.stream(values).boxed().toList();
    }

    /** Processor time divided by the processor time of the turn without a log in the same round. */
    private static Quartiles ofPairs(Row row, List<Row> rows) {
        double[] with = row.numbers("cpu_seconds_of_turns");
        double[] without = rows.getFirst().numbers("cpu_seconds_of_turns");
        return Quartiles.of(IntStream.range(0, Math.min(with.length, without.length))
                .mapToDouble(turn -> with[turn] / without[turn])
                .toArray());
    }

    private static String title(Row row) {
        return String.format(
                "%s x %s, %s workers, %s examples of each in a clock",
                row.text("classes"), row.text("words"), row.text("workers"), row.text("batch"));
    }

    @Override
    public List<Boolean> variants() {
        return List.of(false, true);
    }

    @Override
    public void open() {
        texts = Pieces.of(new PlantedCorpus(
                        get(CLASSES), get(WORDS), Math.ceilDiv(EXAMPLES * Pieces.WORDS, get(CLASSES)), get(CLASSES))
                .generate(1));
    }

    @Override
    public List<Sample> measure(Boolean logged) throws IOException, InterruptedException {
        int interval = get(CLOCKS) + 2 * LATE;
        ClusterSettings terms = ClusterSettings.builder()
                .servers(1)
                .workers(get(WORKERS))
                .filter("none")
                .build();
        try (Cluster host = Cluster.onThisHost(LINKS, TransportKind.IPC);
                SnapshotFolder space = new SnapshotFolder(settings)) {
            Sample sample = host.run(
                            terms,
                            0,
                            server -> {
                                keep(server, space, logged);
                                server.takeSnapshots(Integer.toString(interval), false);
                            },
                            worker -> keep(worker, space, logged),
                            (worker, _) -> train(worker, interval + LATE))
                    .seen()
                    .getFirst();
            List<Path> files = files(space.path().resolve("worker-0"), ".snapshot");
            List<Path> logs = files(space.path().resolve("worker-0"), ".log");
            if (files.size() != 1 || logs.size() != (logged ? 1 : 0)) {
                throw new UnavailableException("worker 0 holds " + files + " and " + logs
                        + ", expected one snapshot, taken before the measured clocks, and one log if this turn logs"
                        + " clocks, otherwise none");
            }
            long taken =
                    Long.parseLong(files.getFirst().getFileName().toString().replace(".snapshot", ""));
            double clocks = interval + LATE + get(CLOCKS) - taken;
            if (clocks < get(CLOCKS)) {
                throw new UnavailableException("the snapshot is of clock " + taken + ", expected one up to clock "
                        + (interval + LATE) + ", at which the measured clocks begin");
            }
            double logBytes = logged ? Files.size(logs.getFirst()) / clocks : 0;
            if ((clocks + 1) * logBytes > (double) get(CLASSES) * get(WORDS) * Float.BYTES) {
                throw new UnavailableException("the log became as long as a snapshot within the " + get(CLOCKS)
                        + " measured clocks, so it ended: measure fewer");
            }
            return List.of(sample.fact("logged", logged)
                    .figure("log_bytes", logBytes)
                    .figure("snapshot_bytes", Files.size(files.getFirst())));
        }
    }

    private Sample train(Worker worker, int before) {
        DescentSettings training = new DescentSettings(before + get(CLOCKS), get(BATCH), 1, 1);
        double[] begun = new double[2];
        double[] ended = new double[2];
        new MlrFactorTrainer(worker, texts, training, "all", "all").train((clock, _) -> {
            if (clock == before || clock == training.clocks()) {
                double[] now = clock == before ? begun : ended;
                now[0] = System.nanoTime() / NS;
                now[1] = Cost.cpuNs() / NS;
            }
        });
        return new Sample()
                .figure("seconds", (ended[0] - begun[0]) / get(CLOCKS))
                .figure("cpu_seconds", (ended[1] - begun[1]) / get(CLOCKS));
    }

    private static void keep(NodeContext<?> context, SnapshotFolder space, boolean logged) {
        context.snapshots(space.path()).keptSnapshots(2).snapshotIncrements(0).logsClocks(logged);
    }

    private static List<Path> files(Path folder, String suffix) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.toString().endsWith(suffix)).toList();
        }
    }
}
