package io.sluice.filter.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.sun.management.ThreadMXBean;
import io.sluice.codecs.OffHeap;
import io.sluice.codecs.api.ValueType;
import io.sluice.codecs.spi.Block;
import io.sluice.codecs.spi.BlockFormat;
import io.sluice.filter.kernel.Kernels;
import io.sluice.filter.spi.UpdateFilter;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Choosing thresholds, once compiled, leaves no garbage, also at the start of a clock and where an estimator runs. */
class PolicyAllocationTest {
    private static final int SLICES = 4;
    private static final int SLICE = 2_048;
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int CLOCKS = 100;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final MemorySegment residual = OffHeap.allocate(4L * SLICES * SLICE);
    private final MemorySegment room = OffHeap.allocate(BlockFormat.maxLength(SLICE));
    private final float[] update = new float[SLICES * SLICE];
    private final Block block = new Block();
    private long clock;

    @Tag("slow")
    @ParameterizedTest
    @ValueSource(
            strings = {
                "none",
                "dvf:1",
                "adaptive:1,2",
                "density:0.01;every=1",
                "sidco:0.01;every=2",
                "topk:0.01",
                "sign",
                "tern;feedback",
                "qsgd:5",
                "budget:2kb;warmup=50"
            })
    void nothing(String spec) {
        UpdateFilter filter = FilterPolicies.named(spec)
                .create(new TableSite(Kernels.preferred(), ValueType.F32, update.length, SLICE));
        Gradients.GAUSSIAN.fill(new SplittableRandom(1), update);
        long least = Long.MAX_VALUE;
        // The compiler works in the background, on a busy machine for long: measure until a batch is clean, or give up.
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (least > 0 && System.nanoTime() < deadline) {
            long before = threads.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < CLOCKS; i++) {
                oneClock(filter);
            }
            least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
        }
        assertEquals(0, least);
    }

    private void oneClock(UpdateFilter filter) {
        clock++;
        for (int slice = 0; slice < SLICES; slice++) {
            int from = slice * SLICE;
            filter.filter(update, from, residual, 4L * from, SLICE, clock, block.wrap(room, 0));
            filter.encodeResidual(residual, 4L * from, SLICE, clock, block.wrap(room, 0));
        }
        filter.threshold(clock);
    }
}
