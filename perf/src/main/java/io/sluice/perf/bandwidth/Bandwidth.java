package io.sluice.perf.bandwidth;

import io.sluice.messaging.LinkRate;
import io.sluice.messaging.api.Endpoint;
import io.sluice.messaging.bandwidth.AvailableBandwidth;
import io.sluice.messaging.bandwidth.AvailableBandwidthSearch;
import io.sluice.messaging.bandwidth.Prober;
import io.sluice.perf.experiment.Column;
import io.sluice.perf.experiment.Experiment;
import io.sluice.perf.experiment.Layout;
import io.sluice.perf.experiment.Parameter;
import io.sluice.perf.experiment.Sample;
import io.sluice.perf.experiment.Scenario;
import io.sluice.perf.experiment.Settings;
import io.sluice.perf.lab.CrossFlow;
import io.sluice.perf.lab.Host;
import io.sluice.perf.lab.Lab;
import io.sluice.perf.lab.LabPlan;
import io.sluice.perf.lab.LinkName;
import io.sluice.perf.nodes.NodeProcess;
import io.sluice.perf.nodes.NodeTask;
import java.io.IOException;
import java.io.Serializable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Compares the passive and the active estimate of bandwidth with links of known rate. */
public final class Bandwidth extends Experiment<Bandwidth.Variant> {
    /** Number of the host that sends the measured stream. */
    private static final int NEAR = 0;

    /** Number of the host that sends cross traffic. */
    private static final int ASIDE = 1;

    /** Number of the host that receives from both senders, over a slower link than theirs. */
    private static final int FAR = 2;

    private static final int HOSTS = 3;

    /** Factor by which the senders' links are faster, up to the maximum rate of a link. */
    private static final int FASTER = 10;

    private static final long FASTEST = 20_000_000_000L;
    private static final Duration LEAST_QUEUE = Duration.ofMillis(1);
    private static final int HEAP_MB = 256;
    private static final long PATIENCE_S = 120;
    private static final double BITS = 8;
    private static final double MBIT = 1e-6;

    /** Length of the headers of Ethernet, IPv4 and UDP, in bytes. */
    private static final double OVERHEAD = 42;

    private static final Parameter<List<Long>> RATES = Parameter.of("rates", "RATE", null, LinkRate::parse)
            .several("10mbit,50mbit,100mbit,200mbit,1gbit")
            .help("Rates of the link");
    private static final Parameter<List<Double>> CROSS = Parameter.number(
                    "cross", 0, share -> share >= 0 && share < 1, "0 (inclusive) to 1 (exclusive)")
            .several("0,0.4")
            .help("Shares of the link that other traffic takes");
    private static final Parameter<Double> SECONDS = Parameter.number(
                    "seconds", 3, seconds -> seconds > 0 && seconds <= 60, "above 0 to 60")
            .help("Seconds to send for a passive estimate, until 16 samples at least");
    private static final Parameter<Integer> QUEUE =
            Parameter.whole("queue", 4_194_304, 1 << 14, Integer.MAX_VALUE).help("Bytes that may wait at the link");

    public static final Scenario SCENARIO = new Scenario(
            "bandwidth",
            List.of(
                    "Compares the passive and the active estimate of bandwidth with links of known rate.",
                    "Needs Linux and root: the links are those of a network lab for each rate."),
            1,
            Parameter.declaredBy(Bandwidth.class),
            new Layout(row -> "Mbit/s on the wire, headers of Ethernet included", columns()),
            Bandwidth::new);

    /** The rate of a link, and the share that other traffic takes. */
    record Variant(long rate, double cross) {}

    private Bandwidth(Settings settings) {
        super(settings);
    }

    private static List<Column> columns() {
        return Column.list(
                Column.fact("rate").shown("link", "%.1f", MBIT),
                Column.fact("cross").shown("cross", "%.1f", MBIT),
                Column.fact("available").shown("available", "%.1f", MBIT),
                Column.median("passive").shown("passive", "%.1f", MBIT),
                Column.derived("passive_error", row -> row.number("passive") / row.number("available") - 1)
                        .shown("error", "%+.1f %%", PERCENT),
                Column.sum("passive_samples").whole().shown("samples", "%,.0f"),
                Column.median("active_low"),
                Column.median("active_high"),
                Column.derived("active", row -> (row.number("active_low") + row.number("active_high")) / 2)
                        .shown("active", "%.1f", MBIT),
                Column.derived("active_error", row -> row.number("active") / row.number("available") - 1)
                        .shown("error", "%+.1f %%", PERCENT),
                Column.shownOnly("active_low", "low", "%.1f", MBIT),
                Column.shownOnly("active_high", "high", "%.1f", MBIT),
                Column.sum("active_bytes").whole().shown("MB sent", "%.1f", MBIT),
                Column.median("active_seconds").shown("s", "%.1f"),
                Column.fact("active_end").shown("end"));
    }

    @Override
    public List<Variant> variants() {
        List<Variant> variants = new ArrayList<>();
        for (long rate : get(RATES)) {
            get(CROSS).forEach(cross -> variants.add(new Variant(rate, cross)));
        }
        return variants;
    }

    /** Creates the plan of a lab with a rate. Its queues are times, while the parameter is in bytes. */
    private LabPlan plan(long rate) {
        Duration waiting = Duration.ofNanos(Math.round(get(QUEUE) * BITS * NS / rate));
        return new LabPlan()
                .hosts(HOSTS)
                .rate(Math.min(FASTER * rate, FASTEST))
                .downlink(LinkName.host(FAR), rate)
                .queue(waiting.compareTo(LEAST_QUEUE) < 0 ? LEAST_QUEUE : waiting);
    }

    @Override
    public List<Sample> measure(Variant variant) throws IOException, InterruptedException {
        long cross = Math.round(variant.cross() * variant.rate());
        String to = Host.address(FAR);
        try (Lab lab = Lab.build(plan(variant.rate()));
                NodeProcess far = NodeProcess.on(lab.host(FAR), HEAP_MB);
                NodeProcess near = NodeProcess.on(lab.host(NEAR), HEAP_MB)) {
            FarEnd.Ports ports = far.order(new FarEnd(to)).await(PATIENCE_S);
            if (cross > 0) {
                lab.cross(CrossFlow.udp(ASIDE, FAR, cross));
            }
            PassiveEstimate passive = near.order(new MeasurePassively(to + ":" + ports.data(), get(SECONDS)))
                    .await(PATIENCE_S);
            Active active =
                    near.order(new MeasureActively(to + ":" + ports.probes())).await(PATIENCE_S);
            return List.of(sample(variant.rate(), cross, passive, active));
        }
    }

    private record MeasurePassively(String data, double seconds) implements NodeTask<PassiveEstimate> {
        @Override
        public PassiveEstimate run() {
            return PassiveEstimate.towards(Endpoint.parse(data), seconds);
        }
    }

    /** The active estimate: between two rates, in bytes per second. */
    private record Active(double low, double high, String end, long bytes, long durationNs) implements Serializable {}

    private record MeasureActively(String probes) implements NodeTask<Active> {
        @Override
        public Active run() throws IOException {
            try (Prober prober = Prober.open(Endpoint.parse(probes), FarEnd.CLUSTER)) {
                AvailableBandwidth found =
                        AvailableBandwidthSearch.run(prober, AvailableBandwidthSearch.Limits.DEFAULT);
                return new Active(found.low(), found.high(), found.end().toString(), found.bytes(), found.durationNs());
            }
        }
    }

    private static Sample sample(long rate, long cross, PassiveEstimate passive, Active active) {
        double mtu = passive.mtu();
        return new Sample()
                .fact("rate", rate)
                .fact("cross", cross)
                .fact("available", rate - cross)
                .fact("active_end", active.end())
                .figure("passive", BITS * passive.rate() * (mtu + OVERHEAD) / mtu)
                .figure("passive_samples", passive.samples())
                .figure("active_low", BITS * active.low())
                .figure("active_high", BITS * active.high())
                .figure("active_bytes", active.bytes())
                .figure("active_seconds", active.durationNs() / NS);
    }
}
