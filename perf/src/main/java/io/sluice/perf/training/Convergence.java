package io.sluice.perf.training;

import io.sluice.consistency.server.ServerReport;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.ClusterSettingsBuilder;
import io.sluice.consistency.terms.TransportKind;
import io.sluice.consistency.worker.Table;
import io.sluice.consistency.worker.Worker;
import io.sluice.messaging.LinkRate;
import io.sluice.messaging.driver.ChannelSettings;
import io.sluice.messaging.driver.Driver;
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
import io.sluice.perf.lab.LinkName;
import io.sluice.perf.report.Quartiles;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/**
 * Trains real models over links of a lab in several ways, until they are as good as the first way makes them (Parameter
 * Flow, section 5.3: time to the same criterion).
 */
public final class Convergence extends Experiment<Way> {
    private static final int MOST = 1_000_000;
    private static final int LIVENESS_MS = 20_000;
    private static final int WARM_UP = Course.WARM + 1;
    private static final double NS = 1e9;
    private static final Duration QUEUE = Duration.ofMillis(200);
    private static final double MEGABYTES = 1e-6;
    private static final double PERCENT = 100;
    private static final String RATIO = "auto:";

    private static final Parameter<String> JOB = Parameter.choice(
            "job",
            "mails",
            List.of("mails", "ratings", "images"),
            "mails: logistic regression, as train lr; ratings: factorisation, as train mf; images: a perceptron with"
                    + " one hidden layer and momentum");
    private static final Parameter<Path> DATA = Parameter.path(
            "data",
            "DIR",
            "A folder with movielens or fashion-mnist (see sluice data); by default planted data of the same shape");
    private static final Parameter<List<Way>> WAYS = Parameter.of(
                    "ways",
                    "TERMS",
                    null,
                    "Terms of the cluster by the names of the options of train, such as filter=dvf:0.1"
                        + " consistency=ssp:4; local=N: steps in a clock, for images; clocks=N: other than --clocks",
                    Way::parse)
            .several(Way.SEPARATOR, "protocol=push-pull,filter=none,filter=dvf:0.1,filter=dvf:0.1 consistency=ssp:4");
    private static final Parameter<Integer> CLOCKS =
            Parameter.whole("clocks", 100, WARM_UP + 1, MOST, "Clocks of each way");
    private static final Parameter<Integer> TIMED = Parameter.whole(
            "timed-clocks",
            MOST,
            WARM_UP + 1,
            MOST,
            "Clocks of a turn in the lab, if fewer: the objective is then that of a run over shared memory, whose"
                    + " clocks change the same parameters, and further clocks take the median time");
    private static final Parameter<Integer> EVERY =
            Parameter.whole("every", 1, 1, MOST, "Clocks from one look at the objective to the next");
    private static final Parameter<Double> GOAL =
            Parameter.notNegative("goal", 0, "Objective to reach; 0 for that of the first way after --goal-clock");
    private static final Parameter<Integer> GOAL_CLOCK = Parameter.whole(
            "goal-clock", 0, 0, MOST, "Clock of the first way after which the others compare with it; 0 for the last");
    private static final Parameter<Integer> BATCH =
            Parameter.whole("batch", 128, 1, 1 << 16, "Examples of a worker's step, ratings apart");
    private static final Parameter<Integer> CLOCKS_PER_PASS =
            Parameter.whole("clocks-per-pass", 4, 1, MOST, "Clocks in which all ratings are taken");
    private static final Parameter<Double> LEARNING_RATE =
            Parameter.positive("learning-rate", 400, "Step over the mean gradient; of a rating for ratings");
    private static final Parameter<Long> COMPUTE = Parameter.time(
            "compute",
            "100ms",
            Duration.ofMinutes(1),
            "Time that a step's computation takes: what really takes less is waited for");
    private static final Parameter<String> RATE = Parameter.of(
            "rate",
            "RATE",
            RATIO + "5",
            "Rate of each host's link; auto:R: that at which push-pull takes R times as long for the exchange as for"
                    + " computing, by calculation without headers",
            Convergence::checkedRate);
    private static final Parameter<Double> CROSS = Parameter.number(
            "cross",
            0,
            share -> share >= 0 && share < 1,
            "0 or more, and below 1",
            "Share of the links to each node that other traffic uses, for 4 s on and 2 s off; then no node knows the"
                    + " rate of a link");
    private static final Parameter<Integer> WORKERS =
            Parameter.whole("workers", 4, 1, Star.MAX_NODES, "Workers, each on a host of its own");
    private static final Parameter<Integer> SEED = Parameter.whole(
            "seed", 1, Integer.MIN_VALUE, Integer.MAX_VALUE, "Seed of examples and of first parameters");

    public static final Scenario SCENARIO = new Scenario(
            "convergence",
            List.of(
                    "Trains real models over lab links in several ways; compares times to the same objective.",
                    "Each node has a host of its own; the lab needs root. The defaults take about three minutes."),
            1,
            List.of(
                    JOB,
                    DATA,
                    WAYS,
                    CLOCKS,
                    TIMED,
                    EVERY,
                    GOAL,
                    GOAL_CLOCK,
                    BATCH,
                    CLOCKS_PER_PASS,
                    LEARNING_RATE,
                    COMPUTE,
                    RATE,
                    CROSS,
                    WORKERS,
                    LabParameters.SERVERS,
                    LabParameters.MTU,
                    SEED),
            new Layout(
                    row -> row.text("job") + ", " + row.text("dataset"),
                    columns(),
                    List.of(curves("seconds", "second", "seconds"), curves("clocks", "clock", "clocks"))),
            Convergence::new);

    /** By way, the objective over clocks of a run over shared memory, which is the same in all turns. */
    private final Map<Way, double[]> objectives = new HashMap<>();

    /** By way, the bytes of the first parameters and of some clocks, in which the JVM compiles. */
    private final Map<Way, Long> starts = new HashMap<>();

    private Job job;
    private Star star;
    private Cluster lab;

    /**
     * What a worker has at the end.
     *
     * @param replicas parameters before each clock that is looked at, and at the end; empty except at worker 0
     */
    private record Seen(Course course, List<float[]> replicas, long bytesPushed, double offered, double kept) {}

    private Convergence(Settings settings) {
        super(settings);
        if (get(CROSS) > 0 && get(TIMED) != MOST) {
            throw Parameter.refusal(
                    TIMED.option(), get(TIMED), "all clocks with --cross: clocks with other traffic take longer");
        }
        if (get(COMPUTE) == 0 && get(RATE).startsWith(RATIO)) {
            throw Parameter.refusal(COMPUTE.option(), "0", "more than 0 with --rate " + RATIO + "R");
        }
        get(WAYS).forEach(this::check);
        if (get(GOAL_CLOCK) > clocks(get(WAYS).getFirst())) {
            throw Parameter.refusal(GOAL_CLOCK.option(), get(GOAL_CLOCK), "up to the clocks of the first way");
        }
    }

    private void check(Way way) {
        way.on(terms());
        int clocks = clocks(way);
        int timed = Math.min(get(TIMED), clocks);
        if (timed <= warmUp()) {
            throw Parameter.refusal(WAYS.option(), way.text(), "more than " + warmUp() + " timed clocks");
        }
        if (get(JOB).equals("ratings") && (clocks % get(CLOCKS_PER_PASS) != 0 || timed % get(CLOCKS_PER_PASS) != 0)) {
            throw Parameter.refusal(
                    CLOCKS.option(), clocks, "whole passes of --clocks-per-pass clocks, timed ones too");
        }
        if (way.localSteps() > 1 && !get(JOB).equals("images")) {
            throw Parameter.refusal(WAYS.option(), way.text(), "local=N with --job images only");
        }
        if (get(TIMED) < clocks && !way.repeats()) {
            throw Parameter.refusal(
                    WAYS.option(),
                    way.text(),
                    "with --timed-clocks no way in which parameters depend on times: bsp, and no filter that adapts");
        }
    }

    private int clocks(Way way) {
        return way.clocks(get(CLOCKS));
    }

    private static String checkedRate(String option, String text) {
        if (!text.startsWith(RATIO)) {
            LinkRate.parse(option, text);
        } else if (!text.substring(RATIO.length()).matches("\\d{1,3}(\\.\\d{1,3})?") || ratio(text) <= 0) {
            throw Parameter.refusal(option, text, "a rate such as 10mbit, or auto:R with an R above 0 such as auto:5");
        }
        return text;
    }

    private static double ratio(String text) {
        return Double.parseDouble(text.substring(RATIO.length()));
    }

    private static Curves curves(String word, String x, String title) {
        return new Curves(
                        word,
                        row -> row.text("dataset") + ", links of " + row.mbit("link_rate"),
                        new Curves.Axis(x, title, 1),
                        new Curves.Axis("objective", "objective", 1),
                        row -> row.text("way"))
                .with(Curves.Axes.LINEAR_X);
    }

    private static List<Column> columns() {
        List<Column> columns = new ArrayList<>(List.of(
                Column.fact("way").shown("way"),
                Column.fact("job"),
                Column.fact("dataset"),
                Column.fact("objective_name"),
                Column.fact("parameters"),
                Column.fact("workers"),
                Column.fact("servers"),
                Column.fact("link_rate"),
                Column.fact("mtu"),
                Column.fact("cross"),
                Column.fact("wanted"),
                Column.fact("goal_clock"),
                Column.series("clock"),
                Column.series("second"),
                Column.series("objective"),
                Column.derived("goal", Convergence::goal)));
        columns.addAll(Course.columns());
        columns.addAll(List.of(
                Column.derived(
                                "computing_per_clock",
                                row -> row.number("seconds_per_clock") - row.number("exchange_per_clock"))
                        .shown("computing", "%.3f")
                        .note("the rest, which is longer than --compute where the processors do not suffice"),
                Column.derived(
                                "exchange_ratio",
                                row -> row.number("exchange_per_clock") / row.number("computing_per_clock"))
                        .shown("R", "%.2f")
                        .note("exchange over computing; no way can be more than 1 + R of the first row"
                                + " times faster by less exchange alone"),
                Column.median("kept").shown("kept %", "%.2f", PERCENT),
                Column.median("pushed_per_clock")
                        .whole()
                        .shown("pushed", "%,.0f")
                        .note("bytes of a clock, by the first worker"),
                Column.median("bytes_per_clock").whole(),
                Column.derived("clocks_to_goal", (row, _) -> at(row, "clock")).shown("clocks to goal", "%.1f"),
                Column.derived("seconds_to_goal", (row, _) -> at(row, "second")).shown("s to goal", "%.2f"),
                Column.derived("faster", (row, rows) -> rows.getFirst().over(row, "seconds_to_goal"))
                        .shown("times faster", "%.2f")
                        .note("than the first row, to the same objective"),
                Column.derived("bytes_to_goal", row -> row.number("clocks_to_goal") * row.number("bytes_per_clock"))
                        .shown("MB to goal", "%,.2f", MEGABYTES)
                        .note("pushed and broadcast by all nodes in an average clock, with headers, times clocks to"
                                + " goal; without the first parameters"),
                Column.derived("fewer_bytes", (row, rows) -> rows.getFirst().over(row, "bytes_to_goal"))
                        .shown("times fewer bytes", "%.1f"),
                Column.shownOnly("objective", row -> {
                    double[] objective = row.numbers("objective");
                    return String.format("%.4f", objective[objective.length - 1]);
                })));
        return columns;
    }

    private static Object goal(Row row, List<Row> rows) {
        double wanted = row.number("wanted");
        double[] first = rows.getFirst().numbers("objective");
        double[] clocks = rows.getFirst().numbers("clock");
        int look = (int) Arrays.stream(clocks)
                .filter(clock -> clock < row.number("goal_clock"))
                .count();
        return wanted > 0 ? wanted : first[look];
    }

    /** Where a series is when the objective first reaches the goal, linear in between; NaN if it never does. */
    private static double at(Row row, String series) {
        double goal = row.number("goal");
        double[] objective = row.numbers("objective");
        double[] x = row.numbers(series);
        for (int i = 0; i < objective.length; i++) {
            if (objective[i] <= goal) {
                double share = i == 0 ? 0 : (objective[i - 1] - goal) / (objective[i - 1] - objective[i]);
                return i == 0 ? x[0] : x[i - 1] + share * (x[i] - x[i - 1]);
            }
        }
        return Double.NaN;
    }

    @Override
    public List<Way> variants() {
        return get(WAYS);
    }

    @Override
    public String introduction() {
        return String.format(
                "%d workers, %d servers, links of %s; a step computes for %d ms at least",
                get(WORKERS),
                get(LabParameters.SERVERS),
                get(RATE),
                Duration.ofNanos(get(COMPUTE)).toMillis());
    }

    @Override
    public void open() throws IOException, InterruptedException {
        job = switch (get(JOB)) {
            case "mails" -> new MailJob(get(BATCH), get(LEARNING_RATE), get(SEED));
            case "ratings" -> new RatingJob(get(DATA), get(CLOCKS_PER_PASS), get(LEARNING_RATE), get(SEED));
            default -> new ImageJob(get(DATA), get(BATCH), get(LEARNING_RATE), get(SEED));
        };
        star = new Star(
                get(LabParameters.SERVERS),
                get(WORKERS),
                get(RATE).startsWith(RATIO) ? rate(ratio(get(RATE))) : LinkRate.parse(RATE.option(), get(RATE)),
                get(LabParameters.MTU),
                new Driver.Context().udpBatch(),
                QUEUE,
                get(CROSS) == 0,
                List.of());
        lab = get(CROSS) == 0 ? Cluster.build(star) : shared();
        for (Way way : get(WAYS)) {
            starts.put(way, bytes(run(way, warmUp())));
        }
    }

    /** The lab of the star with one more host, from which other traffic is sent. */
    private Cluster shared() throws IOException, InterruptedException {
        int other = star.hosts();
        List<Integer> hosts = IntStream.range(0, other).boxed().toList();
        return Cluster.build(
                star.network().hosts(other + 1).uplink(LinkName.host(other), other * star.rate()),
                hosts.subList(0, star.servers()),
                hosts.subList(star.servers(), other),
                new ChannelSettings(),
                _ -> {});
    }

    /** The rate at which push-pull takes a multiple of the computing time to push and to fetch all parameters. */
    private long rate(double ratio) {
        double parametersOfBusiestLink =
                (double) job.parameters() * Math.max(1, (double) get(WORKERS) / get(LabParameters.SERVERS));
        return Math.round(2 * Float.SIZE * parametersOfBusiestLink / (ratio * get(COMPUTE) / NS));
    }

    @Override
    public void close() {
        if (lab != null) {
            lab.close();
        }
    }

    @Override
    public List<Sample> measure(Way way) throws IOException, InterruptedException {
        int timed = Math.min(get(TIMED), clocks(way));
        Cluster.Outcome<Seen> outcome = run(way, timed);
        Seen first = outcome.seen().getFirst();
        double[] objective = timed == clocks(way) ? objective(first.replicas()) : objective(way);
        double[] clocks = looks(way);
        return List.of(new Sample()
                .fact("way", way.text())
                .fact("dataset", job.dataset())
                .fact("objective_name", job.objective())
                .fact("parameters", job.parameters())
                .fact("link_rate", star.rate())
                .fact("wanted", get(GOAL))
                .fact("goal_clock", get(GOAL_CLOCK) == 0 ? clocks(get(WAYS).getFirst()) : get(GOAL_CLOCK))
                .figure("clock", clocks)
                .figure("second", seconds(first.course(), clocks))
                .figure("objective", objective)
                .figure("seconds_per_clock", first.course().secondsPerClock())
                .figure("exchange_per_clock", first.course().exchangePerClock())
                .figure("kept", first.kept() / first.offered())
                .figure("pushed_per_clock", first.course().pushedPerClock())
                .figure("bytes_per_clock", (bytes(outcome) - starts.get(way)) / (double) (timed - warmUp())));
    }

    private int warmUp() {
        return get(JOB).equals("ratings") ? get(CLOCKS_PER_PASS) : WARM_UP;
    }

    private static long bytes(Cluster.Outcome<Seen> outcome) {
        return outcome.sum(Seen::bytesPushed) + outcome.served(ServerReport::bytesBroadcast);
    }

    private Cluster.Outcome<Seen> run(Way way, int clocks) throws IOException, InterruptedException {
        AtomicInteger trained = new AtomicInteger();
        return lab.runBeside(
                way.on(star.terms()),
                "",
                _ -> {},
                _ -> {},
                (worker, _) -> {
                    Seen seen = train(worker, way, clocks, get(COMPUTE));
                    trained.incrementAndGet();
                    return seen;
                },
                (tasks, _) -> {
                    if (get(CROSS) > 0) {
                        new CrossPhases(lab.lab(), star, get(CROSS)).run(tasks, () -> trained.get() == star.workers());
                    }
                });
    }

    /** The numbers of clocks before each look at the objective. */
    private double[] looks(Way way) {
        return IntStream.rangeClosed(0, clocks(way))
                .filter(before -> isLookedAt(way, before))
                .asDoubleStream()
                .toArray();
    }

    private boolean isLookedAt(Way way, int clocksBefore) {
        return clocksBefore % get(EVERY) == 0 || clocksBefore == clocks(way);
    }

    /** The seconds from the first parameters until worker 0 had those of each look. */
    private static double[] seconds(Course course, double[] clocks) {
        double[] read = course.read();
        double perClock = Quartiles.of(course.secondsPerClock()).median();
        double[] seconds = new double[clocks.length];
        for (int i = 0; i < clocks.length; i++) {
            int before = (int) clocks[i];
            int last = Math.min(before, read.length - 1);
            seconds[i] = before == read.length ? course.endSeconds() : read[last] + (before - last) * perClock;
        }
        return seconds;
    }

    private double[] objective(List<float[]> replicas) {
        return replicas.parallelStream().mapToDouble(job::objective).toArray();
    }

    /** The objective of a run over shared memory, which computes as fast as it can. */
    private double[] objective(Way way) throws IOException, InterruptedException {
        double[] known = objectives.get(way);
        if (known != null) {
            return known;
        }
        int servers = get(LabParameters.SERVERS);
        int links = 2 * get(WORKERS) * servers + get(WORKERS) + servers;
        try (Cluster host = Cluster.onThisHost(links, TransportKind.IPC)) {
            Cluster.Outcome<Seen> outcome =
                    host.run(way.on(terms()), 0, (worker, _) -> train(worker, way, clocks(way), 0));
            double[] objective = objective(outcome.seen().getFirst().replicas());
            objectives.put(way, objective);
            return objective;
        }
    }

    private ClusterSettingsBuilder terms() {
        return ClusterSettings.builder()
                .servers(get(LabParameters.SERVERS))
                .workers(get(WORKERS))
                .livenessMs(LIVENESS_MS);
    }

    private Seen train(Worker worker, Way way, int clocks, long stepNs) {
        Job.Training training = job.declare(worker, clocks, way.localSteps());
        List<float[]> replicas = new ArrayList<>();
        Course course = new Course(worker, clocks, stepNs * way.localSteps(), before -> {
            if (worker.index() == 0 && isLookedAt(way, before)) {
                replicas.add(parameters(training.tables()));
            }
        });
        training.train(course);
        course.end();
        if (worker.index() == 0 && isLookedAt(way, clocks)) {
            replicas.add(parameters(training.tables()));
        }
        return new Seen(
                course,
                replicas,
                worker.bytesPushed(),
                worker.stats().elementsOffered(),
                worker.stats().elementsKept());
    }

    private float[] parameters(List<Table> tables) {
        float[] all = new float[job.parameters()];
        MemorySegment target = MemorySegment.ofArray(all);
        long at = 0;
        for (Table table : tables) {
            MemorySegment own = table.view().segment();
            MemorySegment.copy(own, 0, target, at, own.byteSize());
            at += own.byteSize();
        }
        return all;
    }
}
