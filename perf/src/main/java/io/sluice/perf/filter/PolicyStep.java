package io.sluice.perf.filter;

import io.sluice.codecs.FrameBuffer;
import io.sluice.codecs.api.Block;
import io.sluice.codecs.api.ValueType;
import io.sluice.filter.kernel.Kernels;
import io.sluice.filter.policy.FilterPolicies;
import io.sluice.filter.policy.TableSite;
import io.sluice.filter.spi.UpdateFilter;
import io.sluice.perf.benchmark.Tally;
import io.sluice.perf.updates.TableShape;
import java.lang.foreign.MemorySegment;

/** The filter under a policy, including the policy's work between slices and clocks to choose its threshold. */
final class PolicyStep implements SliceBenchmark.Step {
    private final UpdateFilter filter;
    private final FrameBuffer frame = FrameBuffer.forDataFrames(TableShape.SLICE);
    private final Block block = new Block();
    private long clock;

    PolicyStep(int elements, Kernels kernels, ValueType values, String policy) {
        filter = FilterPolicies.named(policy).create(new TableSite(kernels, values, elements, TableShape.SLICE));
    }

    @Override
    public void run(MemorySegment update, MemorySegment residual, long offset, int elements, Tally tally) {
        if (offset == 0) {
            clock++;
        }
        filter.filter(update, offset, residual, offset, elements, clock, frame.room(block));
        FilterSteps.count(block, tally);
    }
}
