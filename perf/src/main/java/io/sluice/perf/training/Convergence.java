package io.sluice.perf.training;

import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.ClusterSettingsBuilder;
import io.sluice.consistency.terms.TransportKind;
import io.sluice.messaging.LinkRate;
import io.sluice.messaging.driver.ChannelSettings;
import io.sluice.messaging.driver.Driver;
import io.sluice.perf.cluster.Cluster;
import io.sluice.perf.cluster.LabParameters;
import io.sluice.perf.cluster.Star;
import io.sluice.perf.cluster.Way;
import io.sluice.perf.experiment.Experiment;
import io.sluice.perf.experiment.Parameter;
import io.sluice.perf.experiment.Row;
import io.sluice.perf.experiment.Sample;
import io.sluice.perf.experiment.Scenario;
import io.sluice.perf.experiment.Settings;
import io.sluice.perf.lab.LinkName;
import io.sluice.perf.report.Quartiles;
import io.sluice.samples.descent.DescentSettings;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.time.Duration;
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
    private static final Duration QUEUE = Duration.ofMillis(200);
    private static final String RATIO = "auto:";

    private static final Parameter<String> JOB = Parameter.choice(
                    "job", "mails", List.of("mails", "ratings", "images", "cnn"))
            .help("mails: logistic regression, as train lr; ratings: factorisation, as train mf; images: a"
                    + " perceptron with one hidden layer and momentum; cnn: the convolutional network of train"
                    + " cnn, by PyTorch");
    private static final Parameter<Path> DATA = Parameter.path("data", "DIR")
            .help("A folder with movielens or fashion-mnist (see sluice data); by default planted data of the same"
                    + " shape");
    private static final Parameter<List<Way>> WAYS = Parameter.of("ways", "TERMS", null, Way::parse)
            .several(Way.SEPARATOR, "protocol=push-pull,filter=none,filter=dvf:0.1,filter=dvf:0.1 consistency=ssp:4")
            .help("Terms of the cluster by the names of the options of train, such as filter=dvf:0.1"
                    + " consistency=ssp:4; local=N: steps in a clock, for images; clocks=N: other than --clocks");
    private static final Parameter<Integer> CLOCKS =
            Parameter.whole("clocks", 100, WARM_UP + 1, MOST).help("Clocks of each way");
    private static final Parameter<Integer> TIMED = Parameter.whole("timed-clocks", MOST, WARM_UP + 1, MOST)
            .help("Clocks of a turn in the lab, if fewer: the objective is then that of a run over shared memory, whose"
                    + " clocks change the same parameters, and further clocks take the median time");
    private static final Parameter<Integer> EVERY =
            Parameter.whole("every", 1, 1, MOST).help("Clocks between two evaluations of the objective");
    private static final Parameter<Double> GOAL =
            Parameter.notNegative("goal", 0).help("Objective to reach; 0 for that of the first way after --goal-clock");
    private static final Parameter<Integer> GOAL_CLOCK = Parameter.whole("goal-clock", 0, 0, MOST)
            .help("Clock of the first way after which the others compare with it; 0 for the last");
    private static final Parameter<Integer> BATCH =
            Parameter.whole("batch", 128, 1, 1 << 16).help("Examples of a worker's step, ratings apart");
    private static final Parameter<Integer> CLOCKS_PER_PASS =
            Parameter.whole("clocks-per-pass", 4, 1, MOST).help("Clocks in which all ratings are taken");
    private static final Parameter<Double> LEARNING_RATE = Parameter.positive("learning-rate", 400)
            .help("Step, as a multiple of the mean gradient; for ratings, of the gradient of one rating");
    private static final Parameter<Long> COMPUTE = Parameter.time("compute", "100ms", Duration.ofMinutes(1))
            .help("Minimum time of a step's computation; a step that computes faster waits for the rest");
    private static final Parameter<String> RATE = Parameter.of("rate", "RATE", RATIO + "5", Convergence::checkedRate)
            .help("Rate of each host's link; auto:R: that at which push-pull takes R times as long for the exchange"
                    + " as for computing, by calculation without headers");
    private static final Parameter<Double> CROSS = Parameter.number(
                    "cross", 0, share -> share >= 0 && share < 1, "0 or more, and below 1")
            .help("Share of the links to each node that other traffic uses, again and again for --cross-on, with"
                    + " pauses of --cross-off; then no link rate is configured at nodes");
    private static final Parameter<Long> CROSS_ON =
            Parameter.time("cross-on", "4s", Duration.ofMinutes(2)).help("Length of a phase with other traffic");
    private static final Parameter<Long> CROSS_OFF =
            Parameter.time("cross-off", "2s", Duration.ofMinutes(2)).help("Length of a phase without other traffic");
    private static final Parameter<Integer> WORKERS =
            Parameter.whole("workers", 4, 1, Star.MAX_NODES).help("Workers, each on a host of its own");
    private static final Parameter<Integer> SEED = Parameter.whole("seed", 1, Integer.MIN_VALUE, Integer.MAX_VALUE)
            .help("Seed of examples and of first parameters");

    public static final Scenario SCENARIO = new Scenario(
            "convergence",
            List.of(
                    "Trains real models over lab links in several ways; compares times to the same objective.",
                    "Each node has a host of its own; the lab needs root. The defaults take about three minutes."),
            1,
            Parameter.declaredBy(Convergence.class, LabParameters.SERVERS, LabParameters.MTU),
            ConvergenceTable.LAYOUT,
            Convergence::new);

    /** For each way, the quality over clocks of a run over shared memory, which is the same in all turns. */
    private final Map<Way, List<Job.Quality>> qualities = new HashMap<>();

    private Job job;
    private Star star;
    private Cluster lab;

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
        if (timed <= WARM_UP) {
            throw Parameter.refusal(WAYS.option(), way.text(), "more than " + WARM_UP + " timed clocks");
        }
        if (get(JOB).equals("ratings") && (clocks % get(CLOCKS_PER_PASS) != 0 || timed % get(CLOCKS_PER_PASS) != 0)) {
            throw Parameter.refusal(
                    CLOCKS.option(), clocks, "whole passes of --clocks-per-pass clocks, timed ones too");
        }
        if (way.localSteps() > 1 && !List.of("images", "cnn").contains(get(JOB))) {
            throw Parameter.refusal(WAYS.option(), way.text(), "local=N with --job images or cnn only");
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
            case "mails" -> MailJob.of(get(BATCH), get(LEARNING_RATE), get(SEED));
            case "ratings" -> RatingJob.of(get(DATA), get(CLOCKS_PER_PASS), get(LEARNING_RATE), get(SEED));
            case "images" -> ImageJob.perceptron(get(DATA), descent());
            default -> ImageJob.convolutional(get(DATA), descent());
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
        lab = closing(get(CROSS) == 0 ? Cluster.build(star) : shared());
    }

    private DescentSettings descent() {
        return new DescentSettings(get(CLOCKS), get(BATCH), get(LEARNING_RATE), get(SEED));
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
    public List<String> conclusions(List<Row> rows) {
        return ConvergenceTable.conclusions(rows);
    }

    @Override
    public List<Sample> measure(Way way) throws IOException, InterruptedException {
        int timed = Math.min(get(TIMED), clocks(way));
        boolean isWhole = timed == clocks(way);
        TrueParameters truth =
                isWhole && way.isValueBounded() ? new TrueParameters(get(WORKERS), way.staleness(), job.step()) : null;
        try (Arena copies = Arena.ofShared()) {
            Turn turn = new Turn(job, way, timed, get(COMPUTE), get(EVERY), lab::bytesSent, truth, copies);
            Turn.Seen first = run(lab, star.terms(), turn);
            List<Job.Quality> quality = isWhole ? qualities(first.replicas()) : quality(way);
            double[] looks = Turn.looks(clocks(way), get(EVERY));
            Course course = first.course();
            return List.of(course.addTo(new Sample())
                    .fact("way", way.text())
                    .fact("dataset", job.dataset())
                    .fact("objective_name", job.objective())
                    .fact("held_out_name", job.heldOut())
                    .fact("parameters", job.parameters())
                    .fact("link_rate", star.rate())
                    .fact("wanted", get(GOAL))
                    .fact("goal_clock", get(GOAL_CLOCK) == 0 ? clocks(get(WAYS).getFirst()) : get(GOAL_CLOCK))
                    .figure("clock", looks)
                    .figure("second", continued(course.read(), course.secondsPerClock(), looks))
                    .figure("bytes", continued(first.sent(), Course.increases(first.sent()), looks))
                    .figure("objective", quality, Job.Quality::objective)
                    .figure("held_out", quality, Job.Quality::heldOut)
                    .figure("distance", truth == null ? new double[0] : truth.distances())
                    .figure("bound", truth == null ? new double[0] : truth.bounds())
                    .figure("kept", first.kept() / first.offered()));
        }
    }

    /** Runs a turn; returns what worker 0 has. */
    private Turn.Seen run(Cluster cluster, ClusterSettingsBuilder terms, Turn turn)
            throws IOException, InterruptedException {
        AtomicInteger trained = new AtomicInteger();
        Cluster.Outcome<Turn.Seen> outcome = cluster.runWithCallerTask(
                turn.way().on(terms),
                "",
                _ -> {},
                _ -> {},
                (worker, together) -> {
                    Turn.Seen seen = turn.train(worker, together);
                    trained.incrementAndGet();
                    return seen;
                },
                (tasks, _) -> {
                    tasks.rendezvous().await();
                    if (get(CROSS) > 0) {
                        new CrossPhases(lab.lab(), star, get(CROSS), get(CROSS_ON), get(CROSS_OFF))
                                .run(tasks, () -> trained.get() == get(WORKERS));
                    }
                });
        return outcome.seen().getFirst();
    }

    /**
     * The values of a series at the evaluations. Each clock after the last known value adds the median increase.
     *
     * @param known     known values by the number of completed clocks
     * @param increases increases of the series in one clock, of which the median counts
     * @param looks     numbers of completed clocks at the evaluations
     */
    private static double[] continued(double[] known, double[] increases, double[] looks) {
        double each = Quartiles.of(increases).median();
        int last = known.length - 1;
        return Arrays.stream(looks)
                .map(look -> known[(int) Math.min(look, last)] + Math.max(0, look - last) * each)
                .toArray();
    }

    private List<Job.Quality> qualities(List<MemorySegment> replicas) {
        return replicas.parallelStream()
                .map(replica -> job.quality().apply(replica.toArray(ValueLayout.JAVA_FLOAT)))
                .toList();
    }

    /** The quality in a run over shared memory, which computes as fast as it can. */
    private List<Job.Quality> quality(Way way) throws IOException, InterruptedException {
        List<Job.Quality> known = qualities.get(way);
        if (known != null) {
            return known;
        }
        int servers = get(LabParameters.SERVERS);
        int links = 2 * get(WORKERS) * servers + get(WORKERS) + servers;
        try (Cluster host = Cluster.onThisHost(links, TransportKind.IPC);
                Arena copies = Arena.ofShared()) {
            Turn turn = new Turn(job, way, clocks(way), 0, get(EVERY), host::bytesSent, null, copies);
            List<Job.Quality> quality = qualities(run(host, terms(), turn).replicas());
            qualities.put(way, quality);
            return quality;
        }
    }

    private ClusterSettingsBuilder terms() {
        return ClusterSettings.builder()
                .servers(get(LabParameters.SERVERS))
                .workers(get(WORKERS))
                .livenessMs(LIVENESS_MS);
    }
}
