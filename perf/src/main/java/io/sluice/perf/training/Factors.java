package io.sluice.perf.training;

import io.sluice.consistency.server.ServerReport;
import io.sluice.consistency.standard.FactorSelections;
import io.sluice.consistency.standard.Multicast;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.Protocol;
import io.sluice.consistency.worker.FloatView;
import io.sluice.consistency.worker.Worker;
import io.sluice.perf.cluster.Cluster;
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
import io.sluice.samples.data.BrownCorpus;
import io.sluice.samples.data.Dataset;
import io.sluice.samples.data.Pieces;
import io.sluice.samples.descent.DescentSettings;
import io.sluice.samples.mlr.MlrEvaluation;
import io.sluice.samples.mlr.MlrFactorTrainer;
import io.sluice.samples.mlr.MlrTrainer;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * Compares the exchange of vectors with that of updates and of parameters, over the links of a lab (Orpheus, section
 * 5.2 and table 3). All train the same model on the same mini-batches.
 */
public final class Factors extends Experiment<String> {
    private static final String MATRICES = "push-pull";
    private static final String UPDATES = "update";
    private static final String BETWEEN_WORKERS = "/";

    /** Methods that train what whole matrices train. */
    private static final List<String> SAME =
            List.of(FactorSelections.ALL, FactorSelections.ALL + BETWEEN_WORKERS + Multicast.ALL);

    private static final int MOST = 1_000_000;
    private static final long BITS = 1_000_000;
    private static final Parameter<Path> DATA = Parameter.path("data", "DIR")
            .help("A folder with brown (see sluice data); by default synthetic texts of the same shape");
    private static final Parameter<List<String>> METHODS = Parameter.text("methods", "METHOD", null)
            .several(",(?=[a-z])", "push-pull,update,all,joint:25,power:25")
            .help("push-pull: dense matrices; update: non-zeros; a selection of vectors, as for train mlr --factors;"
                    + " SELECTION/MULTICAST: between workers, as for --multicast");
    private static final Parameter<Integer> CLASSES =
            Parameter.whole("classes", 500, 2, MOST).help("Classes of synthetic texts");
    private static final Parameter<Integer> WORDS =
            Parameter.whole("words", 13_000, 10, MOST).help("Words of synthetic texts");
    private static final Parameter<Integer> EXAMPLES =
            Parameter.whole("examples", 4_000, 10, MOST).help("Pieces of synthetic texts");
    private static final Parameter<Integer> CLOCKS =
            Parameter.whole("clocks", 12, Course.WARM + 1, MOST).help("Clocks of each turn");
    private static final Parameter<Integer> MATRIX_CLOCKS = Parameter.whole(
                    "matrix-clocks", MOST, Course.WARM + 1, MOST)
            .help("Clocks of push-pull and update, if fewer: their clocks to the goal are those of the first method"
                    + " that sends all vectors to all, which trains the same");
    private static final Parameter<Integer> BATCH =
            Parameter.whole("batch", 100, 1, 1 << 16).help("Examples of a worker in a clock");
    private static final Parameter<Long> COMPUTE = Parameter.time("compute", "400ms", Duration.ofMinutes(1))
            .help("Minimum time of a clock's computation, with the products of vectors; a clock that computes faster"
                    + " waits for the rest");
    private static final Parameter<Double> GOAL = Parameter.notNegative("goal", 0)
            .help("Loss of the training examples to reach, by the mean of all replicas; 0 for none");
    private static final Parameter<Double> LEARNING_RATE =
            Parameter.positive("learning-rate", 3).help("Step, as a multiple of the mean gradient of a mini-batch");
    private static final Parameter<Integer> WORKERS =
            Parameter.whole("workers", 4, 1, Star.MAX_NODES).help("Workers, each on a host of its own");
    private static final Parameter<Integer> SEED =
            Parameter.whole("seed", 1, Integer.MIN_VALUE, Integer.MAX_VALUE).help("Seed of the order of the examples");

    public static final Scenario SCENARIO = new Scenario(
            "factors",
            List.of(
                    "Trains softmax regression over lab links; compares vectors with updates and whole matrices.",
                    "The trainers are those of train mlr. Each node has a host of its own; the lab needs root. The"
                            + " defaults take about three minutes."),
            1,
            Parameter.declaredBy(
                    Factors.class,
                    Planted.DECAY,
                    Replicas.SAMPLE,
                    LabParameters.SERVERS,
                    LabParameters.RATE,
                    LabParameters.MTU),
            new Layout(
                    row -> "softmax regression on " + row.text("dataset"),
                    columns(),
                    List.of(
                            curves("second", "batch_loss", "loss of a batch before its clock")
                                    .of(row -> row.numbers("objective").length == 0),
                            curves("objective_second", "objective", "loss of the training examples"))),
            Factors::new);

    /** For each method, the loss of the training examples over clocks, which is the same in all turns. */
    private final Map<String, double[]> objectives = new HashMap<>();

    private Dataset data;
    private Cluster lab;

    /** What a worker has at the end. */
    private record Seen(
            MlrEvaluation quality, Course course, long bytesPushed, long bytesPeer, double vectors, double updates) {}

    private Factors(Settings settings) {
        super(settings);
        for (String method : get(METHODS)) {
            if (isOfVectors(method)) {
                FactorSelections.named(selection(method));
                Multicast.named(multicast(method)).among(get(WORKERS));
            }
        }
    }

    private static boolean isOfVectors(String method) {
        return !MATRICES.equals(method) && !UPDATES.equals(method);
    }

    private int clocks(String method) {
        return isOfVectors(method) ? get(CLOCKS) : Math.min(get(CLOCKS), get(MATRIX_CLOCKS));
    }

    private static String selection(String method) {
        return method.split(BETWEEN_WORKERS)[0];
    }

    private static String multicast(String method) {
        return method.contains(BETWEEN_WORKERS) ? method.split(BETWEEN_WORKERS, -1)[1] : Multicast.ALL;
    }

    private static Protocol protocol(String method) {
        if (method.contains(BETWEEN_WORKERS)) {
            return Protocol.PEER;
        }
        return MATRICES.equals(method) ? Protocol.PUSH_PULL : Protocol.UPDATE;
    }

    private static Curves curves(String seconds, String loss, String title) {
        return new Curves(
                        "",
                        row -> "softmax regression on " + row.text("dataset"),
                        new Curves.Axis(seconds, "seconds", 1),
                        new Curves.Axis(loss, title, 1),
                        row -> row.text("method"))
                .with(Curves.Axes.LINEAR_X);
    }

    private static List<Column> columns() {
        return Column.list(
                Column.fact("method").shown("method"),
                Column.facts("dataset", "classes", "features", "workers", "servers", "rate", "mtu", "batch"),
                Column.series("second", "batch_loss", "measured_objective"),
                Column.derived("objective", (row, rows) -> trained(row, rows).get("measured_objective")),
                Column.derived("objective_second", Factors::seconds),
                Column.median("measured_clocks_to_goal", "clocks_to_goal"),
                Column.derived(
                                "clocks_to_goal",
                                (row, rows) -> trained(row, rows).number("measured_clocks_to_goal"))
                        .shown("clocks to the loss", "%.1f"),
                Column.derived("seconds_to_goal", row -> row.number("clocks_to_goal") * row.number("seconds_per_clock"))
                        .shown("s to the loss", "%.2f")
                        .note("clocks times seconds of a clock"),
                Column.derived("speedup_to_goal", (row, rows) -> rows.getFirst().over(row, "seconds_to_goal"))
                        .shown("times faster", "%.2f")
                        .note("than the first row"),
                Course.columns(),
                Column.median("rebuild_per_clock")
                        .shown("rebuilding", "%.3f")
                        .note("the part of the exchange in which the first worker adds products of vectors"),
                Column.derived("speedup", (row, rows) -> rows.getFirst().over(row, "seconds_per_clock"))
                        .shown("times faster", "%.2f")
                        .note("than the first row"),
                Column.derived(
                                "most_speedup",
                                (row, rows) -> rows.getFirst().number("seconds_per_clock") / computing(row))
                        .shown("at most", "%.2f")
                        .note("upper limit of the speedup: seconds of a clock in the first row, divided by those of"
                                + " this row if its exchange took only the time of adding products"),
                Column.median("bytes_pushed").whole().shown("pushed", "%,.0f"),
                Column.median("bytes_broadcast").whole().shown("broadcast", "%,.0f"),
                Column.median("bytes_peer").whole().shown("to peers", "%,.0f"),
                Column.derived("bytes_share", Factors::share)
                        .shown("bytes", "%.4f")
                        .note("a clock, pushed, broadcast and to peers, relative to the first row"),
                Column.median("vector_bytes").whole(),
                Column.median("update_bytes").whole(),
                Column.median("loss").shown("loss", "%.4f"),
                Column.median("test_accuracy").shown("accuracy %", "%.2f", PERCENT));
    }

    /**
     * The row with the losses of a row: the row itself for a method of vectors. For whole matrices it is the row of the
     * first method that sends all vectors to all workers.
     */
    private static Row trained(Row row, List<Row> rows) {
        return isOfVectors(row.text("method")) ? row : row.partner(rows, other -> SAME.contains(other.text("method")));
    }

    private static Object seconds(Row row, List<Row> rows) {
        int clocks = row.numbers("objective").length;
        return IntStream.range(0, clocks)
                .mapToObj(clock -> clock * row.number("seconds_per_clock"))
                .toList();
    }

    private static Object share(Row row, List<Row> rows) {
        return bytesPerClock(row) / bytesPerClock(rows.getFirst());
    }

    /** Seconds of a clock that no link can save. */
    private static double computing(Row row) {
        return row.number("seconds_per_clock") - row.number("exchange_per_clock") + row.number("rebuild_per_clock");
    }

    private static double bytesPerClock(Row row) {
        double bytes = row.number("bytes_pushed") + row.number("bytes_broadcast") + row.number("bytes_peer");
        return bytes / row.numbers("second").length;
    }

    @Override
    public List<String> variants() {
        return get(METHODS);
    }

    @Override
    public String introduction() {
        return String.format(
                "%d workers, %d servers, links of %,d Mbit/s; batches of %d, and %d ms of computation in each clock",
                get(WORKERS),
                get(LabParameters.SERVERS),
                get(LabParameters.RATE) / BITS,
                get(BATCH),
                TimeUnit.NANOSECONDS.toMillis(get(COMPUTE)));
    }

    @Override
    public void open() throws IOException, InterruptedException {
        Planted planted = new Planted(get(CLASSES), get(WORDS), get(EXAMPLES), get(Planted.DECAY));
        data = null == get(DATA) ? planted.generate(get(SEED)) : Pieces.of(BrownCorpus.read(get(DATA), null));
        lab = closing(Cluster.build(LabParameters.star(settings, get(LabParameters.SERVERS), get(WORKERS))));
    }

    @Override
    public List<Sample> measure(String method) throws IOException, InterruptedException {
        ClusterSettings terms = lab.star()
                .terms()
                .protocol(protocol(method))
                .filter("none")
                .tree("flat")
                .build();
        boolean keeps = get(GOAL) > 0 && isOfVectors(method) && !objectives.containsKey(method);
        Replicas replicas = keeps ? new Replicas(get(WORKERS), get(CLOCKS)) : null;
        Cluster.Outcome<Seen> outcome = lab.run(terms, 0, (worker, _) -> train(worker, method, replicas));
        if (keeps) {
            objectives.put(method, replicas.objective(data, get(Replicas.SAMPLE)));
        }
        Seen first = outcome.seen().getFirst();
        Sample sample = sample(method, first, outcome);
        if (objectives.containsKey(method)) {
            double[] objective = objectives.get(method);
            sample.figure("measured_objective", objective)
                    .figure("clocks_to_goal", Replicas.clocksTo(get(GOAL), objective, method));
        }
        return List.of(sample);
    }

    private Sample sample(String method, Seen first, Cluster.Outcome<Seen> outcome) {
        return first.course()
                .addTo(new Sample())
                .fact("method", method)
                .fact("dataset", data.name())
                .fact("features", data.features())
                .fact("classes", data.classes())
                .figure("second", first.course().seconds())
                .figure("batch_loss", first.course().losses())
                .figure("bytes_pushed", outcome.sum(Seen::bytesPushed))
                .figure("bytes_broadcast", outcome.served(ServerReport::bytesBroadcast))
                .figure("bytes_peer", outcome.sum(Seen::bytesPeer))
                .figure("vector_bytes", first.vectors())
                .figure("update_bytes", first.updates())
                .figure("loss", first.quality().loss())
                .figure("test_accuracy", first.quality().accuracy());
    }

    private Seen train(Worker worker, String method, Replicas replicas) {
        DescentSettings training = new DescentSettings(clocks(method), get(BATCH), get(LEARNING_RATE), get(SEED));
        float[] w;
        double vectors = 0;
        double updates = 0;
        Course course;
        if (!isOfVectors(method)) {
            MlrTrainer trainer = new MlrTrainer(worker, data, training);
            course = course(worker, training.clocks(), replicas, trainer.weights()::view);
            w = trainer.train(_ -> {}, course);
            keepWeights(worker, replicas, training.clocks(), trainer.weights().view());
        } else {
            MlrFactorTrainer trainer =
                    new MlrFactorTrainer(worker, data, training, selection(method), multicast(method));
            course = course(worker, training.clocks(), replicas, trainer.weights()::view)
                    .rebuilding(trainer.weights()::addNs);
            w = trainer.train(course);
            keepWeights(worker, replicas, training.clocks(), trainer.weights().view());
            vectors = trainer.weights().vectorBytes();
            updates = trainer.weights().updateBytes();
        }
        MlrEvaluation quality = 0 == worker.index() ? MlrEvaluation.of(data, w) : null;
        return new Seen(quality, course, worker.bytesPushed(), worker.bytesToPeers(), vectors, updates);
    }

    private Course course(Worker worker, int clocks, Replicas replicas, Supplier<FloatView> weights) {
        return new Course(worker, clocks, get(COMPUTE), before -> keepWeights(worker, replicas, before, weights.get()));
    }

    /** Keeps a copy of the weights, unless there is nothing to keep them in. */
    private static void keepWeights(Worker worker, Replicas replicas, int clocksBefore, FloatView weights) {
        if (replicas != null) {
            replicas.keep(worker.index(), clocksBefore, weights);
        }
    }
}
