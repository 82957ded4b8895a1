package io.sluice.perf.exchange;

import io.sluice.consistency.terms.Choice;
import io.sluice.consistency.terms.Protocol;
import io.sluice.perf.ExitCode;
import io.sluice.perf.cluster.LabCluster;
import io.sluice.perf.cluster.Star;
import io.sluice.perf.options.LabLinks;
import io.sluice.perf.options.LabRate;
import io.sluice.perf.options.OutputOptions;
import io.sluice.perf.options.Repetition;
import io.sluice.tree.planning.TreePlanners;
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
    private static final int LEAST_PARAMS = 1_000;
    private static final int MOST_PARAMS = 1 << 28;

    @Spec
    private CommandSpec spec;

    @Option(
            names = "--params",
            paramLabel = "N",
            split = ",",
            defaultValue = "6100000",
            description = "Parameters, 1000 to 2^28; several numbers one after the other (${DEFAULT-VALUE}, a tenth of"
                    + " AlexNet's).")
    private List<Integer> params;

    @Option(names = "--workers", paramLabel = "N", defaultValue = "4", description = "Workers (${DEFAULT-VALUE}).")
    private int workers;

    @Option(names = "--servers", paramLabel = "N", defaultValue = "2", description = "Servers (${DEFAULT-VALUE}).")
    private int servers;

    @Mixin
    private LabLinks links;

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

    @Mixin
    private Repetition repetition;

    @Mixin
    private OutputOptions output;

    @Override
    public Integer call() throws IOException, InterruptedException {
        Star star = new Star(servers, workers, links.rate(), links.mtu());
        trees.forEach(TreePlanners::named);
        List<Protocol> known = protocols.stream()
                .distinct()
                .map(word -> Choice.named(Protocol.class, "--protocol", word))
                .toList();
        params.forEach(number -> inRange("--params", number, LEAST_PARAMS, MOST_PARAMS));
        repetition.check();
        List<ExchangeSettings> settings = new ArrayList<>();
        for (int number : params) {
            kept.stream()
                    .distinct()
                    .forEach(share -> settings.add(new ExchangeSettings(workers, number, share, warmup, clocks)));
        }
        output.check();
        if (output.plot() != null && params.size() < 2) {
            throw new IllegalArgumentException("--plot draws the time over several numbers of --params");
        }
        PrintWriter out = spec.commandLine().getOut();
        out.println(output.machine().sentence());
        out.flush();
        List<ExchangeRow> rows = measure(star, settings, known);
        NetworkExchangeReport.print(star, rows, out);
        if (output.plot() != null) {
            NetworkExchangeReport.plot(star, rows, output.plot());
            out.println("drawn: " + output.plot());
        }
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
            Map<NetworkExchange, List<NetworkClock>> seen = repetition.takeTurns(ways, NetworkExchange::turn);
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
                params.forEach(number -> ways.add(new NetworkExchange(
                        cluster, new ExchangeSettings(workers, number, 1, warmup, clocks), protocol, "flat")));
                continue;
            }
            for (ExchangeSettings of : settings) {
                trees.stream().distinct().forEach(tree -> ways.add(new NetworkExchange(cluster, of, protocol, tree)));
            }
        }
        return ways;
    }
}
