package io.sluice.perf.training;

import io.sluice.consistency.server.ServerReport;
import io.sluice.consistency.standard.FactorSelections;
import io.sluice.consistency.standard.Multicast;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.Protocol;
import io.sluice.consistency.worker.Worker;
import io.sluice.consistency.worker.WorkerStats;
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
import io.sluice.samples.data.Corpus;
import io.sluice.samples.data.Dataset;
import io.sluice.samples.data.Pieces;
import io.sluice.samples.data.PlantedCorpus;
import io.sluice.samples.descent.DescentProgress;
import io.sluice.samples.descent.DescentSettings;
import io.sluice.samples.mlr.MlrEvaluation;
import io.sluice.samples.mlr.MlrFactorTrainer;
import io.sluice.samples.mlr.MlrTrainer;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/**
 * Compares the exchange of vectors with that of updates and of parameters, over the links of a lab (Orpheus, section
 * 5.2 and table 3). All train the same model on the same mini-batches.
 */
public final class Factors extends Experiment<String> {
    private static final String MATRICES = "push-pull";
    private static final String UPDATES = "update";
    private static final String BETWEEN_WORKERS = "/";

    /** First clocks of a turn, in which the JVM compiles, that do not count. */
    private static final int WARM = 2;

    private static final int MOST = 1_000_000;
    private static final double PERCENT = 100;
    private static final double NS = 1e9;
    private static final long BITS = 1_000_000;
    private static final Parameter<Path> DATA = Parameter.path(
            "data", "DIR", "A folder with brown (see sluice data); by default made-up texts of the same shape");
    private static final Parameter<List<String>> METHODS = Parameter.text(
                    "methods",
                    "METHOD",
                    null,
                    "push-pull: dense matrices; update: non-zeros; a selection of vectors, as for train mlr --factors;"
                            + " SELECTION/MULTICAST: between workers, as for --multicast")
            .several(",(?=[a-z])", "push-pull,update,all,joint:25,power:25");
    private static final Parameter<Integer> CLASSES =
            Parameter.whole("classes", 500, 2, MOST, "Classes of made-up texts");
    private static final Parameter<Integer> WORDS =
            Parameter.whole("words", 13_000, 10, MOST, "Words of made-up texts");
    private static final Parameter<Integer> EXAMPLES =
            Parameter.whole("examples", 4_000, 10, MOST, "Pieces of made-up texts");
    private static final Parameter<Integer> CLOCKS =
            Parameter.whole("clocks", 12, WARM + 1, MOST, "Clocks of each turn");
    private static final Parameter<Integer> BATCH =
            Parameter.whole("batch", 100, 1, 1 << 16, "Examples of a worker in a clock");
    private static final Parameter<Long> COMPUTE = Parameter.time(
            "compute",
            "400ms",
            Duration.ofMinutes(1),
            "Time that a clock's computation takes, with the products of vectors: what really takes less is waited"
                    + " for");
    private static final Parameter<Double> LEARNING_RATE =
            Parameter.positive("learning-rate", 3, "Step over the mean gradient of a mini-batch");
    private static final Parameter<Integer> WORKERS =
            Parameter.whole("workers", 4, 1, Star.MAX_NODES, "Workers, each on a host of its own");
    private static final Parameter<Integer> SEED =
            Parameter.whole("seed", 1, Integer.MIN_VALUE, Integer.MAX_VALUE, "Seed of the order of the examples");

    public static final Scenario SCENARIO = new Scenario(
            "factors",
            List.of(
                    "Trains softmax regression over lab links; compares vectors with updates and whole matrices.",
                    "The trainers are those of train mlr. Each node has a host of its own; the lab needs root. The"
                            + " defaults take about three minutes."),
            1,
            List.of(
                    DATA,
                    METHODS,
                    CLASSES,
                    WORDS,
                    EXAMPLES,
                    CLOCKS,
                    BATCH,
                    COMPUTE,
                    LEARNING_RATE,
                    WORKERS,
                    LabParameters.SERVERS,
                    LabParameters.RATE,
                    LabParameters.MTU,
                    SEED),
            new Layout(
                    row -> "softmax regression on " + row.text("dataset"),
                    columns(),
                    List.of(new Curves(
                                    "",
                                    row -> "softmax regression on " + row.text("dataset"),
                                    new Curves.Axis("second", "seconds", 1),
                                    new Curves.Axis("batch_loss", "loss of a batch before its clock", 1),
                                    row -> row.text("method"))
                            .with(Curves.Axes.LINEAR_X))),
            Factors::new);

    private Dataset texts;
    private Cluster lab;

    /** What a worker has at the end. */
    private record Seen(
            MlrEvaluation quality,
            double[] losses,
            double[] seconds,
            long bytesPushed,
            long bytesPeer,
            double vectors,
            double updates) {
        double secondsPerClock() {
            double[] clocks = IntStream.range(WARM, seconds.length)
                    .mapToDouble(clock -> seconds[clock] - seconds[clock - 1])
                    .sorted()
                    .toArray();
            return clocks[clocks.length / 2];
        }
    }

    private Factors(Settings settings) {
        super(settings);
        for (String method : get(METHODS)) {
            if (!MATRICES.equals(method) && !UPDATES.equals(method)) {
                FactorSelections.named(selection(method));
                Multicast.named(multicast(method)).among(get(WORKERS));
            }
        }
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

    private static List<Column> columns() {
        return List.of(
                Column.fact("method").shown("method"),
                Column.fact("dataset"),
                Column.fact("classes"),
                Column.fact("features"),
                Column.fact("workers"),
                Column.fact("servers"),
                Column.fact("rate"),
                Column.fact("mtu"),
                Column.fact("batch"),
                Column.series("second"),
                Column.series("batch_loss"),
                Column.mean("seconds_per_clock", "seconds_per_clock")
                        .shown("s/clock", "%.3f")
                        .note("median of the clocks of a turn but the first two, mean of turns"),
                Column.derived("speedup", Factors::speedup)
                        .shown("times faster", "%.2f")
                        .note("than the first row"),
                Column.median("bytes_pushed").whole().shown("pushed", "%,.0f"),
                Column.median("bytes_broadcast").whole().shown("broadcast", "%,.0f"),
                Column.median("bytes_peer").whole().shown("to peers", "%,.0f"),
                Column.derived("bytes_share", Factors::share)
                        .shown("bytes", "%.4f")
                        .note("pushed, broadcast and to peers, over those of the first row"),
                Column.median("vector_bytes").whole(),
                Column.median("update_bytes").whole(),
                Column.median("loss").shown("loss", "%.4f"),
                Column.median("test_accuracy").shown("accuracy %", "%.2f", PERCENT));
    }

    private static Object speedup(Row row, List<Row> rows) {
        return rows.getFirst().number("seconds_per_clock") / row.number("seconds_per_clock");
    }

    private static Object share(Row row, List<Row> rows) {
        return bytes(row) / bytes(rows.getFirst());
    }

    private static double bytes(Row row) {
        return row.number("bytes_pushed") + row.number("bytes_broadcast") + row.number("bytes_peer");
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
        Corpus corpus = null == get(DATA)
                ? new PlantedCorpus(
                                get(CLASSES),
                                get(WORDS),
                                Math.ceilDiv(get(EXAMPLES) * Pieces.WORDS, get(CLASSES)),
                                get(CLASSES))
                        .generate(get(SEED))
                : BrownCorpus.read(get(DATA), null);
        texts = Pieces.of(corpus);
        lab = Cluster.build(LabParameters.star(settings, get(LabParameters.SERVERS), get(WORKERS)));
    }

    @Override
    public void close() {
        if (lab != null) {
            lab.close();
        }
    }

    @Override
    public List<Sample> measure(String method) throws IOException, InterruptedException {
        ClusterSettings terms = lab.star()
                .terms()
                .protocol(protocol(method))
                .filter("none")
                .tree("flat")
                .build();
        Cluster.Outcome<Seen> outcome = lab.run(terms, 0, (worker, _) -> train(worker, method));
        Seen first = outcome.seen().getFirst();
        return List.of(sample(method, first, outcome));
    }

    private Sample sample(String method, Seen first, Cluster.Outcome<Seen> outcome) {
        return new Sample()
                .fact("method", method)
                .fact("dataset", texts.name())
                .fact("features", texts.features())
                .fact("classes", texts.classes())
                .fact("rate", get(LabParameters.RATE))
                .figure("second", first.seconds())
                .figure("batch_loss", first.losses())
                .figure("seconds_per_clock", first.secondsPerClock())
                .figure("bytes_pushed", outcome.sum(Seen::bytesPushed))
                .figure("bytes_broadcast", outcome.served(ServerReport::bytesBroadcast))
                .figure("bytes_peer", outcome.sum(Seen::bytesPeer))
                .figure("vector_bytes", first.vectors())
                .figure("update_bytes", first.updates())
                .figure("loss", first.quality().loss())
                .figure("test_accuracy", first.quality().accuracy());
    }

    private Seen train(Worker worker, String method) {
        DescentSettings training = new DescentSettings(get(CLOCKS), get(BATCH), get(LEARNING_RATE), get(SEED));
        double[] losses = new double[get(CLOCKS)];
        double[] seconds = new double[get(CLOCKS)];
        WorkerStats stats = worker.stats();
        long startNs = System.nanoTime();
        long[] last = {startNs, 0}; // the end of the last clock, and what was not computation until then
        DescentProgress progress = (clock, loss) -> {
            losses[clock - 1] = loss;
            long exchangedNs = stats.waitNs() + stats.pushNs();
            long computedNs = System.nanoTime() - last[0] - (exchangedNs - last[1]);
            LockSupport.parkNanos(Math.max(0, get(COMPUTE) - computedNs));
            last[0] = System.nanoTime();
            last[1] = exchangedNs;
            seconds[clock - 1] = (last[0] - startNs) / NS;
        };
        float[] w;
        double vectors = 0;
        double updates = 0;
        if (MATRICES.equals(method) || UPDATES.equals(method)) {
            w = new MlrTrainer(worker, texts, training).train(_ -> {}, progress);
        } else {
            MlrFactorTrainer trainer =
                    new MlrFactorTrainer(worker, texts, training, selection(method), multicast(method));
            w = trainer.train(progress);
            vectors = trainer.weights().vectorBytes();
            updates = trainer.weights().updateBytes();
        }
        MlrEvaluation quality = 0 == worker.index() ? MlrEvaluation.of(texts, w) : null;
        return new Seen(quality, losses, seconds, worker.bytesPushed(), worker.bytesToPeers(), vectors, updates);
    }
}
