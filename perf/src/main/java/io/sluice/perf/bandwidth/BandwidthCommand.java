package io.sluice.perf.bandwidth;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.sluice.messaging.LinkRate;
import io.sluice.perf.ExitCode;
import io.sluice.perf.report.Machine;
import io.sluice.perf.report.OutputFile;
import io.sluice.perf.report.TextTable;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Compares the estimators with links of known rate. */
@Command(
        name = "bandwidth",
        description = {
            "Compares the passive and the active estimate of bandwidth with links of known rate.",
            "Needs Linux and root: the links lie between network namespaces that are made and removed again."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false)
public final class BandwidthCommand implements Callable<Integer> {
    private static final double MBIT = 1e6;
    private static final double PERCENT = 100;

    @Spec
    private CommandSpec spec;

    @Option(
            names = "--rates",
            paramLabel = "RATE",
            split = ",",
            defaultValue = "10mbit,50mbit,100mbit,200mbit,1gbit",
            description = "Rates of the link (${DEFAULT-VALUE}).")
    private List<String> rates;

    @Option(
            names = "--cross",
            paramLabel = "SHARE",
            split = ",",
            defaultValue = "0,0.4",
            description = "Shares of the link that other traffic takes (${DEFAULT-VALUE}).")
    private List<Double> cross;

    @Option(
            names = "--seconds",
            paramLabel = "S",
            defaultValue = "3",
            description = "How long to send for a passive estimate, until 16 samples at least (${DEFAULT-VALUE}).")
    private double seconds;

    @Option(
            names = "--queue",
            paramLabel = "BYTES",
            defaultValue = "4194304",
            description = "Bytes that may wait at the link (${DEFAULT-VALUE}).")
    private long queue;

    @Option(names = "--json", paramLabel = "FILE", description = "Write all figures as one JSON object.")
    private Path json;

    @Override
    public Integer call() throws IOException {
        List<Long> known =
                rates.stream().map(text -> LinkRate.parse("--rates", text)).toList();
        check();
        List<BandwidthRow> rows = new ArrayList<>();
        try (TightLink link = new TightLink(queue);
                NodeProcess far =
                        new NodeProcess(link.on(TightLink.FAR), FarNode.class, TightLink.address(TightLink.FAR))) {
            String[] ports = far.answer();
            String host = TightLink.address(TightLink.FAR);
            try (NodeProcess near = new NodeProcess(
                    link.on(TightLink.NEAR), NearNode.class, host + ":" + ports[1], host + ":" + ports[2])) {
                near.answer();
                for (long rate : known) {
                    link.rate(rate);
                    for (double share : cross) {
                        rows.add(measure(link, near, rate, Math.round(share * rate), ports[3]));
                    }
                }
            }
        }
        print(rows, spec.commandLine().getOut());
        writeJson(rows);
        return ExitCode.OK;
    }

    private void check() {
        for (double share : cross) {
            if (!(share >= 0 && share < 1)) {
                throw new IllegalArgumentException("--cross is " + share + ", expected 0 (inclusive) to 1 (exclusive)");
            }
        }
        if (!(seconds > 0 && seconds <= 60)) {
            throw new IllegalArgumentException("--seconds is " + seconds + ", expected above 0 to 60");
        }
        if (queue < 1 << 14) {
            throw new IllegalArgumentException("--queue is " + queue + ", expected 16384 or more");
        }
        if (json != null) {
            OutputFile.check("--json", json);
        }
    }

    private BandwidthRow measure(TightLink link, NodeProcess near, long rate, long beside, String sink)
            throws IOException {
        if (beside == 0) {
            return BandwidthRow.of(rate, 0, near.ask("passive " + seconds), near.ask("active"));
        }
        try (NodeProcess aside = new NodeProcess(
                link.on(TightLink.ASIDE),
                CrossNode.class,
                TightLink.address(TightLink.FAR),
                sink,
                Long.toString(beside))) {
            aside.answer();
            return BandwidthRow.of(rate, beside, near.ask("passive " + seconds), near.ask("active"));
        }
    }

    private static void print(List<BandwidthRow> rows, PrintWriter out) {
        TextTable table = new TextTable(
                0,
                "link",
                "cross",
                "available",
                "passive",
                "error",
                "samples",
                "active",
                "error",
                "low",
                "high",
                "MB sent",
                "s",
                "end");
        for (BandwidthRow row : rows) {
            table.add(
                    mbit(row.rate()),
                    mbit(row.cross()),
                    mbit(row.available()),
                    mbit(row.passive()),
                    percent(row.passiveError()),
                    Long.toString(row.passiveSamples()),
                    mbit(row.active()),
                    percent(row.activeError()),
                    mbit(row.activeLow()),
                    mbit(row.activeHigh()),
                    TextTable.cell("%.1f", row.activeBytes() / MBIT),
                    TextTable.cell("%.1f", row.activeSeconds()),
                    row.activeEnd());
        }
        out.println("Mbit/s on the wire, headers of Ethernet included");
        table.print(out);
    }

    private static String mbit(double bits) {
        return TextTable.cell("%.1f", bits / MBIT);
    }

    private static String percent(double share) {
        return TextTable.cell("%+.1f %%", share * PERCENT);
    }

    private void writeJson(List<BandwidthRow> rows) throws IOException {
        if (json != null) {
            String line = spec.root().name() + " "
                    + String.join(" ", spec.commandLine().getParseResult().originalArgs());
            Report report = new Report(line, Machine.current(), rows);
            OutputFile.write(
                    json,
                    new ObjectMapper()
                            .enable(SerializationFeature.INDENT_OUTPUT)
                            .writeValueAsBytes(report));
        }
    }

    /** As it is written for programs. */
    private record Report(String command, Machine machine, List<BandwidthRow> rows) {}
}
