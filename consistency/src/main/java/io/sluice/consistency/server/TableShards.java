package io.sluice.consistency.server;

import io.sluice.codecs.BlockFormat;
import io.sluice.codecs.Frame;
import io.sluice.consistency.membership.ClusterPlan;
import io.sluice.consistency.placement.TableSpec;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.Protocol;
import io.sluice.consistency.wire.FrameWriter;
import io.sluice.consistency.wire.SliceRanker;
import io.sluice.filter.BlockAccumulator;
import io.sluice.filter.UpdateFilter;
import io.sluice.filter.ValueBoundedFilter;
import io.sluice.filter.feedback.NetworkFeedback;
import io.sluice.filter.kernel.Kernels;
import io.sluice.filter.policy.FilterSite;
import java.util.Arrays;

/** Builds what a server owns of each table, with the sums and the way out that the terms ask for. */
final class TableShards {
    private final ClusterPlan plan;
    private final Kernels kernels;
    private final NetworkFeedback feedback;
    private final FrameWriter writer;
    private final ShardStats stats;
    private final Outgoing outgoing;
    private final EarlyBroadcasts early;
    private final BlockAccumulator accumulator;
    private final ReorderBuffer reorder;
    private final UpdateFilter start;
    private final SliceRanker ranker;
    private long shardElements;

    /**
     * Prepares to build.
     *
     * @param plan          of the cluster
     * @param kernels       to run
     * @param feedback      that filters are told
     * @param writer        of this server
     * @param stats         of this server
     * @param outgoing      takes what is sent
     * @param early         of managed communication, or null
     * @param reorderBytes  most memory for parts before their turn
     * @param slices        that the server owns of all tables
     * @param shardElements floats of those
     */
    TableShards(
            ClusterPlan plan,
            Kernels kernels,
            NetworkFeedback feedback,
            FrameWriter writer,
            ShardStats stats,
            Outgoing outgoing,
            EarlyBroadcasts early,
            long reorderBytes,
            int slices,
            long shardElements) {
        ClusterSettings settings = plan.settings();
        this.plan = plan;
        this.kernels = kernels;
        this.feedback = feedback;
        this.writer = writer;
        this.stats = stats;
        this.outgoing = outgoing;
        this.early = early;
        this.shardElements = shardElements;
        this.accumulator = new BlockAccumulator(kernels);
        this.reorder = newReorderBuffer(settings, slices, reorderBytes);
        this.start = ValueBoundedFilter.exact(kernels);
        this.ranker = new SliceRanker(settings.newSliceOrder(), kernels, settings.sliceElements());
    }

    /** Only what is sent by an order of its own can come behind something that was put off. */
    private static ReorderBuffer newReorderBuffer(ClusterSettings settings, int slices, long bytes) {
        if (!settings.rule().ordered() || 0 == settings.newSliceOrder().bits()) {
            return ReorderBuffer.none();
        }
        return ReorderBuffer.of(
                (settings.workerPlaces() - 1L) * slices,
                bytes,
                Frame.DATA_LENGTH + BlockFormat.maxLength(settings.sliceElements()),
                settings.sliceElements(),
                settings.newAcceptedCompressors());
    }

    /** Builds what the server owns of a table; null if that is nothing, and never will be more. */
    TableShard build(TableSpec spec, int[] slices) {
        ClusterSettings settings = plan.settings();
        if (0 == slices.length && !settings.isElastic()) {
            return null;
        }
        long begun = plan.start().clock();
        return new TableShard(spec, part(spec, slices, begun), settings.rule(), begun);
    }

    /**
     * Allocates what slices of a table need.
     *
     * @param spec   the table
     * @param slices their numbers, ascending
     * @param begun  the last round that all workers have given to the sums; -1 for none
     */
    TablePart part(TableSpec spec, int[] slices, long begun) {
        ClusterSettings settings = plan.settings();
        SliceStore sums = new SliceStore(spec, slices);
        KeptParameters kept = settings.isElastic() ? new KeptParameters(spec, slices, accumulator) : null;
        Outflow outflow = 0 == slices.length ? Outflow.NOTHING : newOutflow(spec, slices, sums, begun, kept);
        boolean ordered = settings.rule().ordered();
        SliceSums parts =
                new SliceSums(sums, slices.length, settings.workerPlaces(), begun, ordered, accumulator, reorder);
        return new TablePart(slices, parts, outflow, kept);
    }

    private Outflow newOutflow(TableSpec spec, int[] slices, SliceStore sums, long begun, KeptParameters kept) {
        return Protocol.PUSH_PULL == plan.settings().protocol()
                ? new ParameterReplies(
                        spec,
                        slices,
                        sums,
                        new SliceStore(spec, slices),
                        kernels,
                        writer,
                        outgoing.replies(),
                        ranker,
                        stats)
                : new UpdateBroadcast(
                        spec,
                        slices,
                        sums,
                        newFilter(spec, slices, sums),
                        start,
                        kernels,
                        writer,
                        outgoing.broadcasting(),
                        ranker,
                        early,
                        begun,
                        stats,
                        kept);
    }

    /** How many floats the server owns of all tables from now on. */
    void shardElements(long elements) {
        shardElements = elements;
    }

    private UpdateFilter newFilter(TableSpec spec, int[] slices, SliceStore sums) {
        ClusterSettings settings = plan.settings();
        FilterSite site = new FilterSite(
                kernels,
                settings.values(),
                elements(spec, slices),
                sums.segment().byteSize() / Float.BYTES,
                spec.sliceElements(),
                shardElements,
                feedback);
        return settings.filterPolicy().create(site);
    }

    static long elements(TableSpec spec, int[] slices) {
        return Arrays.stream(slices).mapToLong(spec::sliceLength).sum();
    }
}
