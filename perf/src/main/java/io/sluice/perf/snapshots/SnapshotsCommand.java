package io.sluice.perf.snapshots;

import static io.sluice.perf.report.TextTable.cell;

import io.sluice.perf.ExitCode;
import io.sluice.perf.UnavailableException;
import io.sluice.perf.options.JsonOption;
import io.sluice.perf.options.Repetition;
import io.sluice.perf.report.TextTable;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Measures what snapshots cost, and how soon a server is back. */
@Command(
        name = "snapshots",
        description = {
            "Measures what snapshots add to the clocks of a training, what they write, and how long a server that is"
                    + " killed takes to serve again.",
            "One server and workers that compute nothing are threads of this process; the server that is killed is a"
                    + " process."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false)
public final class SnapshotsCommand implements Callable<Integer> {
    private static final double MB = 1e6;
    private static final double PERCENT = 100;

    @Spec
    private CommandSpec spec;

    @Option(
            names = "--params",
            paramLabel = "N",
            defaultValue = "4000000",
            description = "Parameters of the model, and of the server that is killed (${DEFAULT-VALUE}).")
    private int params;

    @Option(names = "--workers", paramLabel = "N", defaultValue = "2", description = "Workers (${DEFAULT-VALUE}).")
    private int workers;

    @Option(
            names = "--clocks",
            paramLabel = "N",
            defaultValue = "40",
            description = "Clocks of a turn that count; one more is before them (${DEFAULT-VALUE}).")
    private int clocks;

    @Option(
            names = "--interval",
            paramLabel = "N",
            defaultValue = "8",
            description = "Clocks between two snapshots, beside the default, which goes by what they cost"
                    + " (${DEFAULT-VALUE}).")
    private int every;

    @Option(
            names = "--changed",
            paramLabel = "SHARE",
            defaultValue = "0.1",
            description = "Share of the parameters, in blocks of 4 KiB, that training changes; 1 is a dense model"
                    + " (${DEFAULT-VALUE}).")
    private double changed;

    @Option(
            names = "--folder",
            paramLabel = "DIR",
            description = "Where snapshots are written, in a folder that is removed (that for temporary files).")
    private Path folder;

    @Option(names = "--no-recovery", description = "Do not kill a server.")
    private boolean withoutRecovery;

    @Option(names = "--only-recovery", description = "Do nothing but kill a server.")
    private boolean onlyRecovery;

    @Mixin
    private Repetition repetition;

    @Mixin
    private JsonOption json;

    @Override
    public Integer call() throws IOException, InterruptedException {
        repetition.check();
        if (onlyRecovery && withoutRecovery) {
            throw new IllegalArgumentException("--only-recovery is given with --no-recovery, expected one of them");
        }
        Path parent = null == folder ? Path.of(System.getProperty("java.io.tmpdir")) : folder;
        SnapshotsPlan plan = new SnapshotsPlan(params, workers, clocks, changed, every, parent);
        try (SnapshotSpace _ = new SnapshotSpace(parent)) {
            json.check();
        }
        PrintWriter out = spec.commandLine().getOut();
        out.println(json.machine().sentence());
        out.flush();
        List<Object> rows = new ArrayList<>();
        List<SnapshotsRow> costs = onlyRecovery ? List.of() : measure(plan);
        if (!onlyRecovery) {
            print(plan, costs, out);
            rows.addAll(costs);
        }
        if (!withoutRecovery) {
            json.write(spec, rows, List.of()); // what took minutes is not lost if the server does not come back
            RecoveryRow recovery = new RecoveryRun(plan).run();
            print(recovery, out);
            rows.add(recovery);
        }
        json.write(spec, rows, List.of());
        if (costs.stream().anyMatch(row -> !row.identical())) {
            throw new UnavailableException("parameters differ between runs with snapshots and without");
        }
        return ExitCode.OK;
    }

    private List<SnapshotsRow> measure(SnapshotsPlan plan) throws IOException, InterruptedException {
        new SnapshotRun(plan.forWarmup()).turn(SnapshotWay.increments(every));
        SnapshotRun run = new SnapshotRun(plan);
        SnapshotWay none = SnapshotWay.none();
        List<SnapshotWay> ways =
                List.of(none, SnapshotWay.auto(), SnapshotWay.whole(every), SnapshotWay.increments(every));
        Map<SnapshotWay, List<SnapshotTurn>> seen = repetition.takeTurns(ways, way -> List.of(run.turn(way)));
        return ways.stream()
                .map(way -> SnapshotsRow.of(plan, way, seen.get(way), seen.get(none)))
                .toList();
    }

    private static void print(SnapshotsPlan plan, List<SnapshotsRow> rows, PrintWriter out) {
        out.printf(
                "%n%,d parameters, 1 server, %d workers, %s of the parameters change%n",
                plan.params(), plan.workers(), TextTable.share(plan.changed()));
        TextTable table = new TextTable(
                2,
                "snapshots",
                "every",
                "s/clock",
                "median",
                "longest",
                "/ none",
                "taken",
                "MB each",
                "still ms",
                "taking s",
                "interval s",
                "adds %");
        for (SnapshotsRow row : rows) {
            table.add(
                    row.way(),
                    row.interval() == null ? "-" : row.interval(),
                    cell("%.3f", row.seconds()),
                    cell("%.3f", row.secondsMedian()),
                    cell("%.3f", row.secondsLongest()),
                    cell("%.3f", row.ratioToNone()),
                    cell("%d", row.snapshots()),
                    cell("%.1f", scaled(row.bytesPerSnapshot(), 1 / MB)),
                    cell("%.1f", scaled(row.standStillSeconds(), 1e3)),
                    cell("%.2f", row.takingSeconds()),
                    cell("%.0f", row.intervalSeconds()),
                    cell("%.3f", scaled(row.addedAtInterval(), PERCENT)));
        }
        table.print(out);
        out.println();
        out.println("  MB each     of all nodes");
        out.println(
                "  still ms    for which a node stood still to copy, of one snapshot, at the node that did longest");
        out.println("  taking s    from the first copy until all is on disk, at the node that took longest");
        out.println("  interval s  that auto makes of that, with a failure a day (Young)");
        out.println("  adds %      what one snapshot made clocks longer by in all, of that interval");
        out.flush();
    }

    private static Double scaled(Double value, double factor) {
        return value == null ? null : value * factor;
    }

    private static void print(RecoveryRow row, PrintWriter out) {
        out.printf(
                "%n  a server with %,d parameters, killed behind clock %d: %.2f s from the start of its process until"
                        + " the next clock is complete%n  (%.2f s from the kill), with a snapshot every %d clocks%n",
                row.params(), row.killedAt(), row.seconds(), row.secondsSinceKill(), row.interval());
        out.flush();
    }
}
