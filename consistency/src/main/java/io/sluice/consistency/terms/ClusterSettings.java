package io.sluice.consistency.terms;

import io.sluice.codecs.BlockCompressors;
import io.sluice.codecs.Frame;
import io.sluice.codecs.SealTrailer;
import io.sluice.codecs.api.ValueType;
import io.sluice.codecs.spi.BlockCompressor;
import io.sluice.consistency.clock.ConsistencyRules;
import io.sluice.consistency.spi.ConsistencyRule;
import io.sluice.consistency.spi.PlacementStrategy;
import io.sluice.consistency.spi.UpdateRule;
import io.sluice.consistency.standard.Placements;
import io.sluice.consistency.standard.UpdateRules;
import io.sluice.filter.policy.FilterPolicies;
import io.sluice.messaging.Channels;
import io.sluice.messaging.api.Budget;
import io.sluice.messaging.outbox.SliceOrders;
import io.sluice.messaging.spi.SliceOrder;
import io.sluice.tree.planning.TopologyText;
import io.sluice.tree.planning.TreePlanners;
import io.sluice.tree.spi.TreePlanner;
import java.io.Serializable;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;

/**
 * The terms that all nodes of a cluster share. The coordinator states them, and every other node receives them in its
 * welcome, so they cannot differ.
 *
 * @param servers number of servers at the start, from 1
 * @param workers number of workers, from 1
 * @param places largest number of workers at a time, at least {@code workers}, in an elastic job, whose workers may
 *     join and leave while it runs; 0 if the job is not elastic
 * @param serverPlaces largest number of servers at a time, at least {@code servers}; larger than that only in an
 *                      elastic job; 0 means {@code servers}
 * @param protocol protocol by which updates and parameters are exchanged
 * @param consistency name of the consistency rule, such as {@code bsp}
 * @param tables terms that differ from table to table, by name; {@link TableTerms#OTHERS} for all others
 * @param compressor name of the {@link BlockCompressor} of the blocks, at most 200 characters; {@link #AUTO} selects
 *                      Zstandard on slow links, unless exponents are packed, and otherwise none
 * @param transport how nodes reach one another
 * @param placement specification of the {@link PlacementStrategy} that assigns slices to servers, at most 200
 *                      characters
 * @param heartbeatMs interval between heartbeats, in milliseconds
 * @param livenessMs silence after which a node counts as dead, in milliseconds; at least three heartbeats
 * @param linkRate rate of a link in bits per second, 1 kbit to 10 Tbit; {@link #AUTO} compresses if
 *                      it is low, and above 1.5 Gbit/s blocks have no deltas
 * @param order name of the {@link SliceOrder} that decides which waiting slice is sent first, at most 200
 *                      characters
 * @param tree name of the {@link TreePlanner} that plans how broadcasts reach the workers, at most 200
 *                      characters
 * @param topology the network over which trees are planned, as {@link TopologyText} writes it, at most 16,384
 *                      characters; empty if all hosts are equal, with links of {@code linkRate}
 * @param linkBudget limit of each data link; counts frames and Aeron's headers, not those of UDP and IP
 * @param nodeBudget limit of all data links of a node together
 * @param onDeath how the cluster reacts to the death of a node
 * @param seal whether nodes seal the frames between them, with keys derived from the cluster's secret
 */
public record ClusterSettings(
        int servers,
        int workers,
        int places,
        int serverPlaces,
        Protocol protocol,
        String consistency,
        Map<String, TableTerms> tables,
        String compressor,
        TransportKind transport,
        String placement,
        int heartbeatMs,
        int livenessMs,
        long linkRate,
        String order,
        String tree,
        String topology,
        Budget linkBudget,
        Budget nodeBudget,
        DeathPolicy onDeath,
        boolean seal)
        implements Serializable {
    /** Name of the tree in which each server sends to each worker itself. */
    public static final String FLAT = "flat";

    /** The compressor that depends on the rate of the links. */
    public static final String AUTO = "auto";

    /** Largest number of nodes in a cluster: the welcome names them all and must fit one message. */
    public static final int MAX_NODES = 4_096;

    private static final int MAX_NAME_LENGTH = 200;

    /** Maximum number of floats of a parameter's state. */
    private static final int MAX_STATE_FLOATS = 16;

    private static final int MAX_TOPOLOGY_LENGTH = 1 << 14;

    /** Number of clocks for which a user's rule is checked. */
    private static final int CLOCKS_TO_CHECK = 100;

    private static final int COMMON_MTU = 1_408;

    private static final long MAX_LINK_RATE = 10_000_000_000_000L;

    /** Refuses values out of range, naming the setting, its value and the range. */
    public ClusterSettings {
        require(servers >= 1, "servers", servers, "1 or more");
        require(workers >= 1, "workers", workers, "1 or more");
        serverPlaces = 0 == serverPlaces ? servers : serverPlaces;
        requireServerPlaces(servers, serverPlaces, places, tree);
        long most = (long) serverPlaces + Math.max(workers, places);
        require(most < MAX_NODES, "servers + workers", most, "below " + MAX_NODES);
        require(heartbeatMs >= 10 && heartbeatMs <= 60_000, "heartbeat ms", heartbeatMs, "10 to 60000");
        require(
                livenessMs >= 3 * heartbeatMs && livenessMs <= 600_000,
                "liveness ms",
                livenessMs,
                "three heartbeats (" + 3 * heartbeatMs + ") to 600000");
        require(
                linkRate >= 1_000 && linkRate <= MAX_LINK_RATE,
                "link rate",
                linkRate,
                "1000 to " + MAX_LINK_RATE + " bits per second");
        tables = Collections.unmodifiableMap(new LinkedHashMap<>(tables));
        requireTables(tables, protocol, consistency);
        int elements = longestSlice(tables);
        boolean tags = tables.values().stream().anyMatch(terms -> UpdateRules.tags(terms.rule()));
        int longest = Frame.DATA_LENGTH
                + Float.BYTES * elements
                + (tags ? Frame.TAG_LENGTH : 0)
                + (seal ? SealTrailer.LENGTH : 0);
        requireFits("link burst", linkBudget, longest, elements);
        requireFits("node burst", nodeBudget, longest, elements);
        require(
                Protocol.MANAGED != protocol || linkBudget.isBound() || nodeBudget.isBound(),
                "protocol",
                protocol.configName(),
                "another protocol, or a link budget or node budget: protocol managed sends early only what a budget"
                        + " leaves unused");
        requireName("compressor", compressor);
        requireName("placement", placement);
        requireName("order", order);
        requireName("tree", tree);
        requireConsistency(consistency, workers, protocol);
        require(
                Protocol.PEER != protocol || DeathPolicy.FAIL == onDeath,
                "on death",
                onDeath.configName(),
                DeathPolicy.FAIL.configName() + " with protocol peer, whose workers may have got different parts of"
                        + " what a dead worker sent");
        if (!AUTO.equals(compressor)) {
            BlockCompressors.requireKnown(compressor);
        }
        Placements.named(placement);
        SliceOrders.named(order);
        TreePlanners.named(tree);
        require(
                topology.length() <= MAX_TOPOLOGY_LENGTH,
                "topology",
                topology.length() + " characters long, in the form that nodes exchange",
                "up to " + MAX_TOPOLOGY_LENGTH
                        + ": hosts of one rack with one rate and numbered names take a few, measured" + " pairs many");
        if (!topology.isEmpty()) {
            TopologyText.parse(topology);
        }
        if (places > 0) {
            requireElastic(workers, places, protocol, consistency);
        }
    }

    private static void requireConsistency(String consistency, int workers, Protocol protocol) {
        requireName("consistency", consistency);
        ConsistencyRule bound = ConsistencyRules.named(consistency);
        for (long clock = 0; bound.ordered() && clock < CLOCKS_TO_CHECK; clock++) {
            require(
                    bound.requiredVersion(clock) == clock && bound.latestRound(clock) == clock + 1,
                    "consistency",
                    consistency,
                    "a rule that allows no staleness, because " + consistency + " is ordered");
        }
        if (bound.withholds()) {
            require(
                    bound.ordered(),
                    "consistency",
                    consistency,
                    "an ordered rule, because " + consistency + " withholds updates");
            require(
                    Protocol.UPDATE == protocol,
                    "consistency",
                    consistency,
                    "a rule that protocol " + protocol.configName() + " supports: this one needs protocol update");
        }
        int backups = bound.backups();
        require(backups < workers, "consistency", consistency, "fewer backup workers than the " + workers + " workers");
        require(
                0 == backups || Protocol.UPDATE == protocol,
                "consistency",
                consistency,
                "a rule that protocol " + protocol.configName() + " supports: this one needs protocol update");
    }

    private static void requireTables(Map<String, TableTerms> tables, Protocol protocol, String consistency) {
        require(tables.containsKey(TableTerms.OTHERS), "tables", tables.keySet(), TableTerms.OTHERS + " among them");
        TableTerms.text(tables);
        tables.forEach((name, terms) -> {
            requireName("table", name);
            requireRule(terms, name, protocol, consistency);
            requireDecay(terms, protocol, consistency);
            requireFeedback("filter", terms.filter(), protocol);
            requireFeedback("broadcast filter", terms.broadcastFilter(), protocol);
        });
    }

    /** Refuses the option decay where updates are in the residual before they are filtered (decision 16). */
    private static void requireDecay(TableTerms terms, Protocol protocol, String consistency) {
        String decay = ".*;decay=.*";
        require(
                !terms.broadcastFilter().matches(decay),
                "broadcast filter",
                terms.broadcastFilter(),
                "a filter without the option decay, such as none, because the sum of a server is its residual");
        if (terms.filter().matches(decay)) {
            ConsistencyRule rule = ConsistencyRules.named(consistency);
            require(
                    rule.ordered() && !rule.withholds() && Protocol.UPDATE == protocol,
                    "filter",
                    terms.filter(),
                    "a filter without the option decay, or consistency bsp and protocol update, because other terms add"
                            + " updates to the residual before they are filtered");
        }
    }

    /**
     * Refuses a quantiser without a residual under managed communication, which then saves nothing (decision 4): it
     * sends the parts before the end of a clock exactly, until the residual has nothing above its bound.
     */
    private static void requireFeedback(String what, String filter, Protocol protocol) {
        boolean forgets = filter.matches("(tern|qsgd)([:;].*)?") && !filter.matches(".*;feedback(;.*)?");
        require(
                Protocol.MANAGED != protocol || !forgets,
                what,
                filter,
                "the option feedback, without which protocol managed sends nearly all elements as f32");
    }

    /** Refuses terms under which a rule other than {@code sum} would not do what it states (decision 13). */
    private static void requireRule(TableTerms terms, String table, Protocol protocol, String consistency) {
        String rule = terms.rule();
        if (UpdateRules.SUM.equals(rule)) {
            return;
        }
        UpdateRule made = UpdateRules.named(rule);
        String where = " with rule " + rule + (TableTerms.OTHERS.equals(table) ? "" : " of table " + table);
        require(Protocol.UPDATE == protocol, "protocol", protocol.configName(), "update" + where);
        require(
                made.stateFloats() >= 0 && made.stateFloats() <= MAX_STATE_FLOATS,
                "floats of state",
                made.stateFloats(),
                "0 to " + MAX_STATE_FLOATS + where);
        require(
                !made.revises() || made.isForEachPush(),
                "rule",
                rule,
                "a rule that servers apply to each push (isForEachPush), because " + rule + " revises its steps");
        require(
                !made.weighs() || !made.isForEachPush(),
                "rule",
                rule,
                "a rule that servers apply once a round, because " + rule + " weighs pushes (weighs)");
        require(
                !made.weighs() || ConsistencyRules.named(consistency).ordered(),
                "consistency",
                consistency,
                "bsp or another ordered rule" + where);
        if (made.revises()) {
            boolean keepsFew = consistency.matches("bsp|ssp:([0-9]|1[0-5])");
            require(keepsFew, "consistency", consistency, "bsp or ssp:S with S up to 15" + where);
            require(
                    ClusterSettingsBuilder.DEFAULT_FILTER.equals(terms.filter()),
                    "filter",
                    terms.filter(),
                    ClusterSettingsBuilder.DEFAULT_FILTER + where
                            + ", because a residual mixes updates of many clocks");
            require(
                    ValueType.F32 == terms.values().plain(),
                    "values",
                    terms.values().configName(),
                    "f32 or f32-packed" + where);
        }
    }

    private static void requireServerPlaces(int servers, int serverPlaces, int places, String tree) {
        require(
                serverPlaces >= servers,
                "places for servers",
                serverPlaces,
                "the " + servers + " of the start or more");
        require(
                serverPlaces == servers || places > 0,
                "places for servers",
                serverPlaces,
                "the " + servers + " of the start, or also places for workers, without which no node joins while the"
                        + " job runs");
        require(
                serverPlaces == servers || isDirect(tree),
                "tree",
                tree,
                "flat or auto, if servers may join while the job runs");
    }

    /** Refuses terms of an elastic job in which a clock is not one sum of all pushes (decision 7). */
    private static void requireElastic(int workers, int places, Protocol protocol, String consistency) {
        String where = " in an elastic job";
        require(places >= workers, "places for workers", places, "the " + workers + " workers of the start or more");
        require(Protocol.UPDATE == protocol, "protocol", protocol.configName(), "update" + where);
        require(
                ConsistencyRules.named(consistency).ordered(),
                "consistency",
                consistency,
                "bsp or another ordered rule" + where);
    }

    /**
     * Refuses terms that exclude snapshots, or, under {@link DeathPolicy#WAIT}, a restart from them.
     *
     * @throws IllegalArgumentException naming the term at fault
     */
    public void requireFitForSnapshots() {
        String where = " with snapshots: only then are all nodes in a consistent state at a clock";
        require(Protocol.UPDATE == protocol, "protocol", protocol.configName(), Protocol.UPDATE.configName() + where);
        require(
                ConsistencyRules.named(consistency).ordered(),
                "consistency",
                consistency,
                "bsp or another ordered rule" + where);
        for (TableTerms terms : tables.values()) {
            requireRepeats("filter", terms.filter());
            requireRepeats("broadcast filter", terms.broadcastFilter());
        }
    }

    private void requireRepeats(String setting, String filter) {
        require(
                DeathPolicy.WAIT != onDeath || FilterPolicies.named(filter).repeats(),
                setting,
                filter,
                "one that repeats its choices after a restore (none, dvf, fixed, topk, sign, tern, qsgd), where on"
                        + " death is " + DeathPolicy.WAIT.configName());
    }

    /**
     * The terms of a table.
     *
     * @param name name of a table
     * @return those of the table, or those of all others
     */
    public TableTerms table(String name) {
        return tables.getOrDefault(name, tables.get(TableTerms.OTHERS));
    }

    /**
     * The terms of a declared table: those for its name, or exact ones if workers consume it.
     *
     * @param table table as declared
     * @return its terms, with the slices of the declaration
     */
    public TableTerms table(TableSpec table) {
        return table.consumed() ? TableTerms.exact(table.sliceElements()) : table(table.name());
    }

    /** The number of floats in the longest slice of any table. */
    public int sliceElements() {
        return longestSlice(tables);
    }

    private static int longestSlice(Map<String, TableTerms> tables) {
        return tables.values().stream()
                .mapToInt(TableTerms::sliceElements)
                .max()
                .orElseThrow();
    }

    /**
     * One term of all tables, for reports.
     *
     * @param term reads the term
     * @return the term of most tables, then {@code TABLE=TERM} after a blank for each table whose term differs
     */
    public String summary(Function<TableTerms, String> term) {
        return TableTerms.summary(tables, term);
    }

    /** The terms of all tables, for the welcome; {@link TableTerms#parse} reads them. */
    public String tablesText() {
        return TableTerms.text(tables);
    }

    /**
     * Whether broadcast trees follow the workers as they join and leave (decision 6). The user must name such a tree:
     * with {@code auto}, as with {@code flat}, each server of an elastic job sends to each worker itself.
     *
     * @return whether the job is elastic, and the terms name a tree other than these two
     */
    public boolean growsTrees() {
        return isElastic() && !isDirect(tree);
    }

    private static boolean isDirect(String tree) {
        return FLAT.equals(tree) || ClusterSettingsBuilder.DEFAULT_TREE.equals(tree);
    }

    /**
     * Whether the job is elastic: workers, and servers except the first, may join and leave while it runs.
     *
     * @return true if there is a number of places for workers
     */
    public boolean isElastic() {
        return places > 0;
    }

    /**
     * Whether one node may take the place of another: when nodes rejoin, or when they join and leave.
     *
     * @return false if each node keeps its place to the end of the job
     */
    public boolean changesHands() {
        return isElastic() || DeathPolicy.WAIT == onDeath;
    }

    /**
     * Whether the cluster waits until a dead node rejoins from its snapshot. An elastic job does not wait: under
     * {@link DeathPolicy#WAIT} the death of a node that takes part ends it, and its supervisor starts all nodes again
     * from the newest snapshot (decision 9).
     *
     * @return true under {@link DeathPolicy#WAIT} if the job is not elastic
     */
    public boolean awaitsTheDead() {
        return DeathPolicy.WAIT == onDeath && !isElastic();
    }

    /**
     * The largest number of workers at a time.
     *
     * @return the number of places, or the number of workers if the job is not elastic
     */
    public int workerPlaces() {
        return Math.max(workers, places);
    }

    /**
     * Starts from the defaults.
     *
     * @return a builder with the default of every setting
     */
    public static ClusterSettingsBuilder builder() {
        return new ClusterSettingsBuilder();
    }

    /**
     * Whether slices may be sent before their clock ends.
     *
     * @return true under {@link Protocol#MANAGED}
     */
    public boolean isManaged() {
        return Protocol.MANAGED == protocol;
    }

    /**
     * Whether workers exchange the tables that they consume among themselves.
     *
     * @return true under {@link Protocol#PEER}
     */
    public boolean isPeer() {
        return Protocol.PEER == protocol;
    }

    /**
     * Whether a worker that has left stays until all workers have left, because others may need frames that it keeps.
     *
     * @return true if nodes may rejoin, and if workers send frames to each other
     */
    public boolean keepsLeavers() {
        return awaitsTheDead() || isPeer();
    }

    /**
     * Whether frames may wait above their link for a more urgent frame or for a budget. Otherwise each frame enters the
     * log when it is written. This method finds the order by its name, so call it once, at the start.
     *
     * @return false with order {@code fifo} and no budget
     */
    public boolean queues() {
        return SliceOrders.named(order).bits() > 0 || linkBudget.isBound() || nodeBudget.isBound();
    }

    /**
     * The rate that the budgets allow each data link of a node while all of them send.
     *
     * @param links number of data links of the node, 1 or more
     * @return bytes per second; {@link Long#MAX_VALUE} without a budget
     */
    public long budgetedBytesPerSecond(int links) {
        long own = linkBudget.isBound() ? linkBudget.rate() / Byte.SIZE : Long.MAX_VALUE;
        return nodeBudget.isBound() ? Math.min(own, nodeBudget.rate() / Byte.SIZE / links) : own;
    }

    /**
     * Describes the terms that shape the state of nodes. A restore requires these terms to be the same; the others may
     * change.
     *
     * @return the terms as one line of text
     */
    public String shape() {
        return ("%d servers, %d workers, %s, %s, filter %s, broadcast filter %s, rule %s, values %s, slices of %s,"
                        + " placed %s")
                .formatted(
                        servers,
                        workers,
                        protocol.configName(),
                        consistency,
                        summary(TableTerms::filter),
                        summary(TableTerms::broadcastFilter),
                        summary(TableTerms::rule),
                        summary(terms -> terms.values().configName()),
                        summary(terms -> Integer.toString(terms.sliceElements())),
                        placement);
    }

    /**
     * Refuses a budget whose bucket cannot hold the longest frame, which could then never be sent. Its length in the
     * log depends on the MTU.
     */
    private static void requireFits(String setting, Budget budget, int longest, int sliceElements) {
        int inLog = Channels.lengthInLog(longest, COMMON_MTU);
        require(
                !budget.isBound() || budget.burst() >= inLog,
                setting,
                budget.burst(),
                inLog + " or more bytes, which slices of " + sliceElements + " elements take with headers");
    }

    static void requireName(String setting, String name) {
        require(
                null != name && name.matches("[ -~]{1," + MAX_NAME_LENGTH + "}"),
                setting,
                "'" + name + "'",
                "1 to " + MAX_NAME_LENGTH + " printable ASCII characters");
    }

    static void require(boolean valid, String name, Object value, String expected) {
        if (!valid) {
            throw new IllegalArgumentException(name + " is " + value + ", expected " + expected);
        }
    }
}
