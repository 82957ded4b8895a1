package io.sluice.perf.shared;

import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.TransportKind;
import io.sluice.consistency.worker.Initialiser;
import io.sluice.consistency.worker.Table;
import io.sluice.consistency.worker.Worker;
import io.sluice.console.UnavailableException;
import io.sluice.messaging.driver.ChannelSettings;
import io.sluice.perf.cluster.Cluster;
import io.sluice.perf.cluster.Rendezvous;
import io.sluice.perf.cluster.Replica;
import io.sluice.perf.cluster.Usage;
import io.sluice.perf.experiment.Column;
import io.sluice.perf.experiment.Curves;
import io.sluice.perf.experiment.Experiment;
import io.sluice.perf.experiment.Layout;
import io.sluice.perf.experiment.Parameter;
import io.sluice.perf.experiment.Row;
import io.sluice.perf.experiment.Sample;
import io.sluice.perf.experiment.Scenario;
import io.sluice.perf.experiment.Settings;
import io.sluice.perf.lab.CrossFlow;
import io.sluice.perf.lab.CrossTraffic;
import io.sluice.perf.lab.Lab;
import io.sluice.perf.lab.LabPlan;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/** Measures thresholds that adapt to the network on links with cross traffic. */
public final class Shared extends Experiment<Shared.Threshold> {
    /** Number of clocks before the first phase, in which residuals and the estimates of link rates settle. */
    private static final int WARMUP = 60;

    /** The receivers' window: two fit into the queue of a link that cross traffic mostly uses. */
    private static final int WINDOW = 256 << 10;

    private static final int SLICE = 8_192;
    private static final int BURST = 64 << 10;

    /** The share of a link's rate that is available for bytes of the log, after headers and some slack. */
    private static final double USED = 0.95;

    /** Maximum acceptable factor by which clocks take longer with cross traffic. */
    private static final double BEARABLE = 1.5;

    /** Share of retransmitted bytes above which losses cause more losses. */
    private static final double STORM = 0.01;

    private static final int RACKS = 2;

    /** Factor by which the hosts' links are faster than the link between the racks. */
    private static final int FASTER = 5;

    /**
     * Capacity of a link's queue as a time: enough for all frames in flight to the server while cross traffic uses most
     * of its link.
     */
    private static final Duration QUEUE = Duration.ofMillis(200);

    /** Maximum number of frames that may wait at a worker. */
    private static final int FRAMES = 512;

    /** Multiple of the longest expected time of a phase after which the phase counts as hung, apart from the start. */
    private static final int PATIENCE = 20;

    private static final long LEAST_PATIENCE_S = 60;
    private static final Parameter<Integer> WORKERS =
            Parameter.whole("workers", 2, 1, 8).help("Workers");
    private static final Parameter<Integer> ELEMENTS =
            Parameter.whole("elements", 1_048_576, SLICE, 1 << 26).help("Parameters of the model");
    private static final Parameter<Long> COMPUTE =
            Parameter.time("compute", "60ms", Duration.ofMinutes(1)).help("Computing of a clock");
    private static final Parameter<Long> RATE =
            Parameter.rate("rate", "100mbit").help("Rate of the link between server and workers");
    private static final Parameter<Double> CROSS = Parameter.number(
                    "cross", 0.7, share -> share > 0 && share < 1, "above 0 and below 1")
            .help("Share of that link that cross traffic uses, in each direction");
    private static final Parameter<List<Integer>> CLOCKS = Parameter.whole("clocks", 25, 1, 10_000)
            .several("25,40,120")
            .help("Clocks before, with and after cross traffic");
    private static final Parameter<Double> LOW = threshold(
            "low",
            4,
            "Delta of the fixed threshold, and of the adaptive one on fast links; gradients are double exponential with"
                    + " a scale of 1 / sqrt(t)");
    private static final Parameter<Double> HIGH =
            threshold("high", 12, "Delta of the adaptive threshold while a link is slow");
    private static final Parameter<Long> MIN_RATE =
            Parameter.rate("min-rate", "25mbit").help("Rate below which a link is slow");
    private static final Parameter<List<Threshold>> THRESHOLDS = Parameter.constant(
                    "thresholds", Threshold.FIXED, "Thresholds to run")
            .several("fixed,adaptive,budget");

    public static final Scenario SCENARIO = new Scenario(
            "shared",
            List.of(
                    "Runs a job while cross traffic starts and ends: a fixed threshold, an adaptive one, and a budget.",
                    "The adaptive threshold and the budget follow the measured rate. Computing is simulated, and"
                            + " gradients are random; everything else is real. The defaults take about three minutes.",
                    "Needs Linux and root: nodes and cross traffic are on hosts in two racks of a network lab."),
            1,
            Parameter.declaredBy(Shared.class),
            new Layout(
                    row -> "each threshold before, with and after cross traffic",
                    columns(),
                    List.of(
                            curves("clock", "clock_series_ms", "ms", 1),
                            curves("kept", "kept_series", "% of elements pushed", PERCENT))),
            Shared::new);

    private Cluster cluster;

    /** Number of clocks of a turn that the first worker has completed. */
    private volatile int clock;

    /** The seconds and the density of pushes of each clock of a worker, and the checksum of its final replica. */
    record Clocks(double[] seconds, double[] kept, int checksum) {}

    /** The threshold that decides which share of an update is sent. */
    enum Threshold {
        /** A schedule that is the same for every network. */
        FIXED,
        /** That of Parameter Flow, which is higher while a link has less than a stated rate (section 3.3.3). */
        ADAPTIVE,
        /** A threshold that sends as many bytes as the measured rate carries in the time of a clock. */
        BUDGET
    }

    /** The parts of a turn, in their order: the job uses the links alone, with cross traffic, and alone again. */
    enum Phase {
        BEFORE,
        CROSS,
        AFTER
    }

    Shared(Settings settings) {
        super(settings);
        if (get(CLOCKS).size() != Phase.values().length) {
            throw Parameter.refusal(CLOCKS.option(), settings.texts().get(CLOCKS.name()), "three numbers");
        }
        if (get(HIGH) < get(LOW)) {
            throw Parameter.refusal(HIGH.option(), get(HIGH), "--low or more");
        }
    }

    /** First clock of a phase, from 0. */
    int start(Phase phase) {
        return WARMUP
                + get(CLOCKS).subList(0, phase.ordinal()).stream()
                        .mapToInt(Integer::intValue)
                        .sum();
    }

    /** First clock after a phase. */
    int end(Phase phase) {
        return start(phase) + get(CLOCKS).get(phase.ordinal());
    }

    private static Parameter<Double> threshold(String name, double value, String help) {
        return Parameter.number(name, value, delta -> delta > 0 && delta <= Float.MAX_VALUE, "above 0, and an f32")
                .help(help);
    }

    private static Curves curves(String word, String column, String title, double scale) {
        return new Curves(
                        word,
                        row -> "a job with cross traffic from clock " + row.text("cross_from") + " to "
                                + row.text("cross_to"),
                        new Curves.Axis("clock_series", "clock", 1),
                        new Curves.Axis(column, title, scale),
                        row -> row.text("threshold"))
                .with(Curves.Axes.LINEAR);
    }

    private static List<Column> columns() {
        return Column.list(
                Column.fact("threshold").shown("threshold"),
                Column.fact("filter"),
                Column.fact("phase").shown("phase"),
                Column.facts("cross_from", "cross_to"),
                Column.count("clocks", "clock_ms"),
                Column.percentile("clock_ms", "clock_ms", 50)
                        .shown("clock ms", "%,.0f")
                        .note("of the slowest worker"),
                Column.percentile("clock_p95_ms", "clock_ms", 95).shown("p95", "%,.0f"),
                Column.relative("ratio", "clock_ms", Shared::isBefore, "threshold")
                        .shown("/ before", "%.2f"),
                Column.relative("p95_ratio", "clock_p95_ms", Shared::isBefore, "threshold")
                        .shown("p95 / before", "%.2f"),
                Column.mean("kept", "kept").shown("kept", "%.2f %%", PERCENT),
                Column.sum("bytes").whole(),
                Column.sum("retransmitted_bytes").whole(),
                Column.quotient("bytes_per_clock", "bytes", "clocks").shown("MB a clock", "%.2f", 1e-6),
                Column.quotient("retransmitted", "retransmitted_bytes", "bytes")
                        .shown("retransmitted", "%.3f %%", PERCENT),
                Column.sum("dropped").whole().shown("dropped", "%,.0f"),
                Column.min("least_rate", "least_rate").whole().shown("least Mbit/s", "%.1f", 1e-6),
                Column.series("clock_series", "clock_series_ms", "kept_series"));
    }

    private static boolean isBefore(Row row) {
        return row.text("phase").equals(Parameter.word(Phase.BEFORE));
    }

    @Override
    public List<Threshold> variants() {
        return get(THRESHOLDS).stream().sorted().toList();
    }

    @Override
    public String introduction() {
        return String.format(
                "%,d parameters, %d workers behind a link of %s, of which cross traffic uses %.0f %%; computing %s;"
                        + " queues of links hold %d ms, each data link is paced at its share",
                get(ELEMENTS),
                get(WORKERS),
                settings.texts().get(RATE.name()),
                PERCENT * get(CROSS),
                settings.texts().get(COMPUTE.name()),
                QUEUE.toMillis());
    }

    /**
     * Two racks and the shared link between them. The server is in the first rack, the workers are in the second, and
     * cross traffic has a separate host in each, because a host's own link blocks its senders when it is full, and only
     * a switch drops packets.
     */
    @Override
    public void open() throws IOException, InterruptedException {
        cluster = closing(Cluster.build(
                new LabPlan()
                        .hosts(RACKS * inRack())
                        .racks(RACKS)
                        .rate(FASTER * get(RATE))
                        .rackRate(get(RATE))
                        .queue(QUEUE),
                List.of(0),
                IntStream.range(inRack(), inRack() + get(WORKERS)).boxed().toList(),
                new ChannelSettings().receiverWindow(WINDOW),
                _ -> {}));
    }

    /** Number of hosts of a rack: those of workers, or the server's and idle ones, and one for cross traffic. */
    private int inRack() {
        return get(WORKERS) + 1;
    }

    private List<CrossTraffic> cross() throws IOException, InterruptedException {
        int near = inRack() - 1;
        int far = RACKS * inRack() - 1;
        long rate = Math.round(get(CROSS) * get(RATE));
        Lab lab = cluster.lab();
        return List.of(lab.cross(CrossFlow.udp(far, near, rate)), lab.cross(CrossFlow.udp(near, far, rate)));
    }

    /** BSP over UDP; each data link is paced at its fair share of the link between server and workers. */
    private ClusterSettings terms(Threshold threshold) {
        return Cluster.terms(1, get(WORKERS))
                .filter(filter(threshold))
                .transport(TransportKind.UDP)
                .sliceElements(SLICE)
                .linkBudget((long) (USED * get(RATE) / get(WORKERS)) + "bit", BURST)
                .tree("flat")
                .build();
    }

    private String filter(Threshold threshold) {
        return switch (threshold) {
            case FIXED -> "dvf:" + get(LOW);
            case ADAPTIVE -> "adaptive:" + get(LOW) + "," + get(HIGH) + ";min=" + get(MIN_RATE) + "bit";
            case BUDGET -> "budget:auto";
        };
    }

    @Override
    public List<Sample> measure(Threshold threshold) throws IOException, InterruptedException {
        long patience = LEAST_PATIENCE_S + (long) (PATIENCE * end(Phase.AFTER) * get(COMPUTE) / NS);
        clock = 0;
        List<Usage> traffic = new ArrayList<>();
        List<Clocks> workers = cluster.runWithCallerTask(
                        terms(threshold),
                        "",
                        _ -> {},
                        worker -> worker.outboxFrames(FRAMES),
                        this::train,
                        (tasks, _) -> {
                            tasks.await("residuals have settled", patience, () -> clock >= WARMUP);
                            Usage start = cluster.usage();
                            for (Phase phase : Phase.values()) {
                                List<CrossTraffic> others = phase == Phase.CROSS ? cross() : List.of();
                                tasks.await("a phase has ended", patience, () -> clock >= end(phase));
                                others.forEach(CrossTraffic::close);
                                Usage end = cluster.usage();
                                traffic.add(end.since(start));
                                start = end;
                            }
                        })
                .seen();
        if (workers.stream().mapToInt(Clocks::checksum).distinct().count() > 1) {
            throw new UnavailableException("the replicas of the workers differ: updates were lost or duplicated");
        }
        return samples(threshold, workers, traffic);
    }

    /** Pushes random gradients; computing only takes time. */
    private Clocks train(Worker worker, Rendezvous rendezvous) {
        Gradients gradients = new Gradients(get(ELEMENTS), worker.index());
        double[] seconds = new double[end(Phase.AFTER)];
        double[] kept = new double[seconds.length];
        Table table = worker.table("w", 1, get(ELEMENTS));
        worker.start(Initialiser.ZEROS);
        long endNs = System.nanoTime();
        for (int i = 0; i < seconds.length; i++) {
            long startNs = endNs;
            long before = worker.stats().elementsKept();
            table.sync();
            float[] update = gradients.next(i + 1);
            LockSupport.parkNanos(get(COMPUTE));
            table.update(update);
            worker.clock();
            endNs = System.nanoTime();
            seconds[i] = (endNs - startNs) / NS;
            kept[i] = (worker.stats().elementsKept() - before) / (double) get(ELEMENTS);
            if (worker.index() == 0) {
                clock = i + 1;
            }
        }
        worker.drain();
        return new Clocks(seconds, kept, Replica.hash(table));
    }

    /** The seconds that each of some clocks took at its slowest worker. */
    private static double[] slowest(List<Clocks> workers, int start, int end) {
        return IntStream.range(start, end)
                .mapToDouble(clock -> workers.stream()
                        .mapToDouble(worker -> worker.seconds[clock])
                        .max()
                        .orElseThrow())
                .toArray();
    }

    /** A sample of each phase, whose clocks are those of the slowest worker. */
    List<Sample> samples(Threshold threshold, List<Clocks> workers, List<Usage> traffic) {
        List<Sample> samples = new ArrayList<>();
        for (Phase phase : Phase.values()) {
            Usage used = traffic.get(phase.ordinal());
            int start = start(phase);
            int end = end(phase);
            Clocks first = workers.getFirst();
            samples.add(new Sample()
                    .fact("threshold", Parameter.word(threshold))
                    .fact("filter", filter(threshold))
                    .fact("phase", Parameter.word(phase))
                    .fact("cross_from", start(Phase.CROSS) + 1)
                    .fact("cross_to", end(Phase.CROSS))
                    .figure("clock_ms", ms(slowest(workers, start, end)))
                    .figure(
                            "kept",
                            workers.stream()
                                    .flatMapToDouble(worker -> Arrays.stream(worker.kept(), start, end))
                                    .average()
                                    .orElseThrow())
                    .figure("bytes", used.sent())
                    .figure("retransmitted_bytes", used.retransmitted())
                    .figure("dropped", used.dropped())
                    .figure("least_rate", used.leastRate())
                    .steps("clock_series", start + 1, end)
                    .figure("clock_series_ms", ms(Arrays.copyOfRange(first.seconds(), start, end)))
                    .figure("kept_series", Arrays.copyOfRange(first.kept(), start, end)));
        }
        return samples;
    }

    private static double[] ms(double[] seconds) {
        return Arrays.stream(seconds).map(value -> MS * value).toArray();
    }

    /** Creates a sentence for each threshold. */
    @Override
    public List<String> conclusions(List<Row> rows) {
        return rows.stream()
                .filter(row -> row.text("phase").equals(Parameter.word(Phase.CROSS)))
                .map(Shared::conclusion)
                .toList();
    }

    static String conclusion(Row row) {
        return String.format(
                "%s: with cross traffic a clock takes %.2f times as long (%s %.1f), %.3f %% of bytes were retransmitted"
                        + " (%s %.0f %%)",
                row.text("filter"),
                row.number("ratio"),
                row.number("ratio") <= BEARABLE ? "within" : "not within",
                BEARABLE,
                PERCENT * row.number("retransmitted"),
                row.number("retransmitted") < STORM ? "below" : "not below",
                PERCENT * STORM);
    }
}
