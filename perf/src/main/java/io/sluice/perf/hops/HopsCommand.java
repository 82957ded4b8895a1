package io.sluice.perf.hops;

import static io.sluice.perf.report.TextTable.cell;

import io.sluice.codecs.Frame;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.perf.ExitCode;
import io.sluice.perf.cluster.LabCluster;
import io.sluice.perf.cluster.Star;
import io.sluice.perf.options.JsonOption;
import io.sluice.perf.options.LabLinks;
import io.sluice.perf.options.TableSize;
import io.sluice.perf.report.TextTable;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Measures what a hop costs, and whether control frames get through while links are full. */
@Command(
        name = "hops",
        description = {
            "Measures how long a frame takes from each worker of a chain to the next, and a frame of 64 bytes to the"
                + " last worker's host and back: while all is quiet, and while long broadcasts keep all links full.",
            "Needs Linux and root: the server and each worker are on a host of a network lab."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false)
public final class HopsCommand implements Callable<Integer> {
    private static final int OUTBOX_FRAMES = 32;
    private static final int MAX_FRAMES = 10_000;
    private static final double MS = 1e3;
    private static final double MBIT = 1e6;
    private static final long LONGEST_NS = TimeUnit.SECONDS.toNanos(100);
    private static final int DIGITS = 3;

    @Spec
    private CommandSpec spec;

    @Option(
            names = "--workers",
            paramLabel = "N",
            defaultValue = "5",
            description = "Workers of the chain, 2 or more (${DEFAULT-VALUE}).")
    private int workers;

    @Mixin
    private LabLinks links;

    @Option(
            names = "--frames",
            paramLabel = "N",
            defaultValue = "50",
            description = "Broadcasts of one frame (${DEFAULT-VALUE}); a fifth more come before, and do not count.")
    private int frames;

    @Option(
            names = "--bytes",
            paramLabel = "SIZE",
            converter = TableSize.Converter.class,
            defaultValue = "64mib",
            description = "Of a long broadcast (${DEFAULT-VALUE}).")
    private TableSize size;

    @Option(
            names = "--broadcasts",
            paramLabel = "N",
            defaultValue = "2",
            description = "Long broadcasts (${DEFAULT-VALUE}).")
    private int broadcasts;

    @Option(
            names = "--asks",
            paramLabel = "N",
            defaultValue = "500",
            description = "Control frames while all is quiet (${DEFAULT-VALUE}).")
    private int asks;

    @Option(
            names = "--every",
            paramLabel = "MS",
            defaultValue = "10",
            description = "Milliseconds from one control frame's return to the next (${DEFAULT-VALUE}).")
    private int everyMs;

    @Mixin
    private JsonOption json;

    @Override
    public Integer call() throws IOException, InterruptedException {
        Star star = new Star(1, workers, links.rate(), links.mtu());
        if (frames < 1 || frames > MAX_FRAMES) {
            throw new IllegalArgumentException("--frames is " + frames + ", expected 1 to " + MAX_FRAMES);
        }
        int warmup = Math.ceilDiv(frames, HopsPlan.COUNTED_PER_WARMUP);
        HopsPlan plan = new HopsPlan(
                star, warmup, frames, size.elements(), broadcasts, asks, TimeUnit.MILLISECONDS.toNanos(everyMs));
        json.check();
        PrintWriter out = spec.commandLine().getOut();
        out.println(json.machine().sentence());
        out.flush();
        List<HopsRow> rows = measure(plan);
        print(plan, rows, out);
        json.write(spec, rows, List.of());
        return ExitCode.OK;
    }

    private static List<HopsRow> measure(HopsPlan plan) throws IOException, InterruptedException {
        ClusterSettings terms = plan.star()
                .terms()
                .filter("none")
                .tree("chain")
                .sliceElements(HopsPlan.FRAME_ELEMENTS)
                .build();
        try (LabCluster cluster = LabCluster.build(plan.star())) {
            HopsTask task = new HopsTask(cluster, plan);
            List<long[]> seen =
                    cluster.run(terms, OUTBOX_FRAMES, plan.trials(), task).seen();
            long[][] arrivals = seen.toArray(long[][]::new);
            List<HopsRow> rows = new ArrayList<>();
            List<Integer> chain = HopsTask.chain(arrivals);
            double frameSeconds = plan.star().frameSeconds(Frame.DATA_LENGTH + HopsPlan.FRAME_ELEMENTS * Float.BYTES);
            for (int hop = 1; hop < chain.size(); hop++) {
                Histogram delays = delays(arrivals[chain.get(hop - 1)], arrivals[chain.get(hop)], plan.warmup());
                rows.add(HopsRow.of("hop", "" + hop, plan, frameSeconds, delays));
            }
            double smallSeconds = plan.star().frameSeconds(Frame.DATA_LENGTH);
            rows.add(HopsRow.of("control", "idle", plan, smallSeconds, task.idle()));
            rows.add(HopsRow.of("control", "full", plan, smallSeconds, task.loaded()));
            return rows;
        }
    }

    private static Histogram delays(long[] parent, long[] child, int from) {
        Histogram delays = new Histogram(LONGEST_NS, DIGITS);
        for (int i = from; i < parent.length; i++) {
            delays.recordValue(Math.max(0, child[i] - parent[i]));
        }
        return delays;
    }

    private void print(HopsPlan plan, List<HopsRow> rows, PrintWriter out) {
        out.printf(
                "%na chain of %d workers behind a server, links of %s Mbit/s: a frame of %,d bytes takes one %.2f ms%n",
                plan.star().workers(),
                TextTable.share(plan.star().rate() / MBIT),
                Frame.DATA_LENGTH + HopsPlan.FRAME_ELEMENTS * Float.BYTES,
                rows.getFirst().frameSeconds() * MS);
        TextTable table =
                new TextTable(2, "what", "place", "count", "p50 ms", "p90 ms", "p99 ms", "max ms", "less a frame");
        for (HopsRow row : rows) {
            table.add(
                    row.what(),
                    row.place(),
                    cell("%,d", row.count()),
                    cell("%.2f", row.p50() * MS),
                    cell("%.2f", row.p90() * MS),
                    cell("%.2f", row.p99() * MS),
                    cell("%.2f", row.max() * MS),
                    row.what().equals("hop") ? cell("%+.2f", (row.p50() - row.frameSeconds()) * MS) : "-");
        }
        table.print(out);
        out.println();
        out.println("  hop           from when a worker has applied a frame until the next one of the chain has");
        out.println("  control       a frame of 64 bytes from the server's host to that of the last worker, and back");
        out.println("  less a frame  the median without what the link takes for a frame");
        out.flush();
    }
}
