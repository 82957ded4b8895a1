package io.sluice.consistency.wire;

import io.sluice.codecs.OffHeap;
import io.sluice.codecs.RiceDeltas;
import io.sluice.codecs.api.ValueType;
import io.sluice.codecs.spi.Block;
import io.sluice.filter.kernel.Kernels;
import io.sluice.filter.kernel.ValuesKernel;
import io.sluice.messaging.spi.SliceOrder;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;

/**
 * Ranks blocks in the cluster's order. The magnitude of a block, if the order uses it, is the sum of the magnitudes of
 * its values, found in one pass over the values instead of the slice.
 *
 * <p>For one thread. Allocates nothing per block.
 */
public final class SliceRanker {
    private final SliceOrder order;
    private final Kernels kernels;
    private final MagnitudeSum sum;
    private final SliceOrder.Urgency urgency = new SliceOrder.Urgency();
    private final MemorySegment decoded;

    /**
     * Creates a ranker.
     *
     * @param order       the order, for this ranker alone
     * @param kernels     kernels to run
     * @param maxElements elements of a slice
     */
    public SliceRanker(SliceOrder order, Kernels kernels, int maxElements) {
        this.order = order;
        this.kernels = kernels;
        this.sum = new MagnitudeSum(kernels);
        long room = order.weighs() ? (long) maxElements * Float.BYTES + ValuesKernel.SLACK : 0;
        this.decoded = OffHeap.allocate(room);
    }

    /**
     * The sum of the magnitudes of values, or 0 if the order does not use it.
     *
     * @param values address of the first value; all values are finite
     * @param count number of values
     * @return the sum, 0 or more
     */
    public float weight(long values, int count) {
        return order.weighs() ? sum.of(values, count) : 0;
    }

    /** Whether the order uses the magnitude of a slice's parameters. */
    public boolean compares() {
        return order.compares();
    }

    /**
     * Ranks a block.
     *
     * @param block      block as the filter has written it
     * @param table      id of its table, which is also the order in which tables are declared
     * @param slice      number of the slice
     * @param round      round that it belongs to
     * @param parameters sum of the magnitudes of the slice's parameters; 0 if not known
     * @return priority; a smaller one is sent sooner
     */
    public long rank(Block block, int table, int slice, long round, float parameters) {
        urgency.slice(table, slice, round);
        if (order.weighs()) {
            urgency.change(weight(block), parameters);
        }
        return order.rank(urgency);
    }

    /**
     * Ranks a slice whose change is known.
     *
     * @param table      id of its table, which is also the order in which tables are declared
     * @param slice      number of the slice
     * @param round      round that it belongs to
     * @param change     {@link #weight} of the change
     * @param parameters sum of the magnitudes of the slice's parameters; 0 if not known
     * @return priority; a smaller one is sent sooner
     */
    public long rank(int table, int slice, long round, float change, float parameters) {
        return order.rank(urgency.slice(table, slice, round).change(change, parameters));
    }

    private float weight(Block block) {
        int count = block.count();
        if (0 == count) {
            return 0;
        }
        long from = OffHeap.address(block);
        long values = from + RiceDeltas.indicesLength(block.format(), from, block.elements(), count);
        if (ValueType.F32 != block.values()) {
            kernels.values().decode(block.values(), values, count, decoded.address());
            values = decoded.address();
        }
        float weight = sum.of(values, count);
        Reference.reachabilityFence(block);
        Reference.reachabilityFence(this);
        return weight;
    }
}
