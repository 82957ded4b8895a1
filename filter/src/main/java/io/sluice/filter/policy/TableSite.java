package io.sluice.filter.policy;

import io.sluice.codecs.api.ValueType;
import io.sluice.codecs.spi.BlockFormat;
import io.sluice.filter.SliceFilter;
import io.sluice.filter.ValueBoundedFilter;
import io.sluice.filter.feedback.ConstantFeedback;
import io.sluice.filter.kernel.Kernels;
import io.sluice.filter.spi.FilterSite;
import io.sluice.filter.spi.NetworkFeedback;
import io.sluice.filter.spi.UpdateFilter;
import io.sluice.filter.threshold.SliceThreshold;
import io.sluice.filter.threshold.SliceValues;
import io.sluice.filter.threshold.ThresholdSchedule;
import java.util.function.LongToDoubleFunction;

/**
 * The place of a filter: one table of one node, pushed or broadcast.
 *
 * @param kernels kernels to run
 * @param values type of the values sent
 * @param stream number of the site among those of the job
 * @param elements elements of the table that this node filters, 1 or more: at a worker all of them, at a server those
 *     that it owns
 * @param span elements of the residual, with the gaps between slices; {@code elements} or more
 * @param sliceElements elements of a whole slice, 1 or more
 * @param linkRate rate of the links in bits per second; 0 if it is not known
 * @param node traffic of the node, with {@code elements} elements or more
 * @param feedback what is known about the network
 */
public record TableSite(
        Kernels kernels,
        ValueType values,
        long stream,
        long elements,
        long span,
        int sliceElements,
        long linkRate,
        FilterSite.NodeTraffic node,
        NetworkFeedback feedback)
        implements FilterSite {
    /** Refuses sizes that contradict one another. */
    public TableSite {
        if (elements < 1 || span < elements || node.elements() < elements || sliceElements < 1) {
            throw new IllegalArgumentException("a filter's site has " + elements + " elements in a span of " + span
                    + ", slices of " + sliceElements + " and " + node.elements() + " elements on its node;"
                    + " expected 1 or more, and neither span nor node smaller than the table");
        }
    }

    /** The number of the site of a table among those of all nodes and tables. */
    public static long stream(int node, int table) {
        return (long) node << Integer.SIZE | table;
    }

    /**
     * Creates the site of a node that has one table, sends only its data frames, and has no measurements of its links.
     */
    public TableSite(Kernels kernels, ValueType values, long elements, int sliceElements) {
        this(
                kernels,
                values,
                0,
                elements,
                elements,
                sliceElements,
                0,
                FilterSite.NodeTraffic.ofFrames(elements),
                ConstantFeedback.UNWATCHED);
    }

    @Override
    public UpdateFilter newFilter(String name, LongToDoubleFunction threshold) {
        SliceThreshold chosen = new SliceThreshold() {
            @Override
            public float choose(SliceValues slice, long clock) {
                return (float) ThresholdSchedule.requireThreshold(threshold.applyAsDouble(clock));
            }

            @Override
            public void observe(int sent, int kept, int bytes) {}
        };
        return new ValueBoundedFilter(name, chosen, newSplitter());
    }

    @Override
    public SliceFilter newSplitter() {
        return new SliceFilter(kernels, values, Math.min(sliceElements, BlockFormat.MAX_ELEMENTS), linkRate);
    }
}
