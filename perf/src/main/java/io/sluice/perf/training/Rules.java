package io.sluice.perf.training;

import io.sluice.consistency.server.ServerReport;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.ClusterSettingsBuilder;
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
import io.sluice.samples.data.PlantedRatings;
import io.sluice.samples.data.RatingSet;
import io.sluice.samples.data.RatingsFile;
import io.sluice.samples.mf.MfEvaluation;
import io.sluice.samples.mf.MfSettings;
import io.sluice.samples.mf.MfTrainer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** Measures the passes that matrix factorisation needs under each update rule (Boesen, figure 3). */
public final class Rules extends Experiment<Rules.Variant> {
    private static final int MOST_NODES = 16;
    private static final int MOST = 100_000;
    private static final int LIVENESS_MS = 20_000;

    private static final Parameter<Path> DATA = Parameter.path("data", "DIR")
            .help("A folder with movielens (see sluice data); by default planted ratings of the same shape");
    private static final Parameter<List<String>> RULES = Parameter.text("rules", "RULE", "adarevision:0.08")
            .several("adarevision:0.08,adarevision:0.4,adagrad:0.08,adagrad:0.4,sum")
            .help("Update rules; sum is run with each step");
    private static final Parameter<List<Double>> STEPS = Parameter.positive("steps", 0.01)
            .several("0.002,0.005")
            .help("Fixed steps of the rule sum; a step that diverges ends the run");
    private static final Parameter<Integer> PASSES =
            Parameter.whole("passes", 60, 1, MOST).help("Passes over the ratings");
    private static final Parameter<Integer> CLOCKS =
            Parameter.whole("clocks-per-pass", 1, 1, MOST).help("Iterations of a pass");
    private static final Parameter<Integer> WORKERS =
            Parameter.whole("workers", 4, 1, MOST_NODES).help("Workers");
    private static final Parameter<Integer> SERVERS =
            Parameter.whole("servers", 1, 1, MOST_NODES).help("Servers");
    private static final Parameter<String> CONSISTENCY =
            Parameter.text("consistency", "RULE", "bsp").help("bsp or ssp:S");
    private static final Parameter<Integer> RANK =
            Parameter.whole("rank", 40, 1, 1_024).help("Numbers in a factor");
    private static final Parameter<Double> LAMBDA = Parameter.number(
                    "lambda", 0.05, lambda -> lambda >= 0 && lambda < Double.POSITIVE_INFINITY, "0 or more")
            .help("Weight of the regularisation");
    private static final Parameter<Integer> GOAL =
            Parameter.whole("goal", 20_000, 1, Integer.MAX_VALUE).help("Sum of squared training errors to reach");
    private static final Parameter<Integer> SEED =
            Parameter.whole("seed", 1, Integer.MIN_VALUE, Integer.MAX_VALUE).help("Seed of ratings and first factors");

    public static final Scenario SCENARIO = new Scenario(
            "rules",
            List.of(
                    "Trains matrix factorisation under several update rules; compares passes to a training error.",
                    "The trainer is that of train mf, its nodes are threads of this process, and pushes are exact. The"
                            + " defaults take about three minutes."),
            1,
            Parameter.declaredBy(Rules.class),
            new Layout(
                    row -> "matrix factorisation of " + row.text("dataset"),
                    columns(),
                    List.of(new Curves(
                                    "",
                                    row -> row.text("dataset") + ", rank " + row.text("rank") + ", "
                                            + row.text("workers") + " workers",
                                    new Curves.Axis("pass", "passes", 1),
                                    new Curves.Axis("train_error", "sum of squared training errors", 1),
                                    Rules::name)
                            .with(Curves.Axes.LINEAR_X))),
            Rules::new);

    private RatingSet ratings;

    /**
     * A rule.
     *
     * @param step fixed step of the trainer; 1 if the rule has its own
     */
    record Variant(String rule, double step) {}

    /**
     * The results of a worker.
     *
     * @param quality of the model after each pass; empty except at worker 0
     */
    private record Seen(List<MfEvaluation> quality, double seconds, long bytesPushed) {}

    private Rules(Settings settings) {
        super(settings);
        variants().forEach(this::terms); // refuses invalid settings
    }

    private static List<Column> columns() {
        return Column.list(
                Column.fact("rule").shown("rule"),
                Column.fact("step"),
                Column.shownOnly("step", row -> isSum(row) ? row.text("step") : ""),
                Column.facts("dataset", "consistency", "workers", "servers", "rank", "clocks_per_pass", "goal"),
                Column.series("pass", "train_error", "test_rmse"),
                error(5),
                error(10),
                error(20),
                Column.derived("passes_to_goal", (row, _) -> passesToGoal(row)).shown("passes to goal", "%.0f"),
                Column.derived("least_test_rmse", row -> least(row.numbers("test_rmse")))
                        .shown("least test RMSE", "%.3f"),
                Column.median("seconds").shown("seconds", "%.1f"),
                Column.median("bytes_pushed").whole(),
                Column.median("bytes_broadcast").whole());
    }

    private static Column error(int pass) {
        return Column.shownOnly("after " + pass, row -> {
            double[] errors = row.numbers("train_error");
            return pass > errors.length ? "" : String.format("%,.0f", errors[pass - 1]);
        });
    }

    private static String name(Row row) {
        return isSum(row) ? row.text("rule") + ", step " + row.text("step") : row.text("rule");
    }

    private static boolean isSum(Row row) {
        return ClusterSettingsBuilder.DEFAULT_RULE.equals(row.text("rule"));
    }

    /** The first pass with an error of the goal or less; null if there is none. */
    private static Object passesToGoal(Row row) {
        double[] errors = row.numbers("train_error");
        double goal = row.number("goal");
        return IntStream.range(0, errors.length)
                .filter(pass -> errors[pass] <= goal)
                .mapToObj(pass -> pass + 1)
                .findFirst()
                .orElse(null);
    }

    private static double least(double[] values) {
        double least = Double.POSITIVE_INFINITY;
        for (double value : values) {
            least = Math.min(least, Double.isNaN(value) ? least : value);
        }
        return least;
    }

    @Override
    public List<Variant> variants() {
        List<Variant> variants = new ArrayList<>();
        for (String rule : get(RULES)) {
            if (ClusterSettingsBuilder.DEFAULT_RULE.equals(rule)) {
                get(STEPS).forEach(step -> variants.add(new Variant(rule, step)));
            } else {
                variants.add(new Variant(rule, 1));
            }
        }
        return variants;
    }

    @Override
    public void open() throws IOException {
        ratings = null == get(DATA) ? PlantedRatings.LIKE_MOVIELENS.generate(get(SEED)) : RatingsFile.read(get(DATA));
    }

    private ClusterSettings terms(Variant variant) {
        return ClusterSettings.builder()
                .servers(get(SERVERS))
                .workers(get(WORKERS))
                .consistency(get(CONSISTENCY))
                .rule(variant.rule())
                .filter("none")
                .tree("flat")
                .livenessMs(LIVENESS_MS)
                .build();
    }

    @Override
    public List<Sample> measure(Variant variant) throws IOException, InterruptedException {
        int links = 2 * get(WORKERS) * get(SERVERS) + get(WORKERS) + get(SERVERS);
        try (Cluster host = Cluster.onThisHost(links, TransportKind.IPC)) {
            Cluster.Outcome<Seen> outcome = host.run(terms(variant), 0, (worker, _) -> train(worker, variant.step()));
            return List.of(sample(variant, outcome));
        }
    }

    private Seen train(Worker worker, double step) {
        MfSettings training = new MfSettings(get(RANK), get(LAMBDA), get(PASSES), get(CLOCKS), step, get(SEED));
        List<MfEvaluation> quality = new ArrayList<>();
        long startNs = System.nanoTime();
        new MfTrainer(worker, ratings, training).train(new MfTrainer.Progress() {
            @Override
            public void onClock(int clock, double rmse) {}

            @Override
            public void onPass(int pass, Supplier<MfEvaluation> evaluation) {
                if (worker.index() == 0) {
                    quality.add(evaluation.get());
                }
            }
        });
        return new Seen(quality, (System.nanoTime() - startNs) / NS, worker.bytesPushed());
    }

    private Sample sample(Variant variant, Cluster.Outcome<Seen> outcome) {
        List<MfEvaluation> quality = outcome.seen().getFirst().quality();
        return new Sample()
                .fact("rule", variant.rule())
                .fact("step", variant.step())
                .fact("dataset", ratings.name())
                .steps("pass", 1, quality.size())
                .figure("train_error", quality, MfEvaluation::trainError)
                .figure("test_rmse", quality, MfEvaluation::testRmse)
                .figure("seconds", outcome.max(Seen::seconds))
                .figure("bytes_pushed", outcome.sum(Seen::bytesPushed))
                .figure("bytes_broadcast", outcome.served(ServerReport::bytesBroadcast));
    }
}
