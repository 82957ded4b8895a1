package io.sluice.consistency.worker;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.sluice.consistency.membership.ClusterPlan;
import io.sluice.consistency.membership.Membership;
import io.sluice.consistency.policy.Policies;
import io.sluice.consistency.spi.ConsistencyRule;
import io.sluice.consistency.spi.FactorSelection;
import io.sluice.consistency.standard.FactorSelections;
import io.sluice.consistency.standard.Multicast;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.Protocol;
import io.sluice.consistency.terms.TableSpec;
import io.sluice.consistency.terms.TableTerms;
import io.sluice.filter.OuterProducts;
import io.sluice.filter.kernel.Kernels;
import io.sluice.messaging.api.MessagingException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;

/** The factor tables of a worker, in the order of declaration. For the trainer's thread. */
final class FactorTables {
    /** Maximum number of floats that a trainer adds in an iteration, for one kind of vectors. */
    private static final int MOST_FLOATS = 1 << 29;

    /** Number of clocks without more staleness after which a rule is expected to allow no more. */
    private static final int CLOCKS_TO_CHECK = 100;

    private static final int MOST_CLOCKS_TO_CHECK = 1 << 21;

    private static final String RELATIVE = "relative";
    private static final int PIECE = 1 << 16;

    private final WorkerLinks links;
    private final Membership membership;
    private final TrainerCalls calls;
    private final Kernels kernels;
    private final WorkerStats stats;
    private final ConsistencyRule rule;

    /** The maximum staleness that the rule allows; known once a table is declared. */
    private int staleness;

    /** All tables of the worker. */
    private final DeclaredTables all;

    private final List<FactorTable> tables = new ArrayList<>();
    private int[] digests = {};

    FactorTables(WorkerLinks links, TrainerCalls calls, Kernels kernels, DeclaredTables all, WorkerStats stats) {
        this.links = links;
        this.membership = links.membership();
        this.calls = calls;
        this.kernels = kernels;
        this.all = all;
        this.stats = stats;
        this.rule = Policies.rule(membership.plan().settings());
    }

    /** Name of the table that carries the first vectors of a factor table. */
    static String left(String name) {
        return name + "/u";
    }

    /** Name of the table that carries the second vectors. */
    static String right(String name) {
        return name + "/v";
    }

    /** Name of the table that averages the replicas. */
    static String mean(String name) {
        return name + "/mean";
    }

    /** Declares a table, but not its carriers; see {@link Worker#factors}. Changes nothing if it throws. */
    FactorTable declare(String name, int rows, int columns, int groups, String selection, String multicast) {
        ClusterPlan plan = membership.plan();
        ClusterSettings terms = plan.settings();
        requireTerms(name, terms);
        staleness = staleness(rule);
        Multicast reach = multicast(name, multicast, terms);
        TableSpec shape = new TableSpec(all.nextId(), name, rows, columns, TableSpec.MAX_SLICE_ELEMENTS);
        int longest = Math.max(rows, columns);
        require(name, longest <= MOST_FLOATS, longest + " rows or columns", "up to " + MOST_FLOATS);
        int most = MOST_FLOATS / longest;
        require(name, groups >= 1 && groups <= most, groups + " groups in an iteration", "1 to " + most);
        FactorSelection.Policy policy = FactorSelections.named(selection);
        int sent = policy.sent(groups);
        require(name, sent >= 1 && sent <= groups, selection + ", which sends " + sent + " groups", "1 to " + groups);
        FactorTable.Declared declared = new FactorTable.Declared(shape, groups, selection, sent, reach.text());
        FactorTable.Carriers own = carriers(declared, reach, terms.table(name).sliceElements());
        MemorySegment matrix = DeclaredTables.allocate(shape, shape.elements() * Float.BYTES);
        FactorTable table;
        try {
            int worker = plan.workerIndex(membership.node());
            FactorSelection.Site site = new FactorSelection.Site(rows, columns, groups, worker, name.hashCode());
            table = new FactorTable(
                    calls,
                    membership,
                    declared,
                    policy.create(site),
                    own,
                    terms.isPeer() ? new PeerVectors(reach, terms.workers(), worker, declared) : null,
                    new OuterProducts(kernels, reach.isPartial() ? groups : sent, rows, columns),
                    matrix,
                    stats,
                    links.clock());
        } catch (OutOfMemoryError e) {
            throw new MessagingException(
                    "factor table " + name + " with the selection " + selection
                            + " takes more memory than this process has: " + e.getMessage(),
                    e);
        }
        tables.add(table);
        return table;
    }

    /** Reads the multicast of a table. */
    private Multicast multicast(String name, String text, ClusterSettings terms) {
        require(
                name,
                terms.isPeer() || Multicast.ALL.equals(text),
                "the multicast " + text,
                Multicast.ALL + " with the protocol " + terms.protocol().configName());
        Multicast reach = Multicast.named(text).among(terms.workers());
        require(
                name,
                0 == reach.sync() || rule.ordered(),
                "the multicast " + text + " and the consistency " + rule.name(),
                "bsp with the option sync, which averages the replicas of one clock");
        TableTerms ofMean = terms.table(mean(name));
        TableTerms exact = terms.table(new TableSpec(0, mean(name), 1, 1, ofMean.sliceElements(), true));
        require(
                name,
                0 == reach.sync() || ofMean.equals(exact),
                "the multicast " + text,
                "the filters none, the rule sum and the values f32 for table " + mean(name) + ", which averages it");
        return reach;
    }

    /** Creates the tables that carry the vectors, and the mean if there is one. */
    private FactorTable.Carriers carriers(FactorTable.Declared declared, Multicast reach, int slice) {
        TableSpec shape = declared.shape();
        ClusterSettings terms = membership.plan().settings();
        VectorBlocks u = VectorBlocks.of(declared.sent(), shape.rows(), terms.workers(), staleness, slice);
        VectorBlocks v = VectorBlocks.of(declared.sent(), shape.columns(), terms.workers(), staleness, slice);
        if (terms.isPeer()) {
            u = u.forPeers(reach.depth(), 0);
            v = v.forPeers(reach.depth(), reach.rotates() ? shape.elements() : 0);
        }
        int id = all.nextId();
        String name = mean(shape.name());
        int ofMean = terms.table(name).sliceElements();
        TableSpec spec = 0 == reach.sync() ? null : new TableSpec(id + 2, name, shape.rows(), shape.columns(), ofMean);
        long slices = u.allSlices() + v.allSlices() + (null == spec ? 0 : spec.slices());
        int key = all.nextKey(shape.name(), slices);
        Table left = carrier(id, key, left(shape.name()), declared.groups(), u);
        key += left.spec().slices();
        Table right = carrier(id + 1, key, right(shape.name()), declared.groups(), v);
        key += right.spec().slices();
        if (null == spec) {
            return new FactorTable.Carriers(left, right, null);
        }
        MemorySegment replica = DeclaredTables.allocate(spec, spec.elements() * Float.BYTES);
        MemorySegment part = DeclaredTables.allocate(spec, (long) ofMean * Float.BYTES);
        return new FactorTable.Carriers(left, right, new Table(calls, kernels, spec, key, replica, part, replica));
    }

    /** Creates the table that carries vectors of one kind; its residual can hold those of an iteration. */
    private Table carrier(int id, int firstKey, String name, int groups, VectorBlocks blocks) {
        TableSpec spec = blocks.spec(id, name);
        long batch = Math.max(blocks.bytes(), (long) groups * blocks.length() * Float.BYTES);
        MemorySegment replica = DeclaredTables.allocate(spec, spec.elements() * Float.BYTES);
        Table table = new Table(calls, kernels, spec, firstKey, replica, DeclaredTables.allocate(spec, batch), replica);
        return table.carrying(blocks);
    }

    /**
     * Requires terms with which vectors can be exchanged: all of them must arrive exactly, in blocks that each have one
     * worker's vectors of one clock.
     */
    private void requireTerms(String name, ClusterSettings terms) {
        require(
                name,
                Protocol.UPDATE == terms.protocol() || terms.isPeer(),
                "the protocol " + terms.protocol().configName(),
                Protocol.UPDATE.configName() + " or " + Protocol.PEER.configName());
        require(
                name,
                rule.isBounded() && rule.backups() == 0 && !rule.withholds(),
                "the consistency " + rule.name(),
                "one with a bound on staleness that awaits the pushes of all workers");
        require(name, !terms.isElastic(), "workers that join and leave", "a fixed number of workers");
        require(name, !terms.order().contains(RELATIVE), "the order " + terms.order(), "one without " + RELATIVE);
        TableTerms own = terms.table(name);
        TableTerms exact = terms.table(new TableSpec(0, name, 1, 1, own.sliceElements(), true));
        boolean isExact = !terms.tables().containsKey(name) || own.equals(exact);
        require(name, isExact, "terms of its own", "the filters none, the rule sum and the values f32 for it");
    }

    private static void require(String name, boolean sound, String given, String expected) {
        if (!sound) {
            throw new IllegalArgumentException(
                    "factor table " + name + " is declared with " + given + ", expected " + expected);
        }
    }

    /** The largest number of clocks by which a worker that pushes may be ahead of the version that it has. */
    static int staleness(ConsistencyRule rule) {
        long most = 0;
        long end = CLOCKS_TO_CHECK;
        for (long clock = 0; clock < end; clock++) {
            long behind = clock - rule.requiredVersion(clock);
            if (behind > most) {
                most = behind;
                end = Math.min(clock + CLOCKS_TO_CHECK, MOST_CLOCKS_TO_CHECK);
            }
        }
        return Math.toIntExact(most);
    }

    /** Gives all tables their first values. */
    void start(Initialiser initialiser) {
        digests = new int[tables.size()];
        for (int i = 0; i < digests.length; i++) {
            tables.get(i).start(initialiser);
            digests[i] = digest(tables.get(i));
        }
    }

    private static int digest(FactorTable table) {
        CRC32C crc = new CRC32C();
        crc.update(table.declared().toString().getBytes(StandardCharsets.UTF_8));
        MemorySegment matrix = table.matrix();
        byte[] piece = new byte[PIECE];
        for (long at = 0; at < matrix.byteSize(); at += PIECE) {
            int length = (int) Math.min(PIECE, matrix.byteSize() - at);
            MemorySegment.copy(matrix, JAVA_BYTE, at, piece, 0, length);
            crc.update(piece, 0, length);
        }
        return (int) crc.getValue();
    }

    /**
     * The digest of the factor table whose first vectors a table carries: of its declaration and of the first values
     * that this worker has made. 0 for all other tables.
     */
    int digest(TableSpec spec) {
        for (int i = 0; i < digests.length; i++) {
            if (tables.get(i).id() == spec.id()) {
                return digests[i];
            }
        }
        return 0;
    }

    /** The maximum number of slices of a table of vectors that a worker pushes in a round. */
    long slicesOfRound(TableSpec carrier) {
        Table table = all.list().get(carrier.id());
        return of(table).slicesOfRound(table);
    }

    /** The factor table for which a table carries vectors or the mean; null if it is any other table. */
    FactorTable of(Table carrier) {
        for (FactorTable table : tables) {
            if (table.carriers().contains(carrier)) {
                return table;
            }
        }
        return null;
    }

    List<FactorTable> all() {
        return tables;
    }

    /** The version that all tables have. */
    long version() {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < tables.size(); i++) {
            least = Math.min(least, tables.get(i).version());
        }
        return least;
    }

    /** Whether a selection keeps something from clock to clock. */
    boolean keepState() {
        return tables.stream().anyMatch(table -> table.kept().byteSize() > 0);
    }

    void continueFrom(long version) {
        tables.forEach(table -> table.continueFrom(version));
    }

    void consume() {
        for (int i = 0; i < tables.size(); i++) {
            tables.get(i).consume();
        }
    }

    /**
     * Waits for the versions that the open clock requires, and pushes its vectors of all tables.
     *
     * @throws IllegalStateException if the consistency rule allows more staleness than the ring can hold; nothing is
     *     pushed then
     */
    void push(TableSync sync, long round) {
        for (int i = 0; i < tables.size(); i++) {
            tables.get(i).awaitRequired(sync);
        }
        consume();
        long behind = round - 1 - version();
        if (behind > staleness && !tables.isEmpty()) {
            throw new IllegalStateException("the consistency " + rule.name() + " lets clock " + round + " begin "
                    + behind + " clocks behind, expected at most " + staleness
                    + ", the maximum in its first clocks, for which factor tables have allocated memory");
        }
        // No frame of this round arrives before all tables have consumed the version before, so logs have whole clocks.
        for (int i = 0; i < tables.size(); i++) {
            tables.get(i).push(round);
        }
    }

    void compose(SnapshotStage snapshots) {
        tables.forEach(table -> table.compose(snapshots));
    }

    /** Whether a name is that of a factor table. */
    boolean has(String name) {
        return tables.stream().anyMatch(table -> table.name().equals(name));
    }
}
