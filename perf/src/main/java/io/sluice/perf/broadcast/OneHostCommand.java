package io.sluice.perf.broadcast;

import static io.sluice.perf.report.TextTable.cell;

import io.sluice.perf.ExitCode;
import io.sluice.perf.cluster.OneHost;
import io.sluice.perf.options.JsonOption;
import io.sluice.perf.options.Repetition;
import io.sluice.perf.options.TableSize;
import io.sluice.perf.report.TextTable;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Measures broadcasts on one host. */
@Command(
        name = "one-host",
        description = {
            "Measures how long a server takes to broadcast parameters to all workers of its own host, over shared"
                    + " memory, beside Open MPI where it is installed.",
            "Servers and workers are threads of this process, ranks of Open MPI are processes."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false)
public final class OneHostCommand implements Callable<Integer> {
    private static final double MB = 1e6;
    private static final double GB = 1e9;
    private static final double MS = 1e3;

    @Spec
    private CommandSpec spec;

    @Option(
            names = "--workers",
            paramLabel = "N",
            split = ",",
            defaultValue = "1,3,7",
            description = "Workers; several numbers one after the other (${DEFAULT-VALUE}).")
    private List<Integer> workers;

    @Option(
            names = "--bytes",
            paramLabel = "SIZE",
            split = ",",
            converter = TableSize.Converter.class,
            defaultValue = "4mib,64mib",
            description = "What is broadcast: f32; several one after the other (${DEFAULT-VALUE}).")
    private List<TableSize> sizes;

    @Option(
            names = "--broadcasts",
            paramLabel = "N",
            defaultValue = "15",
            description = "Broadcasts of a turn that count (${DEFAULT-VALUE}).")
    private int broadcasts;

    @Option(
            names = "--warmup",
            paramLabel = "N",
            defaultValue = "15",
            description = "Broadcasts before those (${DEFAULT-VALUE}).")
    private int warmup;

    @Mixin
    private Repetition repetition;

    @Mixin
    private JsonOption json;

    @Override
    public Integer call() throws IOException, InterruptedException {
        repetition.check();
        List<OneHostPlan> plans = new ArrayList<>();
        for (TableSize size : sizes) {
            workers.stream()
                    .distinct()
                    .forEach(number -> plans.add(new OneHostPlan(number, size.elements(), warmup, broadcasts)));
        }
        json.check();
        PrintWriter out = spec.commandLine().getOut();
        out.println(json.machine().sentence());
        out.flush();
        String missing;
        List<OneHostRow> rows = new ArrayList<>();
        int nodes = plans.stream().mapToInt(OneHostPlan::nodes).max().orElseThrow();
        try (OneHost host = OneHost.launch(2 * nodes);
                Peers peers = Peers.find().orElse(null)) {
            missing = peers == null ? Peers.NOT_BUILT : peers.missing();
            for (OneHostPlan plan : plans) {
                rows.addAll(measure(host, missing == null ? peers : null, plan));
            }
        }
        print(rows, out);
        if (missing != null) {
            out.println("  " + missing);
        }
        out.flush();
        json.write(spec, rows, missing == null ? List.of() : List.of(missing));
        return ExitCode.OK;
    }

    private List<OneHostRow> measure(OneHost host, Peers peers, OneHostPlan plan)
            throws IOException, InterruptedException {
        List<Broadcaster> ways = new ArrayList<>(List.of(new SharedMemoryBroadcaster(host, plan)));
        if (peers != null) {
            ways.add(peers.overSharedMemory(plan));
        }
        Map<Broadcaster, List<Broadcast>> seen = repetition.takeTurns(ways, way -> {
            List<Broadcast> all = way.turn();
            return all.subList(plan.warmup(), all.size());
        });
        List<OneHostRow> rows = ways.stream()
                .map(way -> OneHostRow.of(plan, way.shape(), seen.get(way)))
                .toList();
        return peers == null
                ? rows
                : rows.stream().map(row -> row.beside(rows.getLast())).toList();
    }

    private static void print(List<OneHostRow> rows, PrintWriter out) {
        out.println();
        TextTable table =
                new TextTable(1, "way", "workers", "MB", "ms", "quartiles", "GB/s delivered", "/ Open MPI", "cpu ms");
        for (OneHostRow row : rows) {
            table.add(
                    row.shape(),
                    "" + row.workers(),
                    cell("%.1f", row.bytes() / MB),
                    cell("%.2f", row.seconds() * MS),
                    String.format("%.2f-%.2f", row.secondsLow() * MS, row.secondsHigh() * MS),
                    cell("%.1f", row.deliveredPerSecond() / GB),
                    cell("%.2f", row.ratioToMpi()),
                    cell("%.1f", row.cpuSeconds() * MS));
        }
        table.print(out);
        out.println();
        out.println("  ms      from the word that the server waits for, until the last worker has added all to its"
                + " parameters");
        out.println("  cpu ms  of all nodes and the media driver, or of all ranks");
        if (rows.stream().anyMatch(row -> row.workers() == 1)) {
            out.println("  For one worker, ours has a second one, which gives the word and receives as well.");
        }
    }
}
