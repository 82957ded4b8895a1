package io.sluice.perf.latency;

import io.sluice.codecs.Frame;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.perf.cluster.Cluster;
import io.sluice.perf.cluster.LabParameters;
import io.sluice.perf.cluster.Star;
import io.sluice.perf.experiment.Column;
import io.sluice.perf.experiment.Experiment;
import io.sluice.perf.experiment.Layout;
import io.sluice.perf.experiment.Parameter;
import io.sluice.perf.experiment.Row;
import io.sluice.perf.experiment.Sample;
import io.sluice.perf.experiment.Scenario;
import io.sluice.perf.experiment.Settings;
import io.sluice.perf.experiment.TableSize;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/** Measures the latency of a hop, and of control frames while links are full. */
public final class Hops extends Experiment<String> {
    private static final int MOST = 10_000;
    private static final Parameter<Integer> WORKERS =
            Parameter.whole("workers", 5, 2, Star.MAX_NODES - 1, "Workers of the chain");
    private static final Parameter<Integer> FRAMES = Parameter.whole(
            "frames", 50, 1, MOST, "Broadcasts of one frame; a fifth more are sent first and do not count");
    private static final Parameter<TableSize> BYTES = Parameter.size("bytes", "64mib", "Size of a long broadcast");
    private static final Parameter<Integer> BROADCASTS = Parameter.whole("broadcasts", 2, 1, MOST, "Long broadcasts");
    private static final Parameter<Integer> ASKS =
            Parameter.whole("asks", 500, 1, MOST, "Control frames while links are idle");
    private static final Parameter<Integer> EVERY =
            Parameter.whole("every", 10, 1, MOST, "Milliseconds from the return of one control frame to the next one");

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
                            Column.shownOnly("less a frame", Hops::lessAFrame)
                                    .note("the median without the link's time for the frame"))),
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

    private static String lessAFrame(Row row) {
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
                .sliceElements(HopsTask.FRAME_ELEMENTS)
                .build();
        HopsTask task = new HopsTask(
                cluster,
                get(FRAMES),
                Math.toIntExact(get(BYTES).elements()),
                get(BROADCASTS),
                get(ASKS),
                TimeUnit.MILLISECONDS.toNanos(get(EVERY)));
        long[][] arrivals = cluster.run(terms, task.trials(), task).seen().toArray(long[][]::new);
        List<Integer> chain = HopsTask.chain(arrivals);
        List<Sample> samples = new ArrayList<>();
        for (int hop = 1; hop < chain.size(); hop++) {
            long[] parent = arrivals[chain.get(hop - 1)];
            long[] child = arrivals[chain.get(hop)];
            double[] seconds = IntStream.range(task.warmup(), parent.length)
                    .mapToDouble(i -> Math.max(0, child[i] - parent[i]) / 1e9)
                    .toArray();
            samples.add(sample("hop", "" + hop, Frame.DATA_LENGTH + HopsTask.FRAME_ELEMENTS * Float.BYTES, seconds));
        }
        samples.add(sample("control", "idle", Frame.DATA_LENGTH, task.idle()));
        samples.add(sample("control", "full", Frame.DATA_LENGTH, task.loaded()));
        return samples;
    }

    private Sample sample(String what, String place, int frameBytes, double[] seconds) {
        return new Sample()
                .fact("what", what)
                .fact("place", place)
                .fact("workers", star.workers())
                .fact("rate", star.rate())
                .fact("frame_seconds", star.frameSeconds(frameBytes))
                .figure("seconds", seconds);
    }
}
