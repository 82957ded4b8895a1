package io.sluice.consistency.terms;

import io.sluice.codecs.BlockCompressors;
import io.sluice.codecs.api.ValueType;
import io.sluice.messaging.LinkRate;
import io.sluice.messaging.Settings;
import io.sluice.messaging.api.Budget;
import io.sluice.tree.planning.TopologyText;
import io.sluice.tree.topology.Topology;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Builds {@link ClusterSettings}. Every setting has a default, which the system property {@code sluice.<setting>}
 * overrides (except for {@link #onDeath} and {@link #places}), and a setter, which overrides both. {@link #build()}
 * checks them.
 */
public final class ClusterSettingsBuilder {
    /** Length of the longest slice whose dense frame fits one 64 KiB datagram: 64 bytes and 16,320 floats. */
    public static final int DEFAULT_SLICE_ELEMENTS = 16_320;

    /** The filter that sends all updates: no threshold suits all models. */
    public static final String DEFAULT_FILTER = "none";

    /** The rule that adds pushes to the parameters. */
    public static final String DEFAULT_RULE = "sum";

    /** The placement that cuts each table into equal runs. */
    public static final String DEFAULT_PLACEMENT = "uniform";

    /** Default rate of a link. */
    public static final String DEFAULT_LINK_RATE = "1gbit";

    /** The order that needs no queue. */
    public static final String DEFAULT_ORDER = "fifo";

    /** The planner that chooses the shape with the shortest predicted time. */
    public static final String DEFAULT_TREE = "auto";

    /** A budget without bound. */
    public static final String NO_BUDGET = "none";

    private int servers = Settings.integer("sluice.servers", 1);
    private int workers = Settings.integer("sluice.workers", 1);
    private int places;
    private int serverPlaces;
    private Protocol protocol = choice(Protocol.class, "protocol", Protocol.UPDATE);
    private String consistency = System.getProperty("sluice.consistency", "bsp");
    private final Map<String, String> filter = others(System.getProperty("sluice.filter", DEFAULT_FILTER));
    private final Map<String, String> broadcastFilter = new LinkedHashMap<>();
    private final Map<String, String> rule = others(System.getProperty("sluice.rule", DEFAULT_RULE));
    private final Map<String, String> values = others(System.getProperty("sluice.values", ValueType.F32.configName()));
    private String compressor = System.getProperty("sluice.compressor");
    private TransportKind transport = choice(TransportKind.class, "transport", TransportKind.IPC);
    private String placement = System.getProperty("sluice.placement", DEFAULT_PLACEMENT);
    private final Map<String, Integer> sliceElements =
            others(Settings.integer("sluice.slice.elements", DEFAULT_SLICE_ELEMENTS));
    private int heartbeatMs = Settings.integer("sluice.heartbeat.ms", 250);
    private int livenessMs = Settings.integer("sluice.liveness.ms", 2_500);
    private String linkRate = System.getProperty("sluice.link.rate", DEFAULT_LINK_RATE);
    private String order = System.getProperty("sluice.order", DEFAULT_ORDER);
    private String tree = System.getProperty("sluice.tree", DEFAULT_TREE);
    private Topology topology;
    private String linkBudget = System.getProperty("sluice.link.budget", NO_BUDGET);
    private int linkBurst = Settings.intSize("sluice.link.burst", Budget.DEFAULT_BURST);
    private String nodeBudget = System.getProperty("sluice.node.budget", NO_BUDGET);
    private int nodeBurst = Settings.intSize("sluice.node.burst", Budget.DEFAULT_BURST);
    private DeathPolicy onDeath = DeathPolicy.FAIL;

    private boolean seal = Settings.flag("sluice.seal", false);

    ClusterSettingsBuilder() {}

    /** Sets the number of servers; 1 by default. */
    public ClusterSettingsBuilder servers(int value) {
        servers = value;
        return this;
    }

    /** Sets the number of workers; 1 by default. */
    public ClusterSettingsBuilder workers(int value) {
        workers = value;
        return this;
    }

    /**
     * Makes the job elastic: workers may join and leave while it runs. The argument is the largest number of workers at
     * a time, at least their number at the start; 0, the default, for a fixed set of workers.
     */
    public ClusterSettingsBuilder places(int value) {
        places = value;
        return this;
    }

    /**
     * Lets servers join while the job runs, if {@link #places} makes the job elastic. The argument is the largest
     * number of servers at a time; 0, the default, is their number at the start: then a server can join only after
     * another has left.
     */
    public ClusterSettingsBuilder serverPlaces(int value) {
        serverPlaces = value;
        return this;
    }

    /** Sets the protocol; updates by default. */
    public ClusterSettingsBuilder protocol(Protocol value) {
        protocol = value;
        return this;
    }

    /** Names the consistency rule: {@code bsp} (the default), {@code ssp:S}, {@code
     * dssp:LOW,HIGH}, {@code tap}, {@code backup:B}, {@code drift:D,MAX}, or a rule of a provider on the class path of
     * every node. */
    public ClusterSettingsBuilder consistency(String value) {
        consistency = value;
        return this;
    }

    /**
     * Selects the updates that are sent: {@code none} (all that are not zero), {@code dvf:DELTA}, {@code fixed:DELTA},
     * {@code adaptive:LOW,HIGH}, {@code density:D}, {@code sidco:D}, {@code topk:D}, {@code budget:BYTES}, {@code
     * sign}, {@code tern}, {@code qsgd:S}, or a policy of a provider on the class path of every node; see {@link
     * io.sluice.filter.policy.StandardPolicy}. {@value #DEFAULT_FILTER} by default. Applies to tables that {@link
     * #filter(String, String)} does not name, and to broadcasts unless {@link #broadcastFilter} is called.
     */
    public ClusterSettingsBuilder filter(String spec) {
        return filter(TableTerms.OTHERS, spec);
    }

    /** Selects which updates of one table are sent; the same policies as {@link #filter(String)}. */
    public ClusterSettingsBuilder filter(String table, String spec) {
        filter.put(table, spec);
        return this;
    }

    /** Selects the changes that servers broadcast; by default {@link #filter} selects them. */
    public ClusterSettingsBuilder broadcastFilter(String spec) {
        return broadcastFilter(TableTerms.OTHERS, spec);
    }

    /** Sets the broadcast filter of one table: which of its changes servers broadcast. */
    public ClusterSettingsBuilder broadcastFilter(String table, String spec) {
        broadcastFilter.put(table, spec);
        return this;
    }

    /**
     * Sets the update rule, by which servers turn pushes into changes: {@code sum}, {@code mean}, {@code adagrad:R},
     * {@code adarevision:R}, {@code momentum:R[,B]}, {@code nesterov:R[,B]}, {@code adam:R[,B,C]}, or a rule of a
     * provider on the class path of every node; see {@link io.sluice.consistency.spi.UpdateRule}. {@value
     * #DEFAULT_RULE} by default.
     */
    public ClusterSettingsBuilder rule(String spec) {
        return rule(TableTerms.OTHERS, spec);
    }

    /** Sets the update rule of one table. */
    public ClusterSettingsBuilder rule(String table, String spec) {
        rule.put(table, spec);
        return this;
    }

    /**
     * Sets the type in which values are sent: {@code f32} (the default), {@code f32-packed}, {@code bf16}, {@code
     * bf16-packed}, {@code f16} or {@code log8}; see {@link ValueType}. Initial values are always f32.
     */
    public ClusterSettingsBuilder values(String value) {
        return values(TableTerms.OTHERS, value);
    }

    /** Sets the type in which the values of one table are sent. */
    public ClusterSettingsBuilder values(String table, String value) {
        values.put(table, value);
        return this;
    }

    /**
     * Names the compressor: {@code none}, {@code lz4}, {@code snappy}, {@code zstd}, or {@code auto}, which is
     * {@code zstd} on slow links. By default, and with {@code null}, {@code auto} with transport UDP and
     * {@code none} with IPC.
     */
    public ClusterSettingsBuilder compressor(String value) {
        compressor = value;
        return this;
    }

    /** Sets how nodes send frames to each other; by shared memory within a host by default. */
    public ClusterSettingsBuilder transport(TransportKind value) {
        transport = value;
        return this;
    }

    /**
     * Sets how slices are assigned to servers: {@code uniform} (the default), {@code round-robin}, {@code
     * largest-first}, or a placement of a provider on the class path of every node.
     */
    public ClusterSettingsBuilder placement(String value) {
        placement = value;
        return this;
    }

    /** Sets the number of floats of a slice, 1 to 65,536; {@value #DEFAULT_SLICE_ELEMENTS} by default. */
    public ClusterSettingsBuilder sliceElements(int value) {
        return sliceElements(TableTerms.OTHERS, value);
    }

    /** Sets the number of floats of a slice of one table. */
    public ClusterSettingsBuilder sliceElements(String table, int value) {
        sliceElements.put(table, value);
        return this;
    }

    /** Sets the interval between heartbeats in milliseconds; 250 by default. */
    public ClusterSettingsBuilder heartbeatMs(int value) {
        heartbeatMs = value;
        return this;
    }

    /** Sets the silence after which a node is lost, in milliseconds; 2,500 by default. */
    public ClusterSettingsBuilder livenessMs(int value) {
        livenessMs = value;
        return this;
    }

    /** Sets the rate of a link, such as {@code 1gbit} (the default) or {@code 200mbit}; see {@link LinkRate}. */
    public ClusterSettingsBuilder linkRate(String value) {
        linkRate = value;
        return this;
    }

    /**
     * Names the order in which slices that wait for a link are sent: {@code fifo} (the default), {@code layer},
     * {@code magnitude}, {@code relative}, {@code round-robin}, {@code random:SEED}, several of these separated by
     * commas, or an order that a provider on the class path of every node adds; see {@link
     * io.sluice.messaging.outbox.StandardOrder}.
     */
    public ClusterSettingsBuilder order(String value) {
        order = value;
        return this;
    }

    /**
     * Selects the broadcast trees: {@code auto} (the default), {@code flat}, {@code rotated:T}, {@code chain}, {@code
     * stripes}, {@code shared:T}, {@code p3:T,H}, or a planner of a provider on the class path of every node; see
     * {@link io.sluice.tree.planning.TreePlanners}.
     */
    public ClusterSettingsBuilder tree(String value) {
        tree = value;
        return this;
    }

    /**
     * Describes the network over which trees are planned: with {@code null}, the default, all hosts are equal, and
     * their links carry {@link #linkRate}. It must contain the host of every node, by the name of its machine or its
     * address.
     */
    public ClusterSettingsBuilder topology(Topology value) {
        topology = value;
        return this;
    }

    /**
     * Limits each data link: {@code none} (the default) or a rate such as {@code 200mbit}, and the bytes of a burst,
     * 256 KiB by default. The longest frame must fit the burst.
     */
    public ClusterSettingsBuilder linkBudget(String rate, int burst) {
        linkBudget = rate;
        linkBurst = burst;
        return this;
    }

    /** Limits all data links of a node together, as {@link #linkBudget} limits each. */
    public ClusterSettingsBuilder nodeBudget(String rate, int burst) {
        nodeBudget = rate;
        nodeBurst = burst;
        return this;
    }

    /** Selects what the death of a node causes; by default the cluster fails. */
    public ClusterSettingsBuilder onDeath(DeathPolicy value) {
        onDeath = value;
        return this;
    }

    /** Selects whether frames between nodes are sealed, which requires a secret; by default they are not. */
    public ClusterSettingsBuilder seal(boolean value) {
        seal = value;
        return this;
    }

    /**
     * Checks the settings.
     *
     * @return the settings
     * @throws IllegalArgumentException naming the setting, its value and the range
     */
    public ClusterSettings build() {
        return new ClusterSettings(
                servers,
                workers,
                places,
                serverPlaces,
                protocol,
                consistency,
                tables(),
                compression(),
                transport,
                placement,
                heartbeatMs,
                livenessMs,
                LinkRate.parse("link rate", linkRate),
                order,
                tree,
                null == topology ? "" : TopologyText.of(topology),
                Budget.parse("link budget", linkBudget, linkBurst),
                Budget.parse("node budget", nodeBudget, nodeBurst),
                onDeath,
                seal);
    }

    /** The terms of each named table; a term that does not name the table is that of all others. */
    private Map<String, TableTerms> tables() {
        Map<String, TableTerms> tables = new LinkedHashMap<>();
        Stream.of(filter, broadcastFilter, rule, values, sliceElements)
                .flatMap(term -> term.keySet().stream())
                .forEach(name -> tables.computeIfAbsent(name, this::terms));
        return tables;
    }

    private TableTerms terms(String table) {
        String pushes = term(filter, table);
        String broadcasts = term(broadcastFilter, table);
        try {
            return new TableTerms(
                    pushes,
                    null == broadcasts ? pushes : broadcasts,
                    term(rule, table),
                    ValueType.named(term(values, table)),
                    term(sliceElements, table));
        } catch (IllegalArgumentException e) {
            throw TableTerms.OTHERS.equals(table)
                    ? e
                    : new IllegalArgumentException("table " + table + ": " + e.getMessage(), e);
        }
    }

    private static <T> T term(Map<String, T> term, String table) {
        return term.getOrDefault(table, term.get(TableTerms.OTHERS));
    }

    private static <T> Map<String, T> others(T value) {
        return new LinkedHashMap<>(Map.of(TableTerms.OTHERS, value));
    }

    /** Compression does not pay for frames in shared memory. */
    private String compression() {
        if (null != compressor) {
            return compressor;
        }
        return TransportKind.IPC == transport ? BlockCompressors.NONE : ClusterSettings.AUTO;
    }

    private static <E extends Enum<E>> E choice(Class<E> type, String setting, E byDefault) {
        String property = "sluice." + setting;
        return Settings.constant(property, Settings.text(property, Settings.configName(byDefault)), type);
    }
}
