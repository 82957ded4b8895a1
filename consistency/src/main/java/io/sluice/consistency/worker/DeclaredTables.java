package io.sluice.consistency.worker;

import io.sluice.codecs.OffHeap;
import io.sluice.consistency.policy.Policies;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.TableSpec;
import io.sluice.consistency.terms.TableTerms;
import io.sluice.filter.kernel.Kernels;
import io.sluice.messaging.api.MessagingException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * The tables that a worker has declared, in this order, with those that carry the vectors of its factor tables. For the
 * trainer's thread.
 */
final class DeclaredTables {
    private final WorkerLinks links;
    private final TrainerCalls calls;
    private final Kernels kernels;
    private final ClusterSettings settings;
    private final List<Table> list = new ArrayList<>();
    private final FactorTables factors;
    private boolean weigh;

    DeclaredTables(WorkerLinks links, TrainerCalls calls, Kernels kernels, WorkerStats stats) {
        this.links = links;
        this.calls = calls;
        this.kernels = kernels;
        this.settings = links.membership().plan().settings();
        this.factors = new FactorTables(links, calls, kernels, this, stats);
    }

    /** The tables by their numbers; tables that are declared later are added. */
    List<Table> list() {
        return list;
    }

    int nextId() {
        return list.size();
    }

    FactorTables factors() {
        return factors;
    }

    /** The tables that accumulate updates. */
    List<Table> ordinary() {
        return list.stream().filter(table -> null == factors.of(table)).toList();
    }

    /** Whether the update rule of a table weighs pushes. */
    boolean weigh() {
        return weigh;
    }

    /** Declares a table; see {@link Worker#table}. */
    Table declare(String name, int rows, int columns) {
        requireNew(name);
        TableSpec spec = new TableSpec(
                nextId(), name, rows, columns, settings.table(name).sliceElements());
        int firstKey = nextKey(name, spec.slices());
        long bytes = spec.elements() * Float.BYTES;
        MemorySegment replica = allocate(spec, bytes);
        MemorySegment residual = allocate(spec, bytes);
        boolean hasCopy = links.context().ownRoundsToRead(settings, name) > 0;
        MemorySegment read = hasCopy ? allocate(spec, bytes) : replica;
        Table table = new Table(calls, kernels, spec, firstKey, replica, residual, read);
        list.add(table);
        weigh |= Policies.updateRule(settings, spec).weighs();
        return table;
    }

    /** Declares a factor table; see {@link Worker#factors}. */
    FactorTable declareFactors(String name, int rows, int columns, int groups, String selection, String multicast) {
        requireNew(name);
        requireNew(FactorTables.left(name));
        requireNew(FactorTables.right(name));
        requireNew(FactorTables.mean(name));
        FactorTable table = factors.declare(name, rows, columns, groups, selection, multicast);
        list.addAll(table.carriers());
        return table;
    }

    private void requireNew(String name) {
        if (calls.hasBegun()) {
            throw new IllegalStateException("table " + name + " is declared after the start, expected before");
        }
        if (null == name) {
            throw new IllegalArgumentException(
                    "the name of a table is null, expected 1 to " + TableSpec.MAX_NAME_BYTES + " bytes");
        }
        if (factors.has(name)
                || list.stream().anyMatch(table -> table.spec().name().equals(name))) {
            throw new IllegalArgumentException("table " + name + " is declared twice");
        }
    }

    /**
     * The first key of a table that is about to be declared: keys number the slices of all tables.
     *
     * @throws IllegalArgumentException if all tables would have more slices than there are keys
     */
    int nextKey(String name, long slices) {
        long before = list.stream().mapToLong(table -> table.spec().slices()).sum();
        if (before + slices > Integer.MAX_VALUE) {
            throw new IllegalArgumentException("table " + name + " has " + slices + " slices, and the tables before it "
                    + before + ", expected up to " + Integer.MAX_VALUE + " together: enlarge the slices");
        }
        return (int) before;
    }

    /** Allocates memory of a table. */
    static MemorySegment allocate(TableSpec spec, long bytes) {
        try {
            return OffHeap.allocate(bytes);
        } catch (OutOfMemoryError e) {
            throw new MessagingException(
                    "table " + spec.name() + " of " + spec.elements() + " floats takes at least twice " + bytes
                            + " bytes of native memory, which this process does not have: " + e.getMessage(),
                    e);
        }
    }

    /** Refuses terms of a table that is not declared, which would have no effect. */
    void requireNamed() {
        List<String> declared = list.stream()
                .filter(table -> !table.spec().consumed())
                .map(table -> table.spec().name())
                .toList();
        for (String name : settings.tables().keySet()) {
            if (!TableTerms.OTHERS.equals(name) && !declared.contains(name) && !factors.has(name)) {
                throw calls.mistake(new IllegalArgumentException(
                        "the terms name table '" + name + "', expected one of " + String.join(", ", declared)));
            }
        }
    }

    /** The last round that is pushed for all tables; -1 before the start. */
    long pushedRound() {
        return list.stream().mapToLong(Table::pushedRound).min().orElse(-1);
    }
}
