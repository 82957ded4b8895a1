package io.sluice.perf.cluster;

import io.sluice.messaging.driver.Driver.UdpBatch;
import io.sluice.perf.experiment.Parameter;
import io.sluice.perf.experiment.Settings;
import io.sluice.perf.lab.LabEvent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Parameters of the links of a lab whose hosts are nodes of a cluster. */
public final class LabParameters {
    /** The rate of each link. */
    public static final Parameter<Long> RATE = Parameter.rate("rate", "100mbit")
            .help("Rate of each host's link; a machine with two cores can sustain the default with four workers");

    /** The longest packet of those links. */
    public static final Parameter<Integer> MTU = Parameter.whole("mtu", 1_500, Star.MIN_MTU, Star.MAX_MTU)
            .help("Longest packet of those links; with 9000 the same cores sustain higher rates");

    /** The lengths of that packet to compare. */
    public static final Parameter<List<Integer>> MTUS = MTU.several();

    /** The UDP batching modes to compare. */
    public static final Parameter<List<UdpBatch>> UDP_BATCH = Parameter.of("udp-batch", "MODE", null, UdpBatch::parse)
            .several("off")
            .help("How media drivers batch UDP datagrams: auto, gso, mmsg or off");

    /** The longest wait on a link. */
    public static final Parameter<Duration> QUEUE = Parameter.of("queue", "TIME", "200ms", LabParameters::queue)
            .help("Longest wait on a full link before it drops packets, 1ms to 10s");

    /** Whether nodes are configured with the rates of links. */
    public static final Parameter<String> KNOWLEDGE = Parameter.choice("rates", "known", List.of("known", "measured"))
            .help("known: rates, budgets and windows are configured for the links; measured: nothing is configured");

    /** Changes of links. */
    public static final Parameter<List<LabEvent>> EVENTS = Parameter.of("event", "EVENT", null, LabEvent::parse)
            .several()
            .help("Changes of links, as --at of lab run, after the first trial of a turn begins: 5s:rate:1=50mbit."
                    + " Hosts are the servers, then the workers");

    private static final Duration MIN_QUEUE = Duration.ofMillis(1);
    private static final Duration MAX_QUEUE = Duration.ofSeconds(10);

    public static final Parameter<Integer> SERVERS =
            Parameter.whole("servers", 2, 1, Star.MAX_NODES).help("Servers");

    private LabParameters() {}

    /** The parameters of a scenario's class, and those of links that {@link #stars} compares. */
    public static List<Parameter<?>> and(Class<?> scenario) {
        return Parameter.declaredBy(scenario, SERVERS, RATE, KNOWLEDGE, QUEUE, EVENTS, MTUS, UDP_BATCH);
    }

    /** Ways to forward broadcasts. Their names may contain commas before numbers. */
    public static Parameter<List<String>> trees(String names) {
        return Parameter.text("tree", "TREE", null)
                .several(",(?=[a-z])", names)
                .help("Trees that carry broadcasts, as with sluice train");
    }

    private static Duration queue(String option, String text) {
        Duration queue = LabEvent.time(option, text);
        if (queue.compareTo(MIN_QUEUE) < 0 || queue.compareTo(MAX_QUEUE) > 0) {
            throw new IllegalArgumentException(option + " is " + text + ", expected 1ms to 10s");
        }
        return queue;
    }

    /** Nodes around one switch: one star for each packet length and UDP batching mode. */
    public static List<Star> stars(Settings settings, int servers, int workers) {
        List<LabEvent> events = settings.get(EVENTS);
        List<Star> stars = new ArrayList<>();
        for (int mtu : settings.get(MTUS)) {
            for (UdpBatch batch : settings.get(UDP_BATCH)) {
                stars.add(new Star(
                        servers,
                        workers,
                        settings.get(RATE),
                        mtu,
                        batch,
                        settings.get(QUEUE),
                        settings.get(KNOWLEDGE).equals("known"),
                        events == null ? List.of() : events));
            }
        }
        return stars;
    }

    /** Nodes around one switch, with links of these parameters. */
    public static Star star(Settings settings, int servers, int workers) {
        return new Star(servers, workers, settings.get(RATE), settings.get(MTU));
    }
}
