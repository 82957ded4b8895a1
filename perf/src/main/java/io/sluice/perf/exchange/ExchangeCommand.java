package io.sluice.perf.exchange;

import static io.sluice.perf.report.TextTable.cell;

import io.sluice.consistency.membership.Choice;
import io.sluice.consistency.membership.Protocol;
import io.sluice.perf.ExitCode;
import io.sluice.perf.cluster.LabCluster;
import io.sluice.perf.cluster.Star;
import io.sluice.perf.options.LabRate;
import io.sluice.perf.options.OutputOptions;
import io.sluice.perf.report.TextTable;
import io.sluice.tree.planning.TreePlanners;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Measures a clock of the whole exchange over lab links: push, sum, broadcast, apply. */
@Command(
        name = "exchange",
        description = {
            "Measures a clock of the whole exchange: all workers push, servers sum and send, all workers apply. Workers"
                    + " compute nothing, so nothing hides behind computing.",
            "Needs Linux and root: each server and worker is on a host of a network lab."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false)
public final class ExchangeCommand implements Callable<Integer> {
    private static final double MB = 1e6;
    private static final int MAX_ROUNDS = 100;
    private static final int LEAST_PARAMS = 1_000;
    private static final int MOST_PARAMS = 1 << 28;

    @Spec
    private CommandSpec spec;

    @Option(
            names = "--params",
            paramLabel = "N",
            defaultValue = "6100000",
            description = "Parameters, 1000 to 2^28 (${DEFAULT-VALUE}, a tenth of AlexNet's).")
    private int params;

    @Option(names = "--workers", paramLabel = "N", defaultValue = "4", description = "Workers (${DEFAULT-VALUE}).")
    private int workers;

    @Option(names = "--servers", paramLabel = "N", defaultValue = "2", description = "Servers (${DEFAULT-VALUE}).")
    private int servers;

    @Option(
            names = "--rate",
            paramLabel = "RATE",
            defaultValue = "100mbit",
            description = "Of each host's link (${DEFAULT-VALUE}).")
    private String rate;

    @Option(
            names = "--kept",
            paramLabel = "SHARE",
            split = ",",
            defaultValue = "1.0,0.2",
            description =
                    "Share of the elements that pass the filters, the same ones at all workers (${DEFAULT-VALUE});"
                            + " push-pull has none, and sends all.")
    private List<Double> kept;

    @Option(
            names = "--protocol",
            paramLabel = "PROTOCOL",
            split = ",",
            defaultValue = "update,push-pull",
            description = "update or push-pull (${DEFAULT-VALUE}).")
    private List<String> protocols;

    @Option(
            names = "--tree",
            paramLabel = "TREE",
            split = LabRate.COMMA_BEFORE_WORD,
            defaultValue = "rotated:2",
            description = "Who passes broadcasts on to whom, as with sluice train (${DEFAULT-VALUE}).")
    private List<String> trees;

    @Option(
            names = "--clocks",
            paramLabel = "N",
            defaultValue = "2",
            description = "Clocks of a turn that count (${DEFAULT-VALUE}).")
    private int clocks;

    @Option(
            names = "--warmup",
            paramLabel = "N",
            defaultValue = "1",
            description = "Clocks before those (${DEFAULT-VALUE}).")
    private int warmup;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            defaultValue = "2",
            description = "Turns of each combination (${DEFAULT-VALUE}).")
    private int rounds;

    @Mixin
    private OutputOptions output;

    @Override
    public Integer call() throws IOException, InterruptedException {
        Star star = new Star(servers, workers, LabRate.parse("--rate", rate));
        trees.forEach(TreePlanners::named);
        List<Protocol> known = protocols.stream()
                .distinct()
                .map(word -> Choice.named(Protocol.class, "--protocol", word))
                .toList();
        inRange("--params", params, LEAST_PARAMS, MOST_PARAMS);
        inRange("--rounds", rounds, 1, MAX_ROUNDS);
        List<ExchangeSettings> settings = kept.stream()
                .distinct()
                .map(share -> new ExchangeSettings(workers, params, share, warmup, clocks))
                .toList();
        output.check();
        if (output.plot() != null) {
            throw new IllegalArgumentException("--plot is for other commands: an exchange has no curves");
        }
        PrintWriter out = spec.commandLine().getOut();
        out.println(output.machine().sentence());
        out.flush();
        List<ExchangeRow> rows = measure(star, settings, known);
        print(star, rows, out);
        output.writeJson(spec, rows, List.of());
        return ExitCode.OK;
    }

    private static void inRange(String option, int value, int least, int most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(option + " is " + value + ", expected " + least + " to " + most);
        }
    }

    private List<ExchangeRow> measure(Star star, List<ExchangeSettings> settings, List<Protocol> known)
            throws IOException, InterruptedException {
        try (LabCluster cluster = LabCluster.build(star)) {
            List<NetworkExchange> ways = ways(cluster, settings, known);
            Map<NetworkExchange, List<NetworkClock>> seen = new LinkedHashMap<>();
            ways.forEach(way -> seen.put(way, new ArrayList<>()));
            for (int round = 0; round < rounds; round++) {
                for (NetworkExchange way : round % 2 == 0 ? ways : ways.reversed()) {
                    seen.get(way).addAll(way.turn());
                }
            }
            return ways.stream()
                    .map(way -> ExchangeRow.of(star, way.settings(), way.protocol(), way.tree(), seen.get(way)))
                    .toList();
        }
    }

    /** Push-pull knows neither filters nor trees: it is one way, whatever else is compared. */
    private List<NetworkExchange> ways(LabCluster cluster, List<ExchangeSettings> settings, List<Protocol> known) {
        List<NetworkExchange> ways = new ArrayList<>();
        for (Protocol protocol : known) {
            if (Protocol.PUSH_PULL == protocol) {
                ExchangeSettings all = new ExchangeSettings(workers, params, 1, warmup, clocks);
                ways.add(new NetworkExchange(cluster, all, protocol, "flat"));
                continue;
            }
            for (ExchangeSettings of : settings) {
                trees.stream().distinct().forEach(tree -> ways.add(new NetworkExchange(cluster, of, protocol, tree)));
            }
        }
        return ways;
    }

    private void print(Star star, List<ExchangeRow> rows, PrintWriter out) {
        out.printf(
                "%n%,d parameters, %d workers, %d servers, links of %s: dense pushes alone take a server's link %.2f"
                        + " s%n",
                params, star.workers(), star.servers(), rate, rows.getFirst().wireSeconds());
        TextTable table = new TextTable(
                2,
                "protocol",
                "tree",
                "kept",
                "seconds",
                "quartiles",
                "push",
                "first slice",
                "wire MB",
                "cpu s",
                "dropped");
        for (ExchangeRow row : rows) {
            table.add(
                    row.protocol(),
                    row.tree(),
                    TextTable.share(row.kept()),
                    cell("%.2f", row.seconds()),
                    String.format("%.2f-%.2f", row.secondsLow(), row.secondsHigh()),
                    cell("%.2f", row.pushSeconds()),
                    cell("%.3f", row.firstSliceSeconds()),
                    cell("%,.0f", row.bytesOnWire() / MB),
                    cell("%.1f", row.cpuSeconds()),
                    cell("%,d", row.dropped()));
        }
        table.print(out);
        out.println();
        out.println("  seconds      from the first push until the last worker has applied the last slice");
        out.println("  push         until the last link to a server has taken the last push");
        out.println("  first slice  until the last worker has applied the first slice pushed");
        out.println("  cpu s        of all nodes and media drivers, which are threads of this process");
        out.flush();
    }
}
