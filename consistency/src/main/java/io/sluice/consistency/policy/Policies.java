package io.sluice.consistency.policy;

import io.sluice.codecs.AcceptedCompressors;
import io.sluice.codecs.BlockCompressors;
import io.sluice.codecs.Frame;
import io.sluice.codecs.PayloadCompressor;
import io.sluice.codecs.api.ValueType;
import io.sluice.consistency.clock.AnyOrder;
import io.sluice.consistency.clock.ConsistencyRules;
import io.sluice.consistency.spi.ConsistencyRule;
import io.sluice.consistency.spi.UpdateRule;
import io.sluice.consistency.standard.UpdateRules;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.TableSpec;
import io.sluice.consistency.terms.TableTerms;
import io.sluice.filter.SliceFilter;
import io.sluice.filter.kernel.Kernels;
import io.sluice.filter.policy.FilterPolicies;
import io.sluice.filter.spi.FilterPolicy;
import io.sluice.messaging.outbox.SliceOrders;
import io.sluice.messaging.spi.SliceOrder;
import io.sluice.tree.SiteNetwork;
import io.sluice.tree.planning.TopologyText;
import io.sluice.tree.planning.TreePlanners;
import io.sluice.tree.spi.TreePlanner;
import java.util.List;
import java.util.function.Function;
import org.agrona.concurrent.SystemNanoClock;

/** Resolves the names in the terms of a cluster. */
public final class Policies {
    /** Above this rate Zstandard takes longer than it saves. */
    private static final long SLOW_LINK = 100_000_000;

    /** Minimum length of a block in bytes that makes compression worthwhile. */
    private static final int WORTHWHILE = 1_024;

    private Policies() {}

    /**
     * The consistency rule. With {@link io.sluice.consistency.terms.Protocol#MANAGED} it never sums in worker order,
     * since early frames arrive as budgets allow.
     *
     * @return a stateless rule
     */
    public static ConsistencyRule rule(ClusterSettings terms) {
        ConsistencyRule rule = ConsistencyRules.named(terms.consistency());
        return terms.isManaged() && rule.ordered() ? new AnyOrder(rule) : rule;
    }

    /**
     * How servers turn the pushes of a table into changes of the parameters.
     *
     * @return an immutable rule
     */
    public static UpdateRule updateRule(ClusterSettings terms, TableSpec table) {
        return UpdateRules.named(terms.table(table).rule());
    }

    /**
     * Maximum number of bytes of a push that have a number for the update rule: a version or a weight.
     *
     * @return 0 if no table's rule needs it
     */
    public static int tagLength(ClusterSettings terms) {
        boolean tags = terms.tables().values().stream().anyMatch(table -> UpdateRules.tags(table.rule()));
        return tags ? Frame.TAG_LENGTH : 0;
    }

    /**
     * What the filters of a node need to know about the network.
     *
     * @param leastRate   bits per second below which some filter calls the network insufficient; 0 for none
     * @param followsRate whether some filter adapts to the measured rate
     */
    public record Needs(long leastRate, boolean followsRate) {}

    /**
     * What the filters of one direction need to know about the network.
     *
     * @param filter {@link TableTerms#filter} at workers, {@link TableTerms#broadcastFilter} at servers
     */
    public static Needs needs(ClusterSettings terms, Function<TableTerms, String> filter) {
        List<FilterPolicy> policies = terms.tables().values().stream()
                .map(table -> FilterPolicies.named(filter.apply(table)))
                .toList();
        return new Needs(
                policies.stream().mapToLong(FilterPolicy::leastRate).max().orElse(0),
                policies.stream().anyMatch(FilterPolicy::followsRate));
    }

    /**
     * Creates the encoder for the values of a table above a threshold.
     *
     * @return an encoder for one thread
     */
    public static SliceFilter newSliceFilter(ClusterSettings terms, TableSpec table, Kernels kernels) {
        return new SliceFilter(kernels, terms.table(table).values(), table.sliceElements(), terms.linkRate());
    }

    /**
     * Creates the compressor for frames to send.
     *
     * @return a compressor for one thread
     * @throws io.sluice.codecs.api.MissingLibraryException if a library is missing
     */
    public static PayloadCompressor newCompressor(ClusterSettings terms) {
        String name = resolved(terms);
        if (BlockCompressors.NONE.equals(name)) {
            return PayloadCompressor.never();
        }
        int least = ClusterSettings.AUTO.equals(terms.compressor()) ? WORTHWHILE : 1;
        return PayloadCompressor.from(BlockCompressors.named(name), least, SystemNanoClock.INSTANCE);
    }

    /**
     * Creates the decompressors for received frames.
     *
     * @return the compressors of this cluster, for one thread
     * @throws io.sluice.codecs.api.MissingLibraryException if a library is missing
     */
    public static AcceptedCompressors newAcceptedCompressors(ClusterSettings terms) {
        String name = resolved(terms);
        return BlockCompressors.NONE.equals(name) ? AcceptedCompressors.named() : AcceptedCompressors.named(name);
    }

    private static String resolved(ClusterSettings terms) {
        if (!ClusterSettings.AUTO.equals(terms.compressor())) {
            return terms.compressor();
        }
        boolean shrinks = terms.tables().values().stream()
                .map(TableTerms::values)
                .anyMatch(values -> !values.isPacked() && values != ValueType.LOG8);
        return terms.linkRate() <= SLOW_LINK && shrinks ? BlockCompressors.ZSTD : BlockCompressors.NONE;
    }

    /**
     * Creates the order in which waiting slices are sent.
     *
     * @return a new order, for one thread
     */
    public static SliceOrder newOrder(ClusterSettings terms) {
        return SliceOrders.named(terms.order());
    }

    /**
     * The planner of broadcast trees; in an elastic job whose terms name no planner, the flat planner, in whose trees
     * no node depends on another.
     *
     * @return an immutable planner
     */
    public static TreePlanner planner(ClusterSettings terms) {
        return TreePlanners.named(terms.isElastic() && !terms.growsTrees() ? ClusterSettings.FLAT : terms.tree());
    }

    /**
     * The network over which trees are planned.
     *
     * @return the described topology, or a network of equal hosts
     */
    public static SiteNetwork network(ClusterSettings terms) {
        return terms.topology().isEmpty()
                ? SiteNetwork.equal((double) terms.linkRate() / Byte.SIZE)
                : SiteNetwork.of(TopologyText.parse(terms.topology()));
    }
}
