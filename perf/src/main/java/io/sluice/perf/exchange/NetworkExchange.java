package io.sluice.perf.exchange;

import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.Protocol;
import io.sluice.consistency.worker.Initialiser;
import io.sluice.consistency.worker.Table;
import io.sluice.consistency.worker.Worker;
import io.sluice.perf.cluster.Cluster;
import io.sluice.perf.cluster.Cost;
import io.sluice.perf.cluster.LabParameters;
import io.sluice.perf.cluster.Rendezvous;
import io.sluice.perf.cluster.Star;
import io.sluice.perf.cluster.WorkerTask;
import io.sluice.perf.experiment.Column;
import io.sluice.perf.experiment.Curves;
import io.sluice.perf.experiment.Experiment;
import io.sluice.perf.experiment.Layout;
import io.sluice.perf.experiment.Parameter;
import io.sluice.perf.experiment.Row;
import io.sluice.perf.experiment.Sample;
import io.sluice.perf.experiment.Scenario;
import io.sluice.perf.experiment.Settings;
import io.sluice.perf.nodes.PollingThread;
import io.sluice.perf.report.TextTable;
import io.sluice.tree.planning.TreePlanners;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.agrona.CloseHelper;
import org.agrona.concurrent.SleepingIdleStrategy;

/**
 * Measures a clock of the whole exchange over lab links: push, sum, broadcast, apply. Each turn is a cluster of its
 * own.
 */
public final class NetworkExchange extends Experiment<NetworkExchange.Variant> {
    private static final int MOST_CLOCKS = 10_000;
    private static final int SPARE_FRAMES = 8;
    private static final int MOST_FRAMES = 1 << 14;
    private static final Parameter<List<Integer>> PARAMS = Parameter.whole("params", 6_100_000, 1_000, 1 << 28)
            .several()
            .help("Parameters; the default is a tenth of AlexNet's");
    private static final Parameter<Integer> WORKERS =
            Parameter.whole("workers", 4, 1, Star.MAX_NODES).help("Workers");
    private static final Parameter<List<Double>> KEPT = Parameter.share("kept", 1)
            .several("1.0,0.2")
            .help("Share of the elements that pass the filters, the same ones at all workers; push-pull has no"
                    + " filters and sends all");
    private static final Parameter<List<Protocol>> PROTOCOL = Parameter.of(
                    "protocol",
                    "PROTOCOL",
                    null,
                    (option, text) -> io.sluice.messaging.Settings.constant(option, text, Protocol.class))
            .several("update,push-pull")
            .help("update or push-pull");
    private static final Parameter<List<String>> TREE = LabParameters.trees("rotated:2");
    private static final Parameter<Integer> CLOCKS =
            Parameter.whole("clocks", 2, 1, MOST_CLOCKS).help("Measured clocks in each turn");
    private static final Parameter<Integer> WARMUP =
            Parameter.whole("warmup", 1, 0, MOST_CLOCKS).help("Warm-up clocks in each turn");

    public static final Scenario SCENARIO = new Scenario(
            "exchange",
            List.of(
                    "Measures a clock of the whole exchange: all workers push, servers sum and send, all workers"
                            + " apply.",
                    "Workers compute nothing, so nothing is hidden behind computing.",
                    "Needs Linux and root: each server and worker runs on a host of a network lab."),
            2,
            LabParameters.and(NetworkExchange.class),
            new Layout(
                    NetworkExchange::title,
                    columns(),
                    List.of(new Curves(
                            "params",
                            row -> String.format(
                                    "exchange between %s servers and %s workers over links of %s",
                                    row.text("servers"), row.text("workers"), row.mbit("rate")),
                            new Curves.Axis("params", "million parameters", 1 / MEGA),
                            new Curves.Axis("seconds", "seconds per clock", 1),
                            row -> row.text("protocol") + ", " + row.text("tree") + ", kept "
                                    + TextTable.share(row.number("kept")),
                            "udp_batch",
                            "mtu"))),
            NetworkExchange::new);

    private final List<Star> stars;
    private Cluster cluster;

    /**
     * The times of each clock ({@link System#nanoTime}): before the update; when the links had taken all pushes, to a
     * millisecond; when the first slice was applied; when all slices were.
     */
    record Times(long[] starts, long[] pushed, long[] firsts, long[] ends) {}

    record Variant(Star star, int params, double kept, Protocol protocol, String tree) {}

    private NetworkExchange(Settings settings) {
        super(settings);
        stars = LabParameters.stars(settings, get(LabParameters.SERVERS), get(WORKERS));
        get(TREE).forEach(TreePlanners::named);
    }

    private static List<Column> columns() {
        return Column.list(
                Column.fact("protocol").shown("protocol"),
                Column.fact("tree").shown("tree"),
                Column.facts("params", "workers", "servers", "rate"),
                Column.fact("mtu").shown("mtu"),
                Column.fact("udp_batch").shown("udp"),
                Column.fact("kept").shownShort("kept"),
                Column.median("seconds")
                        .shown("seconds", "%.2f")
                        .note("from the first push until the last worker has applied the last slice"),
                Column.quartiles("seconds", "%.2f", 1),
                Column.median("push_seconds")
                        .shown("push", "%.2f")
                        .note("until the last link to a server has taken the last push"),
                Column.median("first_slice_seconds")
                        .shown("first slice", "%.3f")
                        .note("until the last worker has applied the first slice pushed"),
                Column.fact("wire_seconds"),
                Column.median("bytes_on_wire").whole().shown("wire MB", "%,.0f", 1 / MEGA),
                Column.median("max_uplink_bytes").whole(),
                Column.median("cpu_seconds")
                        .shown("cpu s", "%.1f")
                        .note("of all nodes and media drivers, which are threads of this process"),
                Cost.columns(),
                Column.count("clocks", "seconds"));
    }

    private static String title(Row row) {
        return String.format(
                "%,.0f parameters, %s workers, %s servers, links of %s: dense pushes alone take a server's link"
                        + " %.2f s",
                row.number("params"),
                row.text("workers"),
                row.text("servers"),
                row.mbit("rate"),
                row.number("wire_seconds"));
    }

    /** The variants. Push-pull has neither filters nor trees, so it is a single variant. */
    @Override
    public List<Variant> variants() {
        List<Variant> variants = new ArrayList<>();
        stars.forEach(star -> addVariants(star, variants));
        return variants;
    }

    private void addVariants(Star star, List<Variant> variants) {
        for (Protocol protocol : get(PROTOCOL)) {
            for (int params : get(PARAMS)) {
                if (Protocol.PUSH_PULL == protocol) {
                    variants.add(new Variant(star, params, 1, protocol, "flat"));
                    continue;
                }
                for (double kept : get(KEPT)) {
                    get(TREE).forEach(tree -> variants.add(new Variant(star, params, kept, protocol, tree)));
                }
            }
        }
    }

    @Override
    public String introduction() {
        return stars.getFirst().conditions();
    }

    @Override
    public List<Sample> measure(Variant variant) throws IOException, InterruptedException {
        Star star = variant.star();
        if (cluster == null || !cluster.serves(star)) {
            close();
            cluster = Cluster.build(star);
        }
        boolean pull = Protocol.PUSH_PULL == variant.protocol();
        ClusterSettings terms = star.terms()
                .protocol(variant.protocol())
                .tree(variant.tree())
                .filter(pull ? "none" : "dvf:" + ExchangeUpdates.DELTA)
                .build();
        int warmup = get(WARMUP);
        int clocks = warmup + get(CLOCKS);
        Task task = new Task(variant, terms);
        Cluster.Outcome<Times> outcome =
                cluster.run(terms, clocks, _ -> {}, worker -> worker.outboxFrames(task.outboxFrames()), task);
        List<Sample> samples = new ArrayList<>();
        for (int clock = warmup; clock < clocks; clock++) {
            samples.add(sample(outcome.seen(), clock, outcome.costs().get(clock))
                    .fact("params", variant.params())
                    .fact("mtu", star.mtu())
                    .fact("udp_batch", cluster.udpBatch().text())
                    .fact("kept", variant.kept())
                    .fact("protocol", variant.protocol().configName())
                    .fact("tree", pull ? "none" : variant.tree())
                    .fact(
                            "wire_seconds",
                            star.wireSeconds((long) Float.BYTES * variant.params() * star.workers() / star.servers())));
        }
        return samples;
    }

    /** The sample of one clock of all workers, from the time at which the first of them began to push. */
    static Sample sample(List<Times> workers, int clock, Cost cost) {
        long start = workers.stream()
                .mapToLong(times -> times.starts()[clock])
                .reduce((one, other) -> other - one < 0 ? other : one)
                .orElseThrow();
        return cost.addTo(new Sample()
                .figure("seconds", latest(workers, start, times -> times.ends()[clock]))
                .figure("push_seconds", latest(workers, start, times -> times.pushed()[clock]))
                .figure("first_slice_seconds", latest(workers, start, times -> times.firsts()[clock])));
    }

    private static double latest(List<Times> workers, long start, Function<Times, Long> moment) {
        return workers.stream()
                        .mapToLong(times -> moment.apply(times) - start)
                        .max()
                        .orElseThrow()
                / NS;
    }

    @Override
    public void close() {
        CloseHelper.close(cluster);
    }

    /**
     * A worker that pushes and computes nothing. Its first slice is a separate table, so that its arrival can be
     * observed; all other parameters are a second table. All waiting frames have room in the outbox of their link, so a
     * worker receives as soon as its update is filtered and encoded.
     */
    private final class Task implements WorkerTask<Times> {
        private final int clocks = get(WARMUP) + get(CLOCKS);
        private final int params;
        private final int slice;
        private final ExchangeUpdates first;
        private final ExchangeUpdates rest;

        /** Creates the updates, which all workers share. */
        Task(Variant variant, ClusterSettings terms) {
            params = variant.params();
            slice = Math.min(terms.sliceElements(), params / 2);
            first = new ExchangeUpdates(slice, variant.kept());
            rest = new ExchangeUpdates(params - slice, variant.kept());
        }

        /** Number of frames for which the outbox to one server needs room. */
        int outboxFrames() {
            return Math.min(MOST_FRAMES, params / slice / get(LabParameters.SERVERS) + SPARE_FRAMES);
        }

        @Override
        public Times train(Worker worker, Rendezvous rendezvous) throws InterruptedException {
            Times times = new Times(new long[clocks], new long[clocks], new long[clocks], new long[clocks]);
            Table head = worker.table("first", 1, slice);
            Table tail = worker.table("rest", 1, params - slice);
            worker.start(Initialiser.ZEROS);
            try (PushWatch watch = new PushWatch(worker)) {
                for (int i = 0; i < clocks; i++) {
                    rendezvous.await();
                    rendezvous.await();
                    times.starts[i] = System.nanoTime();
                    head.update(first.ofClock(i + 1));
                    tail.update(rest.ofClock(i + 1));
                    worker.clock();
                    head.sync();
                    times.firsts[i] = System.nanoTime();
                    tail.sync();
                    times.ends[i] = System.nanoTime();
                    rendezvous.await();
                    times.pushed[i] = watch.lastNs();
                    rendezvous.await();
                    if (i + 2 >= clocks) { // after an odd clock replicas are not zero
                        first.check(head, i + 1, worker.workers());
                        rest.check(tail, i + 1, worker.workers());
                    }
                }
            }
            return times;
        }
    }

    /** Records when a worker's links last accepted a frame, to about a millisecond. */
    private static final class PushWatch implements AutoCloseable {
        private static final long LOOK_NS = 1_000_000;

        private final PollingThread thread;
        private long bytes;
        private volatile long lastNs = System.nanoTime();

        /** Begins to watch a worker that has been started. Its counters end with it: close the watch before. */
        PushWatch(Worker worker) {
            bytes = worker.bytesPushed();
            thread = new PollingThread(
                    "push watch", new SleepingIdleStrategy(LOOK_NS), () -> look(worker.bytesPushed()));
        }

        private int look(long now) {
            if (now != bytes) {
                bytes = now;
                lastNs = System.nanoTime();
            }
            return 0;
        }

        /** The time of the last accepted frame, by {@link System#nanoTime}. */
        long lastNs() {
            return lastNs;
        }

        @Override
        public void close() {
            thread.close();
        }
    }
}
