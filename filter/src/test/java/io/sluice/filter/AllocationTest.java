package io.sluice.filter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import com.sun.management.ThreadMXBean;
import io.sluice.codecs.Block;
import io.sluice.codecs.BlockCompressor;
import io.sluice.codecs.BlockCompressors;
import io.sluice.codecs.DataFrameDecoder;
import io.sluice.codecs.DataFrameEncoder;
import io.sluice.codecs.DataHeader;
import io.sluice.codecs.FrameBuffer;
import io.sluice.codecs.FrameChecksum;
import io.sluice.codecs.FrameValidator;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** From update to replica, once compiled, without a byte of garbage. */
class AllocationTest {
    private static final int ELEMENTS = 16_384;
    private static final int WARM_UP_ROUNDS = 40;
    private static final int ROUNDS = 200;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final FrameBuffer frame = FrameBuffer.forDataFrames(ELEMENTS);
    private final FrameChecksum checksum = new FrameChecksum();
    private final FrameValidator validator = new FrameValidator(5, checksum);
    private final DataFrameEncoder encoder = new DataFrameEncoder(ELEMENTS);
    private final DataHeader header = new DataHeader().clusterId(5).origin(1);
    private final Block block = new Block();
    private final MemorySegment update = MemorySegment.ofArray(new float[ELEMENTS]);
    private final MemorySegment residual = Floats.room(4L * ELEMENTS, 0);
    private final MemorySegment replica = Floats.room(4L * ELEMENTS, 0);

    @ParameterizedTest
    @CsvSource({"none,0", "none,0.5", "none,3.2", "lz4,3.2", "snappy,3.2"})
    void filterEncodeDecodeApply(String name, double delta) {
        BlockCompressor compressor = BlockCompressors.named(name);
        Kernels kernels = Kernels.preferred();
        UpdateFilter filter = new ValueBoundedFilter(new ConstantThreshold(delta), kernels);
        DataFrameDecoder decoder = new DataFrameDecoder(ELEMENTS, compressor);
        BlockAccumulator accumulator = new BlockAccumulator(kernels);
        Floats.fillNormal(new SplittableRandom(1), update);
        long leastAllocated = Long.MAX_VALUE;
        // The compiler works in the background: measure in batches until one is clean, or give up.
        for (int batch = 0; batch < WARM_UP_ROUNDS && leastAllocated > 0; batch++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < ROUNDS; i++) {
                round(filter, compressor, decoder, accumulator, i);
            }
            leastAllocated = Math.min(leastAllocated, threads.getCurrentThreadAllocatedBytes() - before);
        }
        assertEquals(0, leastAllocated);
    }

    private void round(
            UpdateFilter filter,
            BlockCompressor compressor,
            DataFrameDecoder decoder,
            BlockAccumulator accumulator,
            int round) {
        filter.filter(update, 0, residual, 0, ELEMENTS, 1, block.wrap(frame));
        int length = encoder.encode(frame, header.sequence(round), block, compressor, checksum);
        assertNull(validator.validate(frame.buffer(), 0, length));
        assertNull(decoder.wrap(frame.buffer(), 0, length));
        assertNull(accumulator.add(decoder, replica, 0, ELEMENTS));
    }
}
