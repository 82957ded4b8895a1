package io.sluice.consistency.worker;

import io.sluice.consistency.policy.Policies;
import io.sluice.consistency.spi.UpdateRule;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.ClusterSettingsBuilder;
import io.sluice.consistency.terms.Protocol;
import io.sluice.consistency.terms.TableSpec;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;

/**
 * How local steps make up clocks, within what the terms of the cluster allow.
 *
 * @param steps     steps between two pushes of a table (H)
 * @param fragments number of fragments (F), a divisor of the steps
 * @param delay     steps from a push until new parameters are taken, less than H / F
 * @param mixing    share of a worker's own copy in the parameters that it takes (M); NaN without mixing
 */
record StepTerms(int steps, int fragments, int delay, float mixing) {
    /** Length of saved terms. */
    static final int BYTES = 3 * Integer.BYTES + Float.BYTES;

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

    /** Terms without fragments, delay and mixing. */
    static StepTerms of(int steps, ClusterSettings cluster) {
        if (steps < 1) {
            throw new IllegalArgumentException("there are " + steps + " local steps, expected 1 or more");
        }
        if (Protocol.MANAGED == cluster.protocol()) {
            throw new IllegalArgumentException(
                    "protocol managed does not support local steps, because it sends parts of updates before a clock"
                            + " ends");
        }
        return new StepTerms(steps, 1, 0, Float.NaN);
    }

    /**
     * These terms with another number of fragments. Refuses rules that change a table in the clocks of other fragments,
     * or push it in clocks of their own.
     */
    StepTerms withFragments(int count, ClusterSettings cluster, List<TableSpec> tables) {
        if (count < 1 || count > tables.size() || steps % count != 0) {
            throw new IllegalArgumentException("the number of fragments is " + count + ", expected 1 to "
                    + tables.size() + ", the number of tables, and a divisor of the steps (" + steps + ")");
        }
        if (count > 1) {
            requireHolds(cluster, "there are " + count + " fragments");
            tables.forEach(table -> requireStill(cluster, table, count));
        }
        return new StepTerms(steps, count, delay, mixing).sound();
    }

    private static void requireStill(ClusterSettings cluster, TableSpec table, int count) {
        UpdateRule rule = Policies.updateRule(cluster, table);
        boolean isForPushes = rule.isForEachPush() || rule.needsPush() || rule.weighs();
        if (!isForPushes && rule.stateFloats() > 0) {
            throw new IllegalArgumentException("there are " + count + " fragments with rule "
                    + cluster.table(table).rule() + " of table " + table.name()
                    + ", expected a rule that changes a table only in clocks in which it is pushed, such as sum, mean,"
                    + " or momentum and nesterov with ;outer");
        }
    }

    /** Refuses terms of a cluster under which a worker cannot leave a table out of a clock. */
    static void requireHolds(ClusterSettings cluster, String what) {
        if (Policies.rule(cluster).withholds() || Protocol.UPDATE != cluster.protocol()) {
            throw new IllegalArgumentException(what + " with consistency " + cluster.consistency() + " and protocol "
                    + cluster.protocol().configName() + ", expected protocol update and another rule than drift");
        }
    }

    /** These terms with another delay, without mixing. */
    StepTerms withDelay(int later) {
        return new StepTerms(steps, fragments, later, Float.NaN).sound();
    }

    /** These terms with mixing. Refuses tables with filters. */
    StepTerms withMixing(float share, ClusterSettings cluster, List<TableSpec> tables) {
        if (!(share >= 0 && share < 1)) {
            throw new IllegalArgumentException(
                    "the share of a worker's own copy is " + share + ", expected 0 to less than 1");
        }
        for (TableSpec table : tables) {
            String filter = cluster.table(table).filter();
            if (!ClusterSettingsBuilder.DEFAULT_FILTER.equals(filter)) {
                throw new IllegalArgumentException("the filter of table " + table.name() + " is " + filter
                        + ", expected none with mixing: what a filter holds back would be pushed twice");
            }
        }
        return new StepTerms(steps, fragments, delay, share);
    }

    private StepTerms sound() {
        if (delay < 0 || delay >= clockSteps()) {
            throw new IllegalArgumentException("new parameters are taken " + delay
                    + " steps after a push, expected 0 to " + (clockSteps() - 1) + ": less than the steps of a clock");
        }
        return this;
    }

    /** Number of steps of a clock. */
    int clockSteps() {
        return steps / fragments;
    }

    /** The number of the fragment that all workers push in a clock. */
    int fragment(long clock) {
        return (int) ((clock - 1) % fragments);
    }

    void save(MemorySegment state, long at) {
        state.set(INT, at, steps);
        state.set(INT, at + Integer.BYTES, fragments);
        state.set(INT, at + 2 * Integer.BYTES, delay);
        state.set(FLOAT, at + 3 * Integer.BYTES, mixing);
    }

    /** Requires that the saved terms are these. */
    void requireSaved(MemorySegment state, long at) {
        StepTerms saved = new StepTerms(
                state.get(INT, at),
                state.get(INT, at + Integer.BYTES),
                state.get(INT, at + 2 * Integer.BYTES),
                state.get(FLOAT, at + 3 * Integer.BYTES));
        if (!equals(saved)) {
            throw new IllegalArgumentException("the state is of local steps with H, fragments, delay and mixing "
                    + saved.inWords() + ", expected " + inWords() + " as set here");
        }
    }

    private String inWords() {
        return steps + ", " + fragments + ", " + delay + ", " + mixing;
    }
}
