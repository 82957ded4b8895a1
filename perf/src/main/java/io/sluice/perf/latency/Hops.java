package io.sluice.perf.latency;

import io.sluice.codecs.Frame;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.worker.Initialiser;
import io.sluice.consistency.worker.Table;
import io.sluice.consistency.worker.Worker;
import io.sluice.perf.cluster.Cluster;
import io.sluice.perf.cluster.CommandedBroadcast;
import io.sluice.perf.cluster.LabParameters;
import io.sluice.perf.cluster.Rendezvous;
import io.sluice.perf.cluster.Star;
import io.sluice.perf.cluster.WorkerTask;
import io.sluice.perf.experiment.Column;
import io.sluice.perf.experiment.Experiment;
import io.sluice.perf.experiment.Layout;
import io.sluice.perf.experiment.Parameter;
import io.sluice.perf.experiment.Row;
import io.sluice.perf.experiment.Sample;
import io.sluice.perf.experiment.Scenario;
import io.sluice.perf.experiment.Settings;
import io.sluice.perf.experiment.TableSize;
import io.sluice.perf.nodes.PollingThread;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import org.agrona.concurrent.SleepingIdleStrategy;

/** Measures the latency of a hop, and of control frames while links are full. */
public final class Hops extends Experiment<String> {
    private static final long QUIET_NS = TimeUnit.MILLISECONDS.toNanos(200);

    /** Number of floats of a slice whose frame is the longest that fits in one fragment of shared memory. */
    private static final int FRAME_ELEMENTS = 16_320;

    /** Number of measured broadcasts for each warm-up broadcast. */
    private static final int COUNTED_PER_WARMUP = 5;

    private static final int MOST = 10_000;
    private static final Parameter<Integer> WORKERS =
            Parameter.whole("workers", 5, 2, Star.MAX_NODES - 1).help("Workers of the chain");
    private static final Parameter<Integer> FRAMES = Parameter.whole("frames", 50, 1, MOST)
            .help("Broadcasts of one frame; a fifth more are sent first and do not count");
    private static final Parameter<TableSize> BYTES =
            Parameter.size("bytes", "64mib").help("Size of a long broadcast");
    private static final Parameter<Integer> BROADCASTS =
            Parameter.whole("broadcasts", 2, 1, MOST).help("Long broadcasts");
    private static final Parameter<Integer> ASKS =
            Parameter.whole("asks", 500, 1, MOST).help("Control frames while links are idle");
    private static final Parameter<Integer> EVERY = Parameter.whole("every", 10, 1, MOST)
            .help("Milliseconds from the return of one control frame to the next one");

    public static final Scenario SCENARIO = new Scenario(
            "hops",
            List.of(
                    "Measures how long a frame takes from each worker of a chain to the next, and a control frame to"
                            + " the end of the chain and back.",
                    "Control frames have 64 bytes. They are sent while links are idle, and while long broadcasts keep"
                            + " all links full.",
                    "Needs Linux and root: the server and each worker run on a host of a network lab."),
            1,
            Parameter.declaredBy(Hops.class, LabParameters.RATE, LabParameters.MTU),
            new Layout(
                    Hops::title,
                    Column.list(
                            Column.fact("what")
                                    .shown("what")
                                    .note("hop: from one worker's apply of a frame to the next worker's apply;"
                                            + " control: to the last worker's host and back"),
                            Column.fact("place").shown("place"),
                            Column.facts("workers", "rate", "frame_seconds"),
                            Column.count("count", "seconds").shown("count", "%,.0f"),
                            Column.percentile("p50", "seconds", 50).shown("p50 ms", "%.2f", 1e3),
                            Column.percentile("p90", "seconds", 90).shown("p90 ms", "%.2f", 1e3),
                            Column.percentile("p99", "seconds", 99).shown("p99 ms", "%.2f", 1e3),
                            Column.max("max", "seconds").shown("max ms", "%.2f", 1e3),
                            Column.shownOnly("minus frame time", Hops::minusFrameTime)
                                    .note("p50 minus the transmission time of the frame on the link"))),
            Hops::new);

    private final Star star;
    private Cluster cluster;

    private Hops(Settings settings) {
        super(settings);
        star = LabParameters.star(settings, 1, get(WORKERS));
    }

    private static String title(Row row) {
        return String.format(
                "a chain of %s workers behind a server, links of %s", row.text("workers"), row.mbit("rate"));
    }

    private static String minusFrameTime(Row row) {
        return row.text("what").equals("hop")
                ? String.format("%+.2f", 1e3 * (row.number("p50") - row.number("frame_seconds")))
                : "-";
    }

    @Override
    public List<String> variants() {
        return List.of("chain");
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
    public List<Sample> measure(String variant) throws IOException, InterruptedException {
        ClusterSettings terms = star.terms()
                .filter("none")
                .tree(variant)
                .sliceElements(FRAME_ELEMENTS)
                .build();
        Chain task = new Chain();
        long[][] arrivals = task.arrivals;
        // A trial for each single frame, one for the control frames on idle links, and one for each long broadcast.
        cluster.run(terms, arrivals[0].length + 1 + get(BROADCASTS), task);
        List<Integer> chain = chain(arrivals);
        List<Sample> samples = new ArrayList<>();
        for (int hop = 1; hop < chain.size(); hop++) {
            long[] parent = arrivals[chain.get(hop - 1)];
            long[] child = arrivals[chain.get(hop)];
            double[] seconds = IntStream.range(task.warmup, parent.length)
                    .mapToDouble(i -> Math.max(0, child[i] - parent[i]) / NS)
                    .toArray();
            samples.add(sample("hop", "" + hop, Frame.DATA_LENGTH + FRAME_ELEMENTS * Float.BYTES, seconds));
        }
        samples.add(
                sample("control", "idle", Frame.DATA_LENGTH, task.idle.build().toArray()));
        samples.add(
                sample("control", "full", Frame.DATA_LENGTH, task.loaded.build().toArray()));
        return samples;
    }

    private Sample sample(String what, String place, int frameBytes, double[] seconds) {
        return new Sample()
                .fact("what", what)
                .fact("place", place)
                .fact("frame_seconds", star.frameSeconds(frameBytes))
                .figure("seconds", seconds);
    }

    /** Workers in the order of the chain: the worker that received the frames first is first. */
    static List<Integer> chain(long[][] arrivals) {
        return IntStream.range(0, arrivals.length)
                .boxed()
                .sorted(Comparator.comparingLong(worker -> behind(arrivals, worker)))
                .toList();
    }

    private static long behind(long[][] arrivals, int worker) {
        return IntStream.range(0, arrivals[worker].length)
                .mapToLong(i -> arrivals[worker][i] - arrivals[0][i])
                .sum();
    }

    /**
     * Workers in a chain. First, they receive broadcasts of a single frame, and each worker records when it has applied
     * the frame. Then control frames travel between the server's host and that of the last worker, first on idle links,
     * then while long broadcasts fill every link.
     */
    private final class Chain implements WorkerTask<Void> {
        private final int warmup = Math.ceilDiv(get(FRAMES), COUNTED_PER_WARMUP);
        private final long everyNs = TimeUnit.MILLISECONDS.toNanos(get(EVERY));
        private final float[] frame = new float[FRAME_ELEMENTS];
        private final float[] bulk = new float[Math.toIntExact(get(BYTES).elements())];

        /** Arrival times of each worker; complete when all have ended the last broadcast of a single frame. */
        private final long[][] arrivals = new long[get(WORKERS)][warmup + get(FRAMES)];

        /** Seconds of the round trips of control frames, on idle links and under long broadcasts. */
        private final DoubleStream.Builder idle = DoubleStream.builder();

        private final DoubleStream.Builder loaded = DoubleStream.builder();

        Chain() {
            Arrays.fill(frame, 1);
            Arrays.fill(bulk, 1);
        }

        @Override
        public Void train(Worker worker, Rendezvous rendezvous) throws InterruptedException {
            Table single = worker.table("frame", 1, frame.length);
            Table all = worker.table("bulk", 1, bulk.length);
            worker.start(Initialiser.ZEROS);
            long[] own = arrivals[worker.index()];
            for (int i = 0; i < own.length; i++) {
                own[i] = broadcast(worker, single, all, frame, rendezvous, null);
            }
            // Workers compare arrivals only after this point, when all are recorded; otherwise several could act as the
            // last one.
            rendezvous.await();
            boolean deepest = worker.index() == chain(arrivals).getLast();
            try (Echo echo = deepest ? echo(worker.index()) : null) {
                rendezvous.await();
                for (int i = 0; deepest && i < get(ASKS); i++) {
                    ask(echo, idle);
                    TimeUnit.NANOSECONDS.sleep(everyNs);
                }
                rendezvous.await();
                rendezvous.await();
                for (int i = 0; i < get(BROADCASTS); i++) {
                    broadcast(worker, all, single, bulk, rendezvous, echo);
                }
            }
            return null;
        }

        private Echo echo(int worker) {
            return Echo.overUdp(cluster, cluster.serverHost(0), cluster.workerHost(worker));
        }

        /** Broadcasts one table; returns the time at which this worker had it ({@link System#nanoTime}). */
        private long broadcast(
                Worker worker, Table table, Table other, float[] update, Rendezvous rendezvous, Echo echo)
                throws InterruptedException {
            CommandedBroadcast.prepare(worker, table, update, QUIET_NS);
            rendezvous.await();
            rendezvous.await();
            CommandedBroadcast command = new CommandedBroadcast(update.length, FRAME_ELEMENTS, 1);
            PollingThread asking = echo == null
                    ? null
                    : new PollingThread("asking", new SleepingIdleStrategy(everyNs), () -> ask(echo, loaded));
            command.start(worker, table);
            table.sync();
            long arrived = System.nanoTime();
            if (asking != null) {
                asking.close();
                asking.requireSound();
            }
            other.sync();
            rendezvous.await();
            rendezvous.await();
            return arrived;
        }

        private static int ask(Echo echo, DoubleStream.Builder seen) {
            seen.add(echo.ask() / NS);
            return 0; // makes the thread pause
        }
    }
}
