package io.sluice.perf.training;

import io.sluice.consistency.server.ServerReport;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.Protocol;
import io.sluice.consistency.terms.TransportKind;
import io.sluice.messaging.LinkRate;
import io.sluice.messaging.Transport;
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
import io.sluice.samples.mlr.MlrModel;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * Measures the benefit of sending the most significant slices before their clock ends. Each turn is a cluster of its
 * own over loopback UDP, all with the same seeds and exact f32 updates: methods differ only in when slices are sent.
 */
public final class Managed extends Experiment<Managed.Variant> {
    /** Number of clocks in which a worker processes all examples about once. */
    private static final int CLOCKS_OF_A_PASS = 4;

    private static final int MOST_NODES = 16;
    private static final int MOST = 1_000_000;

    private static final double BITS_MS = 8e3;

    /** Share of the early frames that spies may miss, or see twice. */
    private static final double MOST_UNSEEN = 0.02;

    /** The shares of slices if nothing counts them. */
    private static final double[] UNCOUNTED = {};

    private static final Parameter<List<Long>> BUDGETS = Parameter.of("budgets", "RATE", null, LinkRate::parse)
            .several("2mbit,4mbit,16mbit")
            .help("Budgets of each data link");
    private static final Parameter<Integer> BURST =
            Parameter.whole("budget-burst", 16_384, 1, Integer.MAX_VALUE).help("Bytes that a link may send at once");
    private static final Parameter<Integer> WORKERS =
            Parameter.whole("workers", 4, 1, MOST_NODES).help("Workers");
    private static final Parameter<Integer> SERVERS =
            Parameter.whole("servers", 1, 1, MOST_NODES).help("Servers");
    private static final Parameter<String> CONSISTENCY =
            Parameter.text("consistency", "RULE", "bsp").help("bsp, ssp:S or tap");
    private static final Parameter<List<String>> ORDERS = Parameter.text("orders", "ORDER", "magnitude")
            .several("random,round-robin,magnitude,relative")
            .help("Orders in which slices are sent early");
    static final Parameter<Integer> CLOCKS =
            Parameter.whole("clocks", 12, 2, MOST).help("Clocks in each turn");
    static final Parameter<Integer> BATCHES =
            Parameter.whole("batches", 16, 1, MOST).help("Mini-batches of a worker in a clock");
    static final Parameter<Integer> BATCH =
            Parameter.whole("batch", 16, 1, MOST).help("Examples of a mini-batch");
    static final Parameter<Long> COMPUTE =
            Parameter.time("compute", "20ms", Duration.ofMinutes(1)).help("Time that a mini-batch takes");
    private static final Parameter<List<Double>> LEARNING_RATE = Parameter.positive("learning-rate", 4)
            .several()
            .help("Steps, as multiples of the mean gradient of a mini-batch; each method is run with each");
    private static final Parameter<Path> DATA = Parameter.path("data", "DIR")
            .help("A folder with fashion-mnist: softmax regression on its images, regardless of --features");
    private static final Parameter<Integer> FEATURES =
            Parameter.whole("features", 32_768, 2, 1 << 24).help("Parameters of the model");
    private static final Parameter<Integer> SLICE =
            Parameter.whole("slice", 512, 1, 1 << 16).help("Parameters of a slice");
    private static final Parameter<Boolean> SENDS =
            Parameter.flag("sends").help("Counts how often each slice is sent early, by spies on all data links");
    static final Parameter<Integer> SEED =
            Parameter.whole("seed", 1, Integer.MIN_VALUE, Integer.MAX_VALUE).help("Seed of the examples");

    public static final Scenario SCENARIO = new Scenario(
            "managed",
            List.of(
                    "Trains over budgeted links; compares sending slices early (Boesen) with sending them at the"
                            + " end of the clock only.",
                    "Logistic regression on synthetic examples; slices are sent early in four orders. All nodes are"
                            + " threads of this process and use UDP over loopback; each mini-batch takes the time that"
                            + " --compute sets. The defaults take about three minutes."),
            1,
            Parameter.declaredBy(Managed.class),
            new Layout(
                    row -> "budget of " + row.mbit("budget") + " for each link",
                    columns(),
                    List.of(
                            new Curves(
                                            "",
                                            row -> row.text("dataset") + ", links of " + row.mbit("budget"),
                                            new Curves.Axis("clock", "clocks", 1),
                                            new Curves.Axis("loss", "loss", 1),
                                            row -> row.text("method") + ", step " + row.text("learning_rate"))
                                    .with(Curves.Axes.LINEAR_X)
                                    .in(Managed::budgetWord),
                            sends("pushed"),
                            sends("broadcast"))),
            Managed::new);

    /** The baseline of all comparisons. */
    private static final Method END_OF_CLOCK = new Method("end of clock only", Protocol.UPDATE, "fifo");

    private Dataset images;
    private ManagedTask sparse;

    /**
     * A method, which determines when and in which order slices are sent.
     *
     * @param protocol whether slices are sent before their clock ends
     */
    record Method(String words, Protocol protocol, String order) {}

    /**
     * A method at a budget.
     *
     * @param budget budget of each data link, bits per second
     * @param learningRate step, as a multiple of the mean gradient
     */
    record Variant(long budget, Method method, double learningRate) {}

    private Managed(Settings settings) {
        super(settings);
        variants().forEach(this::terms); // refuses invalid settings
    }

    private static List<Column> columns() {
        return Column.list(
                Column.fact("method").shown("method"),
                Column.fact("dataset"),
                Column.fact("learning_rate").shown("step"),
                Column.facts("protocol", "order", "consistency", "workers", "servers", "budget", "burst", "batches"),
                Column.series("clock", "loss"),
                loss("loss at 1/4", 0.25),
                loss("at 1/2", 0.5),
                loss("in the end", 1),
                Column.derived("clocks_to_goal", Managed::clocksToGoal)
                        .shown("clocks to goal", "%.0f")
                        .note("the goal is the final loss of end-of-clock communication with the same budget, and"
                                + " its best step"),
                Column.mean("seconds_per_clock", "seconds_per_clock").shown("s/clock", "%.2f"),
                Column.derived("seconds_to_goal", row -> row.number("clocks_to_goal") * row.number("seconds_per_clock"))
                        .shown("s to goal", "%.2f"),
                Column.derived("faster", (row, rows) -> baseline(row, rows).over(row, "seconds_to_goal"))
                        .shown("faster", "%.2f")
                        .note("seconds to the goal of end-of-clock communication with its best step, relative to this"
                                + " row's"),
                Column.median("bytes_pushed").whole().shown("pushed", "%,.0f"),
                Column.median("early_pushed").shown("early %", "%.0f", PERCENT),
                Column.median("bytes_broadcast").whole().shown("broadcast", "%,.0f"),
                Column.median("early_broadcast")
                        .shown("early %", "%.0f", PERCENT)
                        .note("share of the frames that were sent before their clock ended"),
                Column.series("share_of_slices", "share_pushed", "share_broadcast"),
                Column.derived("top_tenth_pushed", row -> topTenth(row, "share_pushed"))
                        .shown("top tenth pushed %", "%.0f", PERCENT),
                Column.derived("top_tenth_broadcast", row -> topTenth(row, "share_broadcast"))
                        .shown("broadcast %", "%.0f", PERCENT)
                        .note("share of the early frames that belong to the tenth of the slices sent early most often"),
                Column.max("above_rate", "above_rate"),
                Column.quotient("bursts", "above_rate", "burst")
                        .shown("bursts", "%.2f")
                        .note("by how much the worst link exceeded its rate in any span of time, relative to the burst,"
                                + " on the wire; the budget admits 1 to the log"),
                Column.derived(
                                "late_ms",
                                row -> Math.max(0, row.number("above_rate") - row.number("burst"))
                                        * BITS_MS
                                        / row.number("budget"))
                        .shown("late ms", "%.1f")
                        .note("how late the media driver's sender was if bursts is above 1"));
    }

    /** How unevenly the early frames of workers or servers are distributed over slices. */
    private static Curves sends(String sent) {
        return new Curves(
                        "sends",
                        row -> row.text("dataset") + ", links of " + row.mbit("budget") + ": early frames by slice",
                        new Curves.Axis("share_of_slices", "slices, those sent most often first, %", PERCENT),
                        new Curves.Axis("share_" + sent, "early frames, %", PERCENT),
                        row -> row.text("order").replaceFirst(":.*", "") + ", " + sent,
                        "learning_rate")
                .with(Curves.Axes.LINEAR)
                .in(Managed::budgetWord);
    }

    private static String budgetWord(Row row) {
        return row.mbit("budget").replace(" Mbit/s", "mbit");
    }

    private static Column loss(String heading, double share) {
        return Column.shownOnly(heading, row -> {
            double[] loss = row.numbers("loss");
            return String.format("%.4f", loss[(int) (share * (loss.length - 1))]);
        });
    }

    /** The row of end-of-clock communication with the step that led to the lowest final loss. */
    private static Row baseline(Row row, List<Row> rows) {
        return rows.stream()
                .filter(other ->
                        other.agrees(row, "budget") && other.text("method").equals(END_OF_CLOCK.words()))
                .min(Comparator.comparingDouble(Managed::finalLoss))
                .orElse(row);
    }

    private static double finalLoss(Row row) {
        double[] loss = row.numbers("loss");
        return loss[loss.length - 1];
    }

    private static double topTenth(Row row, String shares) {
        double[] sends = row.numbers(shares);
        return sends.length == 0 ? Double.NaN : sends[EarlyFrames.PARTS / 10];
    }

    /** Clocks until the loss reached the final loss of the baseline; null if never. */
    private static Integer clocksToGoal(Row row, List<Row> rows) {
        double goal = finalLoss(baseline(row, rows));
        double[] loss = row.numbers("loss");
        Integer clocks = null;
        for (int clock = loss.length - 1; clock >= 0 && loss[clock] <= goal; clock--) {
            clocks = clock;
        }
        return clocks;
    }

    /** The baseline first, then Boesen's prioritisation strategies (section 3.3.2). */
    private List<Method> methods() {
        List<Method> methods = new ArrayList<>(List.of(END_OF_CLOCK));
        for (String order : get(ORDERS)) {
            String seeded = "random".equals(order) ? order + ":" + get(SEED) : order;
            methods.add(new Method("managed, " + order, Protocol.MANAGED, seeded));
        }
        return methods;
    }

    @Override
    public List<Variant> variants() {
        List<Variant> variants = new ArrayList<>();
        for (long budget : get(BUDGETS)) {
            for (Method method : methods()) {
                get(LEARNING_RATE).forEach(rate -> variants.add(new Variant(budget, method, rate)));
            }
        }
        return variants;
    }

    @Override
    public String introduction() {
        return String.format(
                "%s in slices of %,d; %d workers, %d servers, %s; clocks of %d mini-batches of %d examples",
                get(DATA) == null ? "%,d parameters".formatted(get(FEATURES)) : "images of " + get(DATA),
                get(SLICE),
                get(WORKERS),
                get(SERVERS),
                get(CONSISTENCY),
                get(BATCHES),
                get(BATCH));
    }

    @Override
    public void open() throws IOException {
        if (get(DATA) == null) {
            int examples = get(WORKERS) * get(BATCHES) * get(BATCH) * CLOCKS_OF_A_PASS;
            sparse = new SparseExamples(get(FEATURES), examples, get(SEED)).task();
        } else {
            images = IdxFiles.read(get(DATA));
        }
    }

    /** The task of one thread. */
    private ManagedTask task() {
        if (images == null) {
            return sparse;
        }
        MlrModel model = new MlrModel(images, get(BATCH));
        return new ManagedTask(
                model.size(),
                images.train().size(),
                (rows, w, step, update) -> model.step(rows, step, w, update),
                w -> MlrModel.loss(images, images.test(), w));
    }

    private ClusterSettings terms(Variant variant) {
        return Cluster.terms(get(SERVERS), get(WORKERS))
                .protocol(variant.method().protocol())
                .order(variant.method().order())
                .consistency(get(CONSISTENCY))
                .transport(TransportKind.UDP)
                .sliceElements(get(SLICE))
                .linkBudget(variant.budget() + "bit", get(BURST))
                .tree("flat")
                .build();
    }

    @Override
    public List<Sample> measure(Variant variant) throws IOException, InterruptedException {
        int workers = get(WORKERS);
        int servers = get(SERVERS);
        try (Cluster host = Cluster.onThisHost(2 * (workers * servers + workers + servers), TransportKind.UDP);
                Transport transport = Transport.connect(new Transport.Context().directory(host.directory()));
                BudgetWatch watch = new BudgetWatch(transport, variant.budget());
                EarlyFrames early = get(SENDS) ? new EarlyFrames(transport.aeron(), servers, slices()) : null) {
            Cluster.Outcome<ManagedTrainer.Seen> outcome = host.run(
                    terms(variant),
                    0,
                    (worker, _) -> new ManagedTrainer(task(), variant.learningRate(), settings).train(worker));
            if (early != null) {
                early.stop();
                requireAll("pushes", early.pushes(), outcome.sum(ManagedTrainer.Seen::framesEarly));
                requireAll("broadcasts", early.broadcasts(), outcome.served(ServerReport::framesEarly));
            }
            return List.of(sample(variant, outcome, watch.stop())
                    .figure("share_of_slices", EarlyFrames.parts())
                    .figure("share_pushed", early == null ? UNCOUNTED : EarlyFrames.shares(early.pushes()))
                    .figure("share_broadcast", early == null ? UNCOUNTED : EarlyFrames.shares(early.broadcasts())));
        }
    }

    private int slices() {
        return (task().parameters() + get(SLICE) - 1) / get(SLICE);
    }

    /** Requires that spies have seen what the nodes have counted. */
    private static void requireAll(String what, long[] seen, long counted) {
        long sum = Arrays.stream(seen).sum();
        if (Math.abs(sum - counted) > MOST_UNSEEN * counted) {
            throw new IllegalStateException("spies have seen " + sum + " early " + what + ", but the nodes counted "
                    + counted + ": the shares of slices would be wrong");
        }
    }

    private Sample sample(Variant variant, Cluster.Outcome<ManagedTrainer.Seen> outcome, double aboveRate) {
        List<ManagedTrainer.Seen> workers = outcome.seen();
        ManagedTrainer.Seen first = workers.getFirst();
        float[] end = first.replicas().getLast();
        if (workers.stream()
                .anyMatch(each -> !Arrays.equals(end, each.replicas().getLast()))) {
            throw new IllegalStateException(
                    variant.method().words() + ": the replicas of two workers differ at the end");
        }
        double pushed = outcome.sum(ManagedTrainer.Seen::frames);
        double broadcast = outcome.served(ServerReport::framesBroadcast);
        return new Sample()
                .fact("method", variant.method().words())
                .fact("protocol", variant.method().protocol().configName())
                .fact("order", variant.method().order())
                .fact("dataset", images == null ? "logistic regression" : images.name())
                .fact("learning_rate", variant.learningRate())
                .fact("budget", variant.budget())
                .fact("burst", get(BURST))
                .steps("clock", 0, get(CLOCKS))
                .figure("loss", first.replicas(), task().loss())
                .figure("seconds_per_clock", first.seconds() / get(CLOCKS))
                .figure("bytes_pushed", outcome.sum(ManagedTrainer.Seen::bytesPushed))
                .figure("bytes_broadcast", outcome.served(ServerReport::bytesBroadcast))
                .figure("early_pushed", outcome.sum(ManagedTrainer.Seen::framesEarly) / pushed)
                .figure("early_broadcast", outcome.served(ServerReport::framesEarly) / broadcast)
                .figure("above_rate", aboveRate);
    }
}
