package io.sluice.cli;

import io.sluice.consistency.replica.CoordinatorContext;
import io.sluice.consistency.server.ServerContext;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.ClusterSettingsBuilder;
import io.sluice.consistency.terms.DeathPolicy;
import io.sluice.consistency.terms.Protocol;
import io.sluice.consistency.terms.TableTerms;
import io.sluice.consistency.terms.TransportKind;
import io.sluice.messaging.Settings;
import io.sluice.tree.topology.Topology;
import io.sluice.tree.topology.TopologyFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Option;

/** The terms of a cluster, as options of the command that coordinates it. */
final class ClusterOptions {
    @Option(names = "--workers", paramLabel = "N", defaultValue = "4", description = "Workers (${DEFAULT-VALUE}).")
    private int workers;

    @Option(
            names = "--max-workers",
            paramLabel = "N",
            description = "Let workers join and leave while the job runs. At most N take part at once; --workers is the"
                    + " number at the start. Without --max-workers no worker joins or leaves.")
    private Integer maxWorkers;

    @Option(names = "--servers", paramLabel = "P", defaultValue = "2", description = "Servers (${DEFAULT-VALUE}).")
    private int servers;

    @Option(
            names = "--max-servers",
            paramLabel = "P",
            description = "With --max-workers: let servers join while the job runs. At most P take part at once;"
                    + " --servers is the number at the start. Without this option a server can join only after another"
                    + " has left.")
    private Integer maxServers;

    @Option(
            names = "--consistency",
            paramLabel = "RULE",
            defaultValue = "bsp",
            description =
                    "bsp, ssp:S (workers may be S clocks ahead), dssp:LOW,HIGH (S is chosen to wait least), tap (no"
                        + " worker waits), backup:B (no worker waits for the last B, whose updates count for the next"
                        + " clock), drift:D,MAX (bsp; pushes once the norm of the residual exceeds D times that of the"
                        + " parameters, or MAX divides the clock) or a rule of your own; default ${DEFAULT-VALUE}.")
    private String consistency;

    @Option(
            names = "--protocol",
            paramLabel = "P",
            defaultValue = "update",
            description =
                    "update (push and broadcast), managed (the same, but the most significant slices are sent before"
                        + " their clock ends while a budget is unused), peer (workers send the vectors of factor"
                        + " tables to each other) or push-pull of dense f32, the baseline; default ${DEFAULT-VALUE}.")
    private String protocol;

    @Option(
            names = "--filter",
            paramLabel = "[TABLE=]F",
            description =
                    "What is sent: none (all that is not zero); dvf (above delta/sqrt(t)), fixed (above delta), or"
                        + " dvf:D, fixed:D; adaptive:LOW,HIGH; density:SHARE, sidco:SHARE, topk:SHARE or budget:BYTES"
                        + " (auto: by the measured rate) of each clock, with ;warmup=CLOCKS and ;every=CLOCKS; all in"
                        + " few bits: sign, tern or qsgd:LEVELS, with ;group=N, ;warmup=CLOCKS and ;feedback; or a"
                        + " policy of your own (dvf; train mf: none). With TABLE= for one table; repeat it for"
                        + " others.")
    private List<String> filters = new ArrayList<>();

    @Option(
            names = "--broadcast-filter",
            paramLabel = "[TABLE=]F",
            description = "Filter of the changes that servers broadcast, if other than --filter.")
    private List<String> broadcastFilters = new ArrayList<>();

    @Option(
            names = "--rule",
            paramLabel = "[TABLE=]U",
            description = "How servers turn pushes into changes of the parameters: sum, mean[;weighted], adagrad:R,"
                    + " adarevision:R, momentum:R[,B][;outer[;weighted]], nesterov with the same, adam:R[,B,C]"
                    + " with rate R, or a rule of your own (sum).")
    private List<String> rules = new ArrayList<>();

    @Option(names = "--delta", paramLabel = "D", description = "Delta of --filter dvf and fixed (0.1).")
    private Double delta;

    @Option(
            names = "--min-rate",
            paramLabel = "R",
            description =
                    "With --filter adaptive: use HIGH while the measured rate of a link is below this (50mbit), and LOW"
                            + " while all are above. Without it, a program or a property decides.")
    private String minRate;

    @Option(
            names = "--values",
            paramLabel = "[TABLE=]V",
            description =
                    "Type in which values are sent: f32, f32-packed (lossless too), bf16, bf16-packed, f16 or log8;"
                            + " rounding errors stay in the residual (f32).")
    private List<String> values = new ArrayList<>();

    @Option(
            names = "--compress",
            paramLabel = "C",
            description =
                    "none; lz4, snappy or zstd, tried on every frame; or auto: zstd on links of at most 100 Mbit/s "
                            + "unless values are packed, otherwise none (ipc: none, udp: auto).")
    private String compress;

    @Option(
            names = "--link-rate",
            paramLabel = "R",
            defaultValue = ClusterSettingsBuilder.DEFAULT_LINK_RATE,
            description =
                    "Rate of a link: 1gbit, 200mbit, ... (${DEFAULT-VALUE}). The choices of auto depend on it, and"
                            + " above 1.5gbit indices are bitmaps or lists, not deltas.")
    private String linkRate;

    @Option(
            names = "--order",
            paramLabel = "O",
            defaultValue = ClusterSettingsBuilder.DEFAULT_ORDER,
            description =
                    "Order in which slices that wait for a link are sent: fifo, layer (first tables first), magnitude,"
                            + " relative (to the parameters), round-robin, random[:SEED], several separated by commas,"
                            + " or an order of your own (${DEFAULT-VALUE}).")
    private String order;

    @Option(
            names = "--tree",
            paramLabel = "T",
            defaultValue = ClusterSettingsBuilder.DEFAULT_TREE,
            description =
                    "How broadcasts reach the workers: flat (each server sends to all), rotated[:T[,H]] (a tree for"
                            + " each server, T children), chain, stripes (each worker forwards a part to all),"
                            + " shared[:T[,H]] (one tree for all), p3[:T[,H]], auto (the fastest by prediction), or a"
                            + " planner of your own"
                            + " (${DEFAULT-VALUE}).")
    private String tree;

    @Option(
            names = "--topology",
            paramLabel = "FILE",
            description =
                    "YAML file that describes the network for which --tree plans, and names the host of every node by"
                            + " name or address; docs/reference.md has the format. Without it all hosts are equal,"
                            + " with links of --link-rate.")
    private Path topology;

    @Option(
            names = "--budget-rate",
            paramLabel = "R",
            defaultValue = ClusterSettingsBuilder.NO_BUDGET,
            description = "Limit of each data link: 100mbit, ... or none (${DEFAULT-VALUE}).")
    private String budgetRate;

    @Option(
            names = "--node-budget-rate",
            paramLabel = "R",
            defaultValue = ClusterSettingsBuilder.NO_BUDGET,
            description = "Limit of all data links of a node together (${DEFAULT-VALUE}).")
    private String nodeBudgetRate;

    @Option(
            names = "--budget-burst",
            paramLabel = "BYTES",
            defaultValue = "262144",
            description = "Burst of a budget; at least the longest frame (${DEFAULT-VALUE}).")
    private int budgetBurst;

    @Option(
            names = "--transport",
            paramLabel = "T",
            defaultValue = "ipc",
            description = "ipc (shared memory within a host, UDP between hosts) or udp; default ${DEFAULT-VALUE}.")
    private String transport;

    @Option(
            names = "--placement",
            paramLabel = "P",
            defaultValue = "uniform",
            description = "uniform, round-robin, largest-first or a placement of your own (${DEFAULT-VALUE}).")
    private String placement;

    @Option(
            names = "--slice",
            paramLabel = "[TABLE=]N",
            description = "Floats of a slice; 16320 is the longest whose dense frame is one 64 KiB datagram (16320).")
    private List<String> slices = new ArrayList<>();

    @Option(
            names = "--heartbeat-ms",
            paramLabel = "MS",
            defaultValue = "250",
            description = "Milliseconds between heartbeats (${DEFAULT-VALUE}).")
    private int heartbeatMs;

    @Option(
            names = "--liveness-ms",
            paramLabel = "MS",
            defaultValue = "2500",
            description =
                    "Milliseconds of silence after which a node is lost; up to twice as many if it was late before"
                            + " (${DEFAULT-VALUE}).")
    private int livenessMs;

    @Option(
            names = "--on-death",
            paramLabel = "P",
            defaultValue = "fail",
            description =
                    "When a worker dies: fail (the job ends), shrink (the others continue without it; no worker trains"
                        + " on its part of the data) or wait (until it is restarted from its snapshot, as is a server;"
                        + " with --max-workers, all nodes are restarted; needs --snapshots) (${DEFAULT-VALUE}).")
    private String onDeath;

    @Option(
            names = "--wait-limit",
            paramLabel = "S",
            description = "With --on-death wait: how many seconds to wait for a dead node (600).")
    private Integer waitSeconds;

    @Option(
            names = "--seal",
            description = "Encrypt and authenticate every frame between nodes, with keys derived from the secret.")
    private boolean seal;

    private String defaultFilter = "dvf";

    /** Sets the filter of a job whose options name none. */
    void defaultFilter(String value) {
        defaultFilter = value;
    }

    /**
     * Checks the options.
     *
     * @return the terms
     * @throws IllegalArgumentException naming the option at fault
     * @throws IOException              if the topology cannot be read, or is malformed
     */
    ClusterSettings settings() throws IOException {
        Protocol chosen = Settings.constant("--protocol", protocol, Protocol.class);
        if (chosen == Protocol.PUSH_PULL) {
            refuseWithPushPull("--filter", givenOrNull(filters));
            refuseWithPushPull("--broadcast-filter", givenOrNull(broadcastFilters));
            refuseWithPushPull("--delta", delta);
            refuseWithPushPull("--min-rate", minRate);
            refuseWithPushPull("--values", givenOrNull(values));
            refuseWithoutBroadcast("--tree", ClusterSettingsBuilder.DEFAULT_TREE.equals(tree) ? null : tree);
            refuseWithoutBroadcast("--topology", topology);
        }
        ClusterSettingsBuilder terms = ClusterSettings.builder();
        filterSpecs().forEach(terms::filter);
        broadcastSpecs().forEach(terms::broadcastFilter);
        TableValues.parse("--rule", rules).forEach(terms::rule);
        TableValues.parse("--values", values).forEach(terms::values);
        TableValues.parse("--slice", slices)
                .forEach((table, floats) -> terms.sliceElements(table, wholeNumber("--slice", floats)));
        return terms.servers(servers)
                .workers(workers)
                .places(places())
                .serverPlaces(serverPlaces())
                .protocol(chosen)
                .consistency(consistency)
                .compressor(compress)
                .transport(Settings.constant("--transport", transport, TransportKind.class))
                .placement(placement)
                .heartbeatMs(heartbeatMs)
                .livenessMs(livenessMs)
                .linkRate(linkRate)
                .order(order)
                .tree(tree)
                .topology(network())
                .linkBudget(budgetRate, budgetBurst)
                .nodeBudget(nodeBudgetRate, budgetBurst)
                .onDeath(Settings.constant("--on-death", onDeath, DeathPolicy.class))
                .seal(seal)
                .build();
    }

    private int places() {
        if (null != maxWorkers && maxWorkers < workers) {
            throw new IllegalArgumentException(
                    "--max-workers is " + maxWorkers + ", expected the " + workers + " of --workers or more");
        }
        return null == maxWorkers ? 0 : maxWorkers;
    }

    private int serverPlaces() {
        if (null != maxServers && null == maxWorkers) {
            throw new IllegalArgumentException("--max-servers is " + maxServers + ", but --max-workers is not set:"
                    + " servers join only in elastic jobs (--max-workers may equal --workers)");
        }
        if (null != maxServers && maxServers < servers) {
            throw new IllegalArgumentException(
                    "--max-servers is " + maxServers + ", expected the " + servers + " of --servers or more");
        }
        return null == maxServers ? servers : maxServers;
    }

    private Topology network() throws IOException {
        if (null == topology) {
            return null;
        }
        return TopologyFile.read(topology).topology();
    }

    /** The filter of each table, completed by --delta or --min-rate if it takes them. */
    private Map<String, String> filterSpecs() {
        Map<String, String> specs = new LinkedHashMap<>(Map.of(TableTerms.OTHERS, defaultFilter));
        specs.putAll(TableValues.parse("--filter", filters));
        List<String> all = new ArrayList<>(specs.values());
        all.addAll(TableValues.parse("--broadcast-filter", broadcastFilters).values());
        FilterOption.requireUse(all, delta, minRate);
        return completed(specs);
    }

    /** The filter of broadcasts of each table that has one, completed in the same way. */
    private Map<String, String> broadcastSpecs() {
        return completed(TableValues.parse("--broadcast-filter", broadcastFilters));
    }

    private Map<String, String> completed(Map<String, String> specs) {
        specs.replaceAll((table, spec) -> FilterOption.completed(spec, delta, minRate));
        return specs;
    }

    private static Object givenOrNull(List<String> given) {
        return given.isEmpty() ? null : String.join(" ", given);
    }

    private static int wholeNumber(String option, String text) {
        if (!text.matches("[0-9]{1,9}")) {
            throw new IllegalArgumentException(
                    option + " is " + text + ", expected a whole number of floats, 1 to 65536");
        }
        return Integer.parseInt(text);
    }

    /** Refuses a setting that would have no effect under push-pull. */
    private static void refuseWithPushPull(String option, Object value) {
        if (null != value) {
            throw new IllegalArgumentException(option + " is " + value
                    + ", but has no effect with --protocol push-pull, which sends every element as f32: use --protocol"
                    + " update");
        }
    }

    private static void refuseWithoutBroadcast(String option, Object value) {
        if (null != value) {
            throw new IllegalArgumentException(option + " is " + value
                    + ", but has no effect with --protocol push-pull, which broadcasts nothing: use --protocol update");
        }
    }

    /**
     * Sets how long the coordinator waits for dead nodes.
     *
     * @throws IllegalArgumentException if the option has no effect, or its value is no time
     */
    void applyTo(ServerContext coordinator) {
        checkWait();
        if (null != waitSeconds) {
            coordinator.waitLimitNs(TimeUnit.SECONDS.toNanos(waitSeconds));
        }
    }

    /** Sets how long one of several coordinators waits for dead nodes. */
    void applyTo(CoordinatorContext coordinator) {
        checkWait();
        if (null != waitSeconds) {
            coordinator.waitLimitNs(TimeUnit.SECONDS.toNanos(waitSeconds));
        }
    }

    /** Refuses a limit that is out of range or would have no effect. */
    void checkWait() {
        if (null != waitSeconds && !DeathPolicy.WAIT.configName().equals(onDeath)) {
            throw new IllegalArgumentException("--wait-limit is " + waitSeconds + ", but --on-death is " + onDeath
                    + ": it applies only to --on-death wait");
        }
        if (null != waitSeconds && null != maxWorkers) {
            throw new IllegalArgumentException("--wait-limit is " + waitSeconds + ", expected none with --max-workers:"
                    + " the job does not wait for a dead node, all nodes start again");
        }
        if (null != waitSeconds && waitSeconds < 1) {
            throw new IllegalArgumentException("--wait-limit is " + waitSeconds + ", expected 1 or more seconds");
        }
    }

    /** The same options, as arguments for the child process that coordinates. */
    List<String> arguments() {
        List<String> arguments = new ArrayList<>();
        add(arguments, "--workers", workers);
        addIfGiven(arguments, "--max-workers", maxWorkers);
        add(arguments, "--servers", servers);
        addIfGiven(arguments, "--max-servers", maxServers);
        add(arguments, "--consistency", consistency);
        add(arguments, "--protocol", protocol);
        if (Settings.constant("--protocol", protocol, Protocol.class) != Protocol.PUSH_PULL) {
            filterSpecs().forEach((table, spec) -> add(arguments, "--filter", TableValues.text(table, spec)));
            broadcastSpecs()
                    .forEach((table, spec) -> add(arguments, "--broadcast-filter", TableValues.text(table, spec)));
        }
        rules.forEach(rule -> add(arguments, "--rule", rule));
        values.forEach(value -> add(arguments, "--values", value));
        addIfGiven(arguments, "--compress", compress);
        add(arguments, "--link-rate", linkRate);
        add(arguments, "--order", order);
        add(arguments, "--tree", tree);
        addIfGiven(arguments, "--topology", null == topology ? null : topology.toAbsolutePath());
        add(arguments, "--budget-rate", budgetRate);
        add(arguments, "--node-budget-rate", nodeBudgetRate);
        add(arguments, "--budget-burst", budgetBurst);
        add(arguments, "--transport", transport);
        add(arguments, "--placement", placement);
        slices.forEach(slice -> add(arguments, "--slice", slice));
        add(arguments, "--heartbeat-ms", heartbeatMs);
        add(arguments, "--liveness-ms", livenessMs);
        add(arguments, "--on-death", onDeath);
        addIfGiven(arguments, "--wait-limit", waitSeconds);
        if (seal) {
            arguments.add("--seal");
        }
        return arguments;
    }

    private static void addIfGiven(List<String> arguments, String option, Object value) {
        if (null != value) {
            add(arguments, option, value);
        }
    }

    static void add(List<String> arguments, String option, Object value) {
        arguments.add(option);
        arguments.add(String.valueOf(value));
    }
}
