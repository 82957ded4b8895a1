package io.sluice.perf.training;

import io.sluice.consistency.server.ServerReport;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.TransportKind;
import io.sluice.consistency.worker.Worker;
import io.sluice.perf.cluster.Cluster;
import io.sluice.perf.experiment.Column;
import io.sluice.perf.experiment.Curves;
import io.sluice.perf.experiment.Experiment;
import io.sluice.perf.experiment.Layout;
import io.sluice.perf.experiment.Parameter;
import io.sluice.perf.experiment.Row;
import io.sluice.perf.experiment.Sample;
import io.sluice.perf.experiment.Scenario;
import io.sluice.perf.experiment.Settings;
import io.sluice.samples.data.Dataset;
import io.sluice.samples.data.IdxFiles;
import io.sluice.samples.data.PlantedImages;
import io.sluice.samples.descent.DescentProgress;
import io.sluice.samples.descent.DescentSettings;
import io.sluice.samples.mlr.MlrEvaluation;
import io.sluice.samples.mlr.MlrTrainer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/**
 * Runs one job under all combinations of placements, consistency rules and codecs: the main use of MPS (Modularized
 * Parameter Server, chapter 5), where each is a part that can be replaced.
 */
public final class Matrix extends Experiment<Matrix.Variant> {
    private static final int MOST_NODES = 16;
    private static final int MOST = 1_000_000;
    private static final int LIVENESS_MS = 20_000;

    private static final Parameter<Path> DATA = Parameter.path("data", "DIR")
            .help("A folder with fashion-mnist (see sluice data); by default synthetic images of the same shape");
    private static final Parameter<List<String>> PLACEMENTS = Parameter.text("placements", "NAME", "uniform")
            .several("uniform,round-robin")
            .help("Placements of slices");
    private static final Parameter<List<String>> RULES = Parameter.text("consistency", "RULE", "bsp")
            .several("bsp,ssp:2,tap,backup:1")
            .help("Consistency rules");
    private static final Parameter<List<Codec>> CODECS = Parameter.of("codecs", "FILTER/VALUES", null, Codec::parse)
            .several("none/f32,none/bf16,density:0.01/f32,density:0.01/log8")
            .help("Filters and the types of values");
    private static final Parameter<String> RULE =
            Parameter.text("rule", "RULE", "sum").help("Update rule of the servers");
    private static final Parameter<Integer> CLOCKS =
            Parameter.whole("clocks", 300, 1, MOST).help("Clocks in each turn");
    private static final Parameter<Double> GOAL = Parameter.number(
                    "goal", 0, percent -> percent >= 0 && percent <= PERCENT, "from 0 to 100")
            .help("Held-out accuracy, in percent, to which each combination trains, or --clocks if that is sooner; 0"
                    + " for all clocks. A first run finds the clock, and a second one up to there is measured");
    private static final Parameter<Integer> EVERY =
            Parameter.whole("every", 10, 1, MOST).help("Clocks between two comparisons with the goal");
    private static final Parameter<Integer> BATCH =
            Parameter.whole("batch", 64, 1, MOST).help("Images of a mini-batch");
    private static final Parameter<Double> LEARNING_RATE =
            Parameter.positive("learning-rate", 0.5).help("Step, as a multiple of the mean gradient of a mini-batch");
    private static final Parameter<Integer> WORKERS =
            Parameter.whole("workers", 4, 1, MOST_NODES).help("Workers");
    private static final Parameter<Integer> SERVERS =
            Parameter.whole("servers", 2, 1, MOST_NODES).help("Servers");
    private static final Parameter<Integer> SLICE =
            Parameter.whole("slice", 784, 1, 1 << 16).help("Parameters of a slice");
    private static final Parameter<Integer> SEED =
            Parameter.whole("seed", 1, Integer.MIN_VALUE, Integer.MAX_VALUE).help("Seed of the order of the images");

    public static final Scenario SCENARIO = new Scenario(
            "matrix",
            List.of(
                    "Trains one model under all combinations of placements, consistency rules and codecs.",
                    "Softmax regression, the trainer of train mlr; nodes are threads of this process and use shared"
                            + " memory. Names of your own count too (docs/policies.md). The defaults take about two"
                            + " minutes."),
            1,
            Parameter.declaredBy(Matrix.class),
            new Layout(
                    row -> "softmax regression on " + row.text("dataset"),
                    columns(),
                    List.of(new Curves(
                                    "",
                                    row -> "placement " + row.text("placement") + ", a point for each codec",
                                    new Curves.Axis("bytes_share", "bytes relative to the first row", 1),
                                    new Curves.Axis("final_loss", "loss", 1),
                                    row -> row.text("consistency"))
                            .of(row -> 0 == row.number("goal")) // with a goal, all rows have about the same loss
                            .with(Curves.Axes.LINEAR)
                            .in(row -> row.text("placement")))),
            Matrix::new);

    private Dataset images;

    /** How an update is sent. */
    record Codec(String filter, String values) {
        static Codec parse(String option, String text) {
            int slash = text.indexOf('/');
            if (slash < 1 || slash == text.length() - 1) {
                throw new IllegalArgumentException(
                        option + " is '" + text + "', expected FILTER/VALUES such as density:0.01/bf16");
            }
            return new Codec(text.substring(0, slash), text.substring(slash + 1));
        }
    }

    /** A combination. */
    record Variant(String placement, String consistency, Codec codec) {}

    /** The results of a worker. */
    private record Seen(MlrEvaluation quality, double seconds, long bytesPushed, long lastPushed, long maxStaleness) {}

    private Matrix(Settings settings) {
        super(settings);
        variants().forEach(this::terms); // refuses invalid settings
    }

    private static List<Column> columns() {
        return Column.list(
                Column.fact("placement").shown("placement"),
                Column.fact("consistency").shown("consistency"),
                Column.fact("filter").shown("filter"),
                Column.fact("values").shown("values"),
                Column.facts("rule", "dataset", "workers", "servers", "goal"),
                Column.median("clocks").whole().shown("clocks", "%.0f"),
                Column.median("seconds").shown("seconds", "%.2f"),
                Column.median("bytes_pushed").whole().shown("pushed", "%,.0f"),
                Column.median("bytes_broadcast").whole().shown("broadcast", "%,.0f"),
                Column.derived("bytes_share", (row, rows) -> share(row, rows))
                        .shown("bytes", "%.3f")
                        .note("pushed and broadcast, relative to the first row"),
                Column.median("last_pushed").whole(),
                Column.fact("dense_values"),
                Column.quotient("last_share", "last_pushed", "dense_values")
                        .shown("last clock", "%.4f")
                        .note("pushed in the last clock, headers included, over dense f32 values alone"),
                Column.max("max_staleness", "max_staleness").shown("stale", "%.0f"),
                Column.median("final_loss").shown("loss", "%.4f"),
                Column.median("test_accuracy").shown("accuracy %", "%.2f", PERCENT));
    }

    private static Object share(Row row, List<Row> rows) {
        return bytes(row) / bytes(rows.getFirst());
    }

    private static double bytes(Row row) {
        return row.number("bytes_pushed") + row.number("bytes_broadcast");
    }

    @Override
    public List<Variant> variants() {
        List<Variant> variants = new ArrayList<>();
        for (String placement : get(PLACEMENTS)) {
            for (String consistency : get(RULES)) {
                for (Codec codec : get(CODECS)) {
                    variants.add(new Variant(placement, consistency, codec));
                }
            }
        }
        return variants;
    }

    @Override
    public void open() throws IOException {
        images = null == get(DATA) ? PlantedImages.generate() : IdxFiles.read(get(DATA));
    }

    private ClusterSettings terms(Variant variant) {
        return ClusterSettings.builder()
                .servers(get(SERVERS))
                .workers(get(WORKERS))
                .placement(variant.placement())
                .consistency(variant.consistency())
                .filter(variant.codec().filter())
                .values(variant.codec().values())
                .rule(get(RULE))
                .sliceElements(get(SLICE))
                .tree("flat")
                .livenessMs(LIVENESS_MS)
                .build();
    }

    @Override
    public List<Sample> measure(Variant variant) throws IOException, InterruptedException {
        AtomicInteger clocks = new AtomicInteger(get(CLOCKS));
        if (get(GOAL) > 0) {
            run(variant, worker -> train(worker, get(CLOCKS), trainer -> goal(trainer, clocks)));
        }
        Cluster.Outcome<Seen> outcome = run(variant, worker -> train(worker, clocks.get(), _ -> (clock, loss) -> {}));
        return List.of(sample(variant, clocks.get(), outcome));
    }

    private Cluster.Outcome<Seen> run(Variant variant, Function<Worker, Seen> trainer)
            throws IOException, InterruptedException {
        int links = 2 * get(WORKERS) * get(SERVERS) + get(WORKERS) + get(SERVERS);
        try (Cluster host = Cluster.onThisHost(links, TransportKind.IPC)) {
            return host.run(terms(variant), 0, (worker, _) -> trainer.apply(worker));
        }
    }

    private int parameters() {
        return images.classes() * images.features();
    }

    /** Finds the first version of the replica that has the wanted accuracy; rules other than bsp may skip versions. */
    private DescentProgress goal(MlrTrainer trainer, AtomicInteger reached) {
        float[] w = new float[parameters()];
        int[] next = {get(EVERY)};
        return (_, _) -> {
            int version = (int) trainer.weights().version();
            if (version >= next[0] && version < reached.get()) {
                next[0] = version - version % get(EVERY) + get(EVERY);
                trainer.weights().view().copyTo(0, w);
                if (PERCENT * MlrEvaluation.accuracyOf(images, w) >= get(GOAL)) {
                    reached.set(version);
                }
            }
        };
    }

    private Seen train(Worker worker, int clocks, Function<MlrTrainer, DescentProgress> watch) {
        DescentSettings training = new DescentSettings(clocks, get(BATCH), get(LEARNING_RATE), get(SEED));
        MlrTrainer trainer = new MlrTrainer(worker, images, training);
        DescentProgress progress = 0 == worker.index() ? watch.apply(trainer) : (clock, loss) -> {};
        long[] pushed = new long[2]; // totals before and after the latest clock
        long startNs = System.nanoTime();
        float[] w = trainer.train(workerSets -> {}, (clock, loss) -> {
            pushed[0] = pushed[1];
            pushed[1] = worker.bytesPushed();
            progress.onClock(clock, loss);
        });
        double seconds = (System.nanoTime() - startNs) / NS;
        MlrEvaluation quality = 0 == worker.index() ? MlrEvaluation.of(images, w) : null;
        return new Seen(
                quality,
                seconds,
                worker.bytesPushed(),
                pushed[1] - pushed[0],
                worker.stats().maxStaleness());
    }

    private Sample sample(Variant variant, int clocks, Cluster.Outcome<Seen> outcome) {
        MlrEvaluation quality = outcome.seen().getFirst().quality();
        return new Sample()
                .fact("placement", variant.placement())
                .fact("consistency", variant.consistency())
                .fact("filter", variant.codec().filter())
                .fact("values", variant.codec().values())
                .fact("dataset", images.name())
                .fact("dense_values", (long) Float.BYTES * get(WORKERS) * parameters())
                .figure("clocks", clocks)
                .figure("seconds", outcome.max(Seen::seconds))
                .figure("bytes_pushed", outcome.sum(Seen::bytesPushed))
                .figure("bytes_broadcast", outcome.served(ServerReport::bytesBroadcast))
                .figure("last_pushed", outcome.sum(Seen::lastPushed))
                .figure("max_staleness", outcome.max(Seen::maxStaleness))
                .figure("final_loss", quality.loss())
                .figure("test_accuracy", quality.accuracy());
    }
}
