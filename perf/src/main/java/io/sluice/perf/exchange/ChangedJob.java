package io.sluice.perf.exchange;

import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.ClusterSettingsBuilder;
import io.sluice.consistency.terms.Protocol;
import io.sluice.perf.cluster.Cluster;
import io.sluice.perf.cluster.LabParameters;
import io.sluice.perf.cluster.Star;
import io.sluice.perf.cluster.Way;
import io.sluice.perf.experiment.Column;
import io.sluice.perf.experiment.Experiment;
import io.sluice.perf.experiment.Layout;
import io.sluice.perf.experiment.Parameter;
import io.sluice.perf.experiment.Row;
import io.sluice.perf.experiment.Sample;
import io.sluice.perf.experiment.Scenario;
import io.sluice.perf.experiment.Settings;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** Measures a clock of a job that computes, and of the same job with one change each, over lab links. */
public final class ChangedJob extends Experiment<ChangedJob.Variant> {
    private static final int MOST_CLOCKS = 1_000;
    private static final int MOST_STEPS = 1_000;
    private static final int SPARE_FRAMES = 8;
    private static final String NONE = "none";
    private static final String CHANGES = "none,kept=0.1,values=bf16,tree=chain,consistency=ssp:1,steps=4";

    private static final Parameter<Integer> PARAMS = Parameter.whole("params", 800_000, 1_000, 1 << 28)
            .help("Number of parameters of the model, in one table that is pushed in each clock");
    private static final Parameter<Integer> WORKERS =
            Parameter.whole("workers", 4, 1, Star.MAX_NODES).help("Workers");
    private static final Parameter<List<Long>> COMPUTE = Parameter.time("compute", null, Duration.ofMinutes(1))
            .several("300ms,1s")
            .help("Computing of a step");
    private static final Parameter<List<Change>> CHANGE = Parameter.of("changes", "CHANGE", null, Change::parse)
            .several(",(?=[a-z])", CHANGES)
            .help("none, kept=SHARE, steps=N (local steps), or terms of the cluster such as values=TYPE, tree=NAME,"
                    + " consistency=RULE or protocol=push-pull");
    private static final Parameter<Integer> CLOCKS =
            Parameter.whole("clocks", 4, 1, MOST_CLOCKS).help("Measured clocks in each turn");
    private static final Parameter<Integer> WARMUP = Parameter.whole("warmup", 2, 1, MOST_CLOCKS)
            .help("Warm-up clocks in each turn; warm-up and measured clocks together must be an even number");

    public static final Scenario SCENARIO = new Scenario(
            "changes",
            List.of(
                    "Measures a clock of a job, and of the same job with one change each, to compare with what sluice"
                            + " advise predicts.",
                    "Needs Linux and root: each server and worker runs on a host of a network lab."),
            2,
            List.of(
                    PARAMS,
                    WORKERS,
                    LabParameters.SERVERS,
                    LabParameters.RATE,
                    LabParameters.MTU,
                    COMPUTE,
                    CHANGE,
                    CLOCKS,
                    WARMUP),
            new Layout(ChangedJob::title, columns(), List.of()),
            ChangedJob::new);

    private final Star star;
    private Cluster cluster;

    /**
     * A change of the job.
     *
     * @param way terms of the cluster
     * @param kept share of the elements that pass the filters
     * @param steps steps of computing in a clock
     */
    record Change(Way way, double kept, double steps) {
        static Change parse(String option, String text) {
            String[] parts = text.split("=", 2);
            return switch (parts[0]) {
                case NONE -> new Change(new Way(text, Map.of()), 1, 1);
                case "kept" -> new Change(new Way(text, Map.of()), number(option, parts, 1), 1);
                case "steps" -> new Change(new Way(text, Map.of()), 1, number(option, parts, MOST_STEPS));
                default -> {
                    Change change = new Change(Way.parse(option, text), 1, 1);
                    change.on(ClusterSettings.builder());
                    yield change;
                }
            };
        }

        private static double number(String option, String[] parts, int most) {
            boolean isNumber = parts.length == 2 && parts[1].matches("\\d{1,9}(\\.\\d{1,9})?");
            if (!isNumber || Double.parseDouble(parts[1]) <= 0 || Double.parseDouble(parts[1]) > most) {
                throw Parameter.refusal(
                        option, String.join("=", parts), parts[0] + "= a number above 0, up to " + most);
            }
            return Double.parseDouble(parts[1]);
        }

        /** The terms of the cluster with this change. */
        ClusterSettings on(ClusterSettingsBuilder base) {
            boolean pulls = way.terms().getOrDefault("protocol", "").equals(Protocol.PUSH_PULL.configName());
            return way.on(base.tree("flat").filter(pulls ? "none" : "dvf:" + ExchangeUpdates.DELTA));
        }
    }

    /** A change of the job with an amount of computing. */
    record Variant(long computeNs, Change change) {}

    private ChangedJob(Settings settings) {
        super(settings);
        star = LabParameters.star(settings, get(LabParameters.SERVERS), get(WORKERS));
        if ((get(WARMUP) + get(CLOCKS)) % 2 != 0) {
            throw Parameter.refusal("--warmup plus --clocks", get(WARMUP) + get(CLOCKS), "an even number");
        }
    }

    private static List<Column> columns() {
        return Column.list(
                Column.facts("params", "workers", "servers", "rate", "slice"),
                Column.fact("compute_seconds").shown("compute", "%.2f"),
                Column.fact("change").shown("change"),
                Column.median("seconds")
                        .shown("seconds", "%.3f")
                        .note("of a step of computing, with its share of a clock"),
                Column.quartiles("seconds", "%.3f", 1),
                Column.median("push_seconds")
                        .shown("push", "%.3f")
                        .note("filtering, framing and sending of a worker in a clock"),
                Column.median("bytes_pushed").whole(),
                Column.median("bytes_received").whole().note("bytes are means over all clocks, warm-up included"),
                Column.relative("ratio", "seconds", row -> row.text("change").equals(NONE), "compute_seconds")
                        .shown("/ none", "%.2f"),
                Column.count("turns", "seconds"));
    }

    private static String title(Row row) {
        return String.format(
                "%,.0f parameters, %s workers, %s servers, links of %s",
                row.number("params"), row.text("workers"), row.text("servers"), row.mbit("rate"));
    }

    @Override
    public List<Variant> variants() {
        List<Variant> variants = new ArrayList<>();
        for (long compute : get(COMPUTE)) {
            get(CHANGE).forEach(change -> variants.add(new Variant(compute, change)));
        }
        return variants;
    }

    @Override
    public String introduction() {
        return star.conditions();
    }

    @Override
    public void open() throws IOException, InterruptedException {
        cluster = closing(Cluster.build(star));
    }

    @Override
    public List<Sample> measure(Variant variant) throws IOException, InterruptedException {
        Change change = variant.change();
        ClusterSettings terms = change.on(star.terms());
        int frames = get(PARAMS) / terms.sliceElements() / star.servers() + SPARE_FRAMES;
        ComputingTask task = new ComputingTask(
                new ExchangeUpdates(get(PARAMS), change.kept()),
                get(PARAMS),
                Math.round(change.steps() * variant.computeNs()),
                get(WARMUP),
                get(CLOCKS));
        List<ComputingTask.Times> seen = cluster.run(terms, 0, _ -> {}, worker -> worker.outboxFrames(frames), task)
                .seen();
        return List.of(new Sample()
                .fact("slice", terms.sliceElements())
                .fact("compute_seconds", variant.computeNs() / NS)
                .fact("change", change.way().text())
                .figure("seconds", mean(seen, ComputingTask.Times::seconds) / change.steps())
                .figure("push_seconds", mean(seen, ComputingTask.Times::pushSeconds))
                .figure("bytes_pushed", mean(seen, ComputingTask.Times::bytesPushed))
                .figure("bytes_received", mean(seen, ComputingTask.Times::bytesReceived)));
    }

    private static double mean(List<ComputingTask.Times> seen, ToDoubleFunction<ComputingTask.Times> figure) {
        return seen.stream().mapToDouble(figure).average().orElseThrow();
    }
}
