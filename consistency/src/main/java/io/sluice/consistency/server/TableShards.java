package io.sluice.consistency.server;

import io.sluice.consistency.policy.Policies;
import io.sluice.consistency.spi.ConsistencyRule;
import io.sluice.consistency.standard.UpdateRules;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.TableSpec;
import io.sluice.consistency.terms.TableTerms;
import io.sluice.consistency.wire.RoundTraffic;
import io.sluice.filter.BlockAccumulator;
import io.sluice.filter.kernel.Kernels;
import io.sluice.filter.policy.FilterPolicies;
import io.sluice.filter.policy.TableSite;
import io.sluice.filter.spi.FilterSite;
import io.sluice.filter.spi.NetworkFeedback;
import io.sluice.filter.spi.UpdateFilter;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntBinaryOperator;
import java.util.function.LongToIntFunction;

/** Builds a server's part of each table: the sums, and the sink that {@link ServerAssembly} has chosen. */
final class TableShards {
    private final int node;
    private final ClusterSettings settings;
    private final List<TableSpec> specs;
    private final Kernels kernels;
    private final NetworkFeedback feedback;
    private final BlockAccumulator accumulator;
    private final ReorderBuffer reorder;
    private final long begun;
    private final LongToIntFunction workers;
    private final ConsistencyRule consistency;

    /** For each table, the slices that the server owns. */
    private List<int[]> owned;

    private IntBinaryOperator routeOf = (table, slice) -> 0;
    private NewRoundSink newRoundSink;
    private Around around = (spec, roundSink) -> roundSink;

    /** Creates the sink of slices of a table. */
    interface NewRoundSink {
        /**
         * Creates the sink of slices whose sums have the rounds up to {@code begun}; {@code kept} is null if no
         * parameters are kept.
         */
        RoundSink of(TableSpec spec, int[] slices, SliceStore sums, long begun, KeptParameters kept);
    }

    /** Puts a further stage in front of a table's sink; {@link ServerAssembly} uses it to copy slices for snapshots. */
    interface Around {
        RoundSink around(TableSpec spec, RoundSink roundSink);
    }

    /**
     * Prepares to build.
     *
     * @param node     id of the server
     * @param settings settings of the cluster
     * @param specs    all tables
     * @param kernels  kernels to run
     * @param feedback feedback for the filters
     * @param reorder  holds parts that arrive before their turn in worker order
     * @param begun    last round in the initial sums; -1 for none
     * @param owned    by table, the slices that the server owns
     * @param workers  number of workers of a round
     */
    TableShards(
            int node,
            ClusterSettings settings,
            List<TableSpec> specs,
            Kernels kernels,
            NetworkFeedback feedback,
            ReorderBuffer reorder,
            long begun,
            List<int[]> owned,
            LongToIntFunction workers) {
        this.node = node;
        this.settings = settings;
        this.kernels = kernels;
        this.feedback = feedback;
        this.reorder = reorder;
        this.begun = begun;
        this.specs = specs;
        this.owned = owned;
        this.workers = workers;
        this.consistency = Policies.rule(settings);
        this.accumulator = new BlockAccumulator(kernels);
    }

    void sendBy(NewRoundSink chosen) {
        newRoundSink = chosen;
    }

    void passBy(Around stage) {
        around = stage;
    }

    /** Builds the server's part of a table; null if the server never owns slices of it. */
    TableShard build(TableSpec spec, int[] slices) {
        return 0 == slices.length && !settings.isElastic()
                ? null
                : new TableShard(spec, part(spec, slices, begun), consistency, begun);
    }

    /**
     * Allocates the state of slices of a table.
     *
     * @param spec   the table
     * @param slices numbers of the slices, ascending
     * @param round  the last round in the sums; -1 for none
     */
    TablePart part(TableSpec spec, int[] slices, long round) {
        SliceStore sums = new SliceStore(spec, slices);
        KeptParameters kept = settings.isElastic() ? new KeptParameters(spec, slices, accumulator, kernels) : null;
        RoundSink roundSink = around.around(
                spec, 0 == slices.length ? RoundSink.NOTHING : newRoundSink.of(spec, slices, sums, round, kept));
        boolean ordered = consistency.ordered();
        SumStage stage = UpdateRules.SUM.equals(settings.table(spec).rule())
                ? new SumStage(sums, accumulator)
                : new RuleStage.Terms(
                                spec,
                                slices,
                                Policies.updateRule(settings, spec),
                                workers,
                                Math.max(1, consistency.ownRoundsAhead()))
                        .newStage(sums, accumulator);
        SliceSums parts = new SliceSums(stage, slices.length, settings.workerPlaces(), round, ordered, reorder);
        return new TablePart(slices, parts, roundSink, kept);
    }

    /** Sets the route of each slice, by table and slice; without this, all slices use one route. */
    void routeBy(IntBinaryOperator route) {
        routeOf = route;
    }

    /** Sets for each table the slices that the server owns from now on. */
    void own(List<int[]> slices) {
        owned = slices;
    }

    /** The traffic of a round: each tree that carries slices of a table also carries the table's round commit. */
    private FilterSite.NodeTraffic traffic() {
        int tables = 0;
        int commits = 0;
        long elements = 0;
        for (TableSpec spec : specs) {
            int[] slices = owned.get(spec.id());
            tables += 0 == slices.length ? 0 : 1;
            commits += (int) Arrays.stream(slices)
                    .map(slice -> routeOf.applyAsInt(spec.id(), slice))
                    .distinct()
                    .count();
            elements += elements(spec, slices);
        }
        return RoundTraffic.of(settings, tables, elements, commits);
    }

    /** The filter of a table's broadcasts. */
    UpdateFilter newFilter(TableSpec spec, int[] slices, SliceStore sums) {
        TableTerms terms = settings.table(spec);
        TableSite site = new TableSite(
                kernels,
                terms.values(),
                TableSite.stream(node, spec.id()),
                elements(spec, slices),
                sums.segment().byteSize() / Float.BYTES,
                spec.sliceElements(),
                settings.linkRate(),
                traffic(),
                feedback);
        return FilterPolicies.named(terms.broadcastFilter()).create(site);
    }

    static long elements(TableSpec spec, int[] slices) {
        return Arrays.stream(slices).mapToLong(spec::sliceLength).sum();
    }
}
