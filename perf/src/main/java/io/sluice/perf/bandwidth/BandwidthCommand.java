package io.sluice.perf.bandwidth;

import io.sluice.messaging.LinkRate;
import io.sluice.perf.ExitCode;
import io.sluice.perf.lab.Host;
import io.sluice.perf.lab.Lab;
import io.sluice.perf.lab.LabPlan;
import io.sluice.perf.lab.LinkName;
import io.sluice.perf.options.JsonOption;
import io.sluice.perf.report.TextTable;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Compares the estimators with links of known rate. */
@Command(
        name = "bandwidth",
        description = {
            "Compares the passive and the active estimate of bandwidth with links of known rate.",
            "Needs Linux and root: the links are those of a network lab for each rate."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false)
public final class BandwidthCommand implements Callable<Integer> {
    /** Sends what is measured. */
    private static final int NEAR = 0;

    /** Sends cross traffic. */
    private static final int ASIDE = 1;

    /** Receives both, over a slower link than theirs. */
    private static final int FAR = 2;

    private static final int HOSTS = 3;

    /** How much faster the senders' links are, unless that is more than any link should have. */
    private static final int FASTER = 10;

    private static final long FASTEST = 20_000_000_000L;
    private static final Duration LEAST_QUEUE = Duration.ofMillis(1);
    private static final double BITS = 8;
    private static final double NS_PER_S = 1e9;
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

    @Mixin
    private JsonOption json;

    @Override
    public Integer call() throws IOException {
        List<Long> known =
                rates.stream().map(text -> LinkRate.parse("--rates", text)).toList();
        check();
        List<BandwidthRow> rows = new ArrayList<>();
        for (long rate : known) {
            measure(rate, rows);
        }
        print(rows, spec.commandLine().getOut());
        json.write(spec, rows, List.of());
        return ExitCode.OK;
    }

    /** A lab for each rate: its queues are times, and bytes are asked for. */
    private LabPlan plan(long rate) {
        Duration waiting = Duration.ofNanos(Math.round(queue * BITS * NS_PER_S / rate));
        return new LabPlan()
                .hosts(HOSTS)
                .rate(Math.min(FASTER * rate, FASTEST))
                .downlink(LinkName.host(FAR), rate)
                .queue(waiting.compareTo(LEAST_QUEUE) < 0 ? LEAST_QUEUE : waiting);
    }

    private void measure(long rate, List<BandwidthRow> rows) throws IOException {
        try (Lab lab = Lab.build(plan(rate));
                NodeProcess far = new NodeProcess(lab.host(FAR), FarNode.class, Host.address(FAR))) {
            String[] ports = far.answer();
            String host = Host.address(FAR);
            try (NodeProcess near =
                    new NodeProcess(lab.host(NEAR), NearNode.class, host + ":" + ports[1], host + ":" + ports[2])) {
                near.answer();
                for (double share : cross) {
                    rows.add(measure(lab, near, rate, Math.round(share * rate), ports[3]));
                }
            }
        }
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
        json.check();
    }

    private BandwidthRow measure(Lab lab, NodeProcess near, long rate, long beside, String sink) throws IOException {
        if (beside == 0) {
            return BandwidthRow.of(rate, 0, near.ask("passive " + seconds), near.ask("active"));
        }
        try (NodeProcess aside =
                new NodeProcess(lab.host(ASIDE), CrossNode.class, Host.address(FAR), sink, Long.toString(beside))) {
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
}
