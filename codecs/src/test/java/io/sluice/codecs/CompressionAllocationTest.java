package io.sluice.codecs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import com.sun.management.ThreadMXBean;
import io.sluice.codecs.api.ValueType;
import io.sluice.codecs.spi.Block;
import io.sluice.codecs.spi.BlockFormat;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.util.SplittableRandom;
import org.agrona.concurrent.SystemNanoClock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Compressors make no garbage. */
class CompressionAllocationTest {
    private static final int ELEMENTS = 4096;
    private static final int BATCHES = 40;
    private static final int BATCH = 400;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final FrameBuffer frame = FrameBuffer.forDataFrames(ELEMENTS);
    private final FrameChecksum checksum = new FrameChecksum();
    private final DataFrameEncoder encoder = new DataFrameEncoder(ELEMENTS);
    private final DataFrameDecoder decoder =
            new DataFrameDecoder(ELEMENTS, AcceptedCompressors.named("lz4", "snappy", "zstd"));
    private final DataHeader header = SampleFrame.dataHeader();
    private final Block block = new Block();
    private final int[] noise = new SplittableRandom(1)
            .ints(ELEMENTS)
            .map(bits -> bits & 0x00FF_FFFF)
            .toArray();

    @ParameterizedTest
    @ValueSource(strings = {"lz4", "snappy", "zstd"})
    void nothingPerFrame(String name) {
        PayloadCompressor compressor = PayloadCompressor.always(BlockCompressors.named(name), SystemNanoClock.INSTANCE);
        long least = Long.MAX_VALUE;
        // The compiler works in the background: measure in batches until one is clean, or give up.
        for (int batch = 0; batch < BATCHES && least > 0; batch++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < BATCH; i++) {
                compose();
                int length = encoder.encode(frame, header, block, compressor, checksum);
                assertNull(decoder.wrap(frame.buffer(), 0, length));
            }
            least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
        }
        assertEquals(0, least);
    }

    private void compose() {
        for (int i = 0; i < ELEMENTS; i++) {
            OffHeap.ALL.set(ValueLayout.JAVA_INT, OffHeap.address(frame.buffer(), Frame.DATA_LENGTH + 4 * i), noise[i]);
        }
        frame.room(block).set(BlockFormat.DENSE, ValueType.F32, ELEMENTS, ELEMENTS, ELEMENTS * Float.BYTES);
    }
}
