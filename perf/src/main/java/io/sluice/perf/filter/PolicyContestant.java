package io.sluice.perf.filter;

import io.sluice.codecs.Block;
import io.sluice.codecs.FrameBuffer;
import io.sluice.codecs.ValueType;
import io.sluice.filter.UpdateFilter;
import io.sluice.filter.feedback.ConstantFeedback;
import io.sluice.filter.kernel.Kernels;
import io.sluice.filter.policy.FilterPolicies;
import io.sluice.filter.policy.FilterSite;
import io.sluice.perf.race.Contestant;
import io.sluice.perf.race.Tally;
import io.sluice.perf.updates.OffHeapTable;
import io.sluice.perf.updates.TableShape;
import java.lang.foreign.MemorySegment;

/**
 * The filter under a policy, with all that the policy does between slices and clocks to choose its threshold. Each
 * clock has the same update: an update and its negative in turns leave no sum to choose from in every second clock.
 */
final class PolicyContestant implements Contestant {
    private final TableShape shape;
    private final OffHeapTable table;
    private final MemorySegment update;
    private final UpdateFilter filter;
    private final FrameBuffer frame = FrameBuffer.forDataFrames(TableShape.SLICE);
    private final Block block = new Block();
    private long clock;

    PolicyContestant(TableShape shape, int thread, Kernels kernels, ValueType values, String policy) {
        this.shape = shape;
        long part = shape.part();
        filter = FilterPolicies.named(policy)
                .create(new FilterSite(
                        kernels, values, part, part, TableShape.SLICE, part, ConstantFeedback.UNWATCHED));
        table = new OffHeapTable(shape, thread);
        update = table.next();
    }

    @Override
    public void pass(Tally tally) {
        clock++;
        for (int slice = 0; slice < shape.slices(); slice++) {
            long offset = (long) slice * TableShape.SLICE * Float.BYTES;
            filter.filter(
                    update, offset, table.residual(), offset, shape.sliceElements(slice), clock, block.wrap(frame));
            tally.add(block.length(), block.count());
            tally.format(block.format().code());
        }
    }
}
