package io.sluice.cli.advise;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.codecs.api.ValueType;
import io.sluice.consistency.clock.ConsistencyRules;
import io.sluice.consistency.terms.Protocol;
import io.sluice.consistency.terms.TableSpec;
import io.sluice.messaging.Latency;
import io.sluice.messaging.LinkRate;
import io.sluice.messaging.Settings;
import io.sluice.tree.planning.TreePlanners;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import picocli.CommandLine.Option;

/** The figures of a job, as options that complete what a source has. */
public final class FigureOptions {
    private static final int MOST = 10_000;
    private static final int MOST_LAYERS = 1_000;
    private static final long MOST_PARAMETERS = 1L << 40;
    private static final int STANDARD_SLICE = 16_320;

    /** Figures that a report or the counters have of a part of the job, or by assumption: a statement replaces them. */
    private static final Set<String> REPLACED = Set.of("link_rate", "cores");

    private final ObjectMapper mapper = new ObjectMapper();

    @Option(
            names = "--transport",
            paramLabel = "NAME",
            description = "ipc for nodes that share memory, otherwise udp (udp).")
    private String transport;

    @Option(
            names = "--link-rate",
            paramLabel = "RATE",
            description = "Rate of each host's link, such as 100mbit; by default the rate with which the job plans.")
    private String linkRate;

    @Option(names = "--workers", paramLabel = "N", description = "Workers of all hosts.")
    private Integer workers;

    @Option(names = "--servers", paramLabel = "N", description = "Servers of all hosts.")
    private Integer servers;

    @Option(names = "--cores", paramLabel = "N", description = "Processor cores of all hosts together.")
    private Integer cores;

    @Option(names = "--parameters", paramLabel = "N", description = "Elements of an update.")
    private Long parameters;

    @Option(names = "--compute", paramLabel = "TIME", description = "Computing in a clock: 50us, 1.5ms or 2s.")
    private String compute;

    @Option(names = "--clock", paramLabel = "TIME", description = "Measured time of a clock; without it, the model's.")
    private String clock;

    @Option(names = "--kept", paramLabel = "SHARE", description = "Share of the elements a worker sends, 0 to 1 (1).")
    private Double kept;

    @Option(names = "--values", paramLabel = "TYPE", description = "Type of the values (f32).")
    private String values;

    @Option(names = "--slice", paramLabel = "FLOATS", description = "Elements of a slice (16320).")
    private Integer slice;

    @Option(names = "--protocol", paramLabel = "NAME", description = "update or push-pull (update).")
    private String protocol;

    @Option(names = "--consistency", paramLabel = "RULE", description = "Consistency rule (bsp).")
    private String consistency;

    @Option(names = "--tree", paramLabel = "NAME", description = "Broadcast trees (flat).")
    private String tree;

    @Option(
            names = "--layers",
            paramLabel = "N",
            description = "Parts of the update that are pushed as they are computed (1).")
    private Integer layers;

    @Option(
            names = "--order",
            paramLabel = "NAME",
            description = "Which waiting slice is sent first: fifo or layer (fifo).")
    private String order;

    @Option(
            names = "--byte-time",
            paramLabel = "NS",
            defaultValue = "0.25",
            description = "Nanoseconds of a processor for a byte in shared memory (${DEFAULT-VALUE}).")
    private double byteTime;

    /** What the options state, by the names of JSON. */
    private ObjectNode stated;

    /**
     * Reads the options.
     *
     * @throws IllegalArgumentException if a value is out of range
     */
    public void check() {
        stated = mapper.createObjectNode();
        state("transport", oneOf("--transport", transport, "ipc", "udp"));
        state("link_rate", linkRate == null ? null : LinkRate.parse("--link-rate", linkRate));
        if (stated.path("link_rate").asLong(1) == 0) {
            throw new IllegalArgumentException("--link-rate is " + linkRate
                    + ", expected a rate above 0; for nodes that share memory give --transport ipc instead");
        }
        state("workers", within("--workers", workers, MOST));
        state("servers", within("--servers", servers, MOST));
        state("cores", within("--cores", cores, MOST * MOST));
        state("parameters", within("--parameters", parameters, MOST_PARAMETERS));
        state("compute_seconds", compute == null ? null : Latency.parse("--compute", compute));
        state("clock_seconds", clock == null ? null : Latency.parse("--clock", clock));
        state("values", values == null ? null : ValueType.named(values).configName());
        state("slice", within("--slice", slice, TableSpec.MAX_SLICE_ELEMENTS));
        state("layers", within("--layers", layers, MOST_LAYERS));
        state("order", oneOf("--order", order, "fifo", "layer"));
        state("protocol", protocol == null ? null : modelled(protocol, "the stated job"));
        state("consistency", consistency);
        state("tree", tree);
        if (consistency != null) {
            ConsistencyRules.named(consistency);
        }
        if (tree != null) {
            TreePlanners.named(tree);
        }
        if (kept != null && !(kept >= 0 && kept <= 1)) {
            throw new IllegalArgumentException("--kept is " + kept + ", expected 0 to 1");
        }
        state("kept", kept);
        if (!(byteTime >= 0 && byteTime <= 1e6)) {
            throw new IllegalArgumentException("--byte-time is " + byteTime + ", expected 0 to 1000000 nanoseconds");
        }
    }

    /**
     * Advises on a job. Call {@link #check} before.
     *
     * @param source where the figures are from, for people
     * @param known figures of the source by the names of JSON
     * @param replaced further figures that a statement replaces, because the source has them of one host only
     * @throws IllegalArgumentException if figures are missing, contradict each other, or have no model
     */
    public Advice advise(String source, ObjectNode known, Set<String> replaced) {
        for (Iterator<String> names = stated.fieldNames(); names.hasNext(); ) {
            String name = names.next();
            JsonNode has = known.get(name);
            if (has != null
                    && !REPLACED.contains(name)
                    && !replaced.contains(name)
                    && !has.asText().equals(stated.get(name).asText())) {
                throw new IllegalArgumentException(option(name) + " is "
                        + stated.get(name).asText() + ", but " + source + " has " + has.asText() + ": omit the option");
            }
        }
        ObjectNode all = known.deepCopy().setAll(stated);
        boolean shared = "ipc".equals(all.path("transport").asText());
        if (shared && linkRate != null) {
            throw new IllegalArgumentException(
                    "--link-rate is " + linkRate + ", but the nodes of " + source + " share memory and use no link");
        }
        if (known.has("protocol")) {
            modelled(known.get("protocol").asText(), source);
        }
        requireAll(source, all, shared, !known.isEmpty());
        return Advice.on(figures(source, all));
    }

    private void requireAll(String source, ObjectNode all, boolean shared, boolean isKnown) {
        List<String> missing = new ArrayList<>();
        List<String> needed = new ArrayList<>(List.of("parameters", "workers", "servers", "compute_seconds"));
        needed.addAll(shared ? List.of() : List.of("link_rate"));
        needed.addAll(isKnown ? List.of("protocol", "consistency", "tree", "values", "slice") : List.of());
        needed.stream().filter(name -> !all.hasNonNull(name)).forEach(name -> missing.add(option(name)));
        if (!missing.isEmpty()) {
            throw new IllegalArgumentException("some figures of " + source + " are missing, state them with "
                    + String.join(", ", missing) + (isKnown ? "" : ", or name a report or --running"));
        }
    }

    private JobFigures figures(String source, ObjectNode all) {
        long size = all.get("parameters").asLong();
        double share = all.path("kept").asDouble(1);
        Setup pushes = new Setup(
                all.path("protocol").asText("update"),
                all.path("consistency").asText("bsp"),
                all.path("tree").asText("flat"),
                all.path("values").asText("f32"),
                all.path("order").asText("fifo"),
                all.path("slice").asInt(STANDARD_SLICE),
                all.path("layers").asInt(1),
                1,
                share,
                share);
        double pushed = all.path("pushed_bytes").asDouble(pushes.bytes(size, share));
        double received = all.path("received_bytes").asDouble(pushed);
        double union = pushed > 0 ? pushes.shareOf(size, share, received / pushed) : share;
        double computing = all.get("compute_seconds").asDouble();
        double pushing = all.path("push_seconds").asDouble(0);
        Double measured = all.hasNonNull("clock_seconds")
                ? (Double) all.get("clock_seconds").asDouble()
                : null;
        if (measured != null && measured < computing + pushing) {
            throw new IllegalArgumentException("a clock of " + source + " takes " + measured
                    + " s, expected at least the " + (computing + pushing)
                    + " s that a worker computes and sends in it");
        }
        return new JobFigures(
                source,
                all.get("workers").asInt(),
                all.get("servers").asInt(),
                size,
                all.path("transport").asText("udp"),
                "ipc".equals(all.path("transport").asText())
                        ? 0
                        : all.get("link_rate").asLong(),
                all.hasNonNull("cores") ? (Integer) all.get("cores").asInt() : null,
                byteTime / 1e9,
                computing,
                pushing,
                measured,
                pushed,
                received,
                all.path("filters").asBoolean(share < 1),
                all.path("filters_broadcasts").asBoolean(true),
                pushes.with("broadcast_kept", share == 1 && received >= pushed ? 1 : union));
    }

    private static String modelled(String name, String source) {
        Protocol named = Settings.constant("--protocol", name, Protocol.class);
        if (named == Protocol.MANAGED || named == Protocol.PEER) {
            throw new IllegalArgumentException("--protocol of " + source + " is " + name
                    + ", expected update or push-pull: advise has no model of the others; run the job with --protocol"
                    + " update and compare the reports");
        }
        return named.configName();
    }

    private void state(String name, Object value) {
        if (value != null) {
            stated.set(name, mapper.valueToTree(value));
        }
    }

    private static String option(String name) {
        return "--" + name.replace("_seconds", "").replace('_', '-');
    }

    private static String oneOf(String option, String value, String one, String other) {
        if (value != null && !value.equals(one) && !value.equals(other)) {
            throw new IllegalArgumentException(option + " is " + value + ", expected " + one + " or " + other);
        }
        return value;
    }

    private static Number within(String option, Number value, long most) {
        if (value != null && (value.longValue() < 1 || value.longValue() > most)) {
            throw new IllegalArgumentException(option + " is " + value + ", expected 1 to " + most);
        }
        return value;
    }
}
