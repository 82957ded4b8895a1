package io.sluice.filter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.sluice.codecs.AcceptedCompressors;
import io.sluice.codecs.BlockCompressors;
import io.sluice.codecs.DataFrameDecoder;
import io.sluice.codecs.DataFrameEncoder;
import io.sluice.codecs.DataHeader;
import io.sluice.codecs.FrameBuffer;
import io.sluice.codecs.FrameChecksum;
import io.sluice.codecs.FrameValidator;
import io.sluice.codecs.PayloadCompressor;
import io.sluice.codecs.api.ValueType;
import io.sluice.codecs.spi.Block;
import io.sluice.filter.kernel.Kernels;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.SystemNanoClock;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Once compiled, the path from update to replica allocates nothing. Each case runs so that earlier ones do not affect
 * its compilation.
 */
class AllocationTest {
    private static final int ELEMENTS = 16_384;
    private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(60);
    private static final int ROUNDS = 200;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final FrameBuffer frame = FrameBuffer.forDataFrames(ELEMENTS);
    private final FrameChecksum checksum = new FrameChecksum();
    private final FrameValidator validator = new FrameValidator(5, checksum);
    private final DataFrameEncoder encoder = new DataFrameEncoder(ELEMENTS);
    private final DataHeader header = new DataHeader().clusterId(5).origin(1);
    private final Block block = new Block();
    private final float[] update = new float[ELEMENTS];
    private final MemorySegment residual = Floats.room(4L * ELEMENTS, 0);
    private final MemorySegment replica = Floats.room(4L * ELEMENTS, 0);

    /** Thresholds of normal values at which blocks are dense, bitmaps, deltas and indices. */
    static List<Arguments> cases() {
        List<Arguments> cases = new ArrayList<>();
        for (ValueType type : ValueType.choices()) {
            for (float threshold : new float[] {0, 0.5f, 2, 3.2f}) {
                cases.add(Arguments.of(type, threshold, "none"));
            }
        }
        for (String compressor : List.of("lz4", "snappy", "zstd")) {
            cases.add(Arguments.of(ValueType.F32, 3.2f, compressor));
        }
        return cases;
    }

    @ParameterizedTest
    @MethodSource("cases")
    void filterEncodeDecodeApply(ValueType type, float threshold, String name) {
        PayloadCompressor compressor = PayloadCompressor.always(BlockCompressors.named(name), SystemNanoClock.INSTANCE);
        Kernels kernels = Kernels.preferred();
        SliceFilter filter = new SliceFilter(kernels, type);
        DataFrameDecoder decoder = new DataFrameDecoder(ELEMENTS, AcceptedCompressors.named(name));
        BlockAccumulator accumulator = new BlockAccumulator(kernels);
        Floats.fillNormal(new SplittableRandom(1), MemorySegment.ofArray(update));
        long leastAllocated = Long.MAX_VALUE;
        // The compiler works in the background: measure in batches until one is clean, or give up.
        long end = System.nanoTime() + PATIENCE_NS;
        while (leastAllocated > 0 && System.nanoTime() < end) {
            long before = threads.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < ROUNDS; i++) {
                filter.filter(update, 0, residual, 0, ELEMENTS, threshold, frame.room(block));
                int length = encoder.encode(frame, header.sequence(i), block, compressor, checksum);
                assertNull(validator.validate(frame.buffer(), 0, length));
                assertNull(decoder.wrap(frame.buffer(), 0, length));
                assertNull(accumulator.add(decoder, replica, 0, ELEMENTS));
            }
            leastAllocated = Math.min(leastAllocated, threads.getCurrentThreadAllocatedBytes() - before);
        }
        assertEquals(0, leastAllocated);
    }

    /**
     * The compiler leaves out a method that it has compiled alone before, if that made more than so many bytes: the
     * flags of {@code jvm.args} must force those of vectors into the kernels.
     */
    @Tag("slow")
    @Test
    void methodsCompiledAloneAreInlined() throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(option -> !option.startsWith("-javaagent"))
                .forEach(command::add);
        command.addAll(List.of("-XX:InlineSmallCode=100", "-cp", System.getProperty("java.class.path")));
        command.add(AllocationTest.class.getName());
        Process process = new ProcessBuilder(command).inheritIO().start();
        assertTrue(process.waitFor(2, TimeUnit.MINUTES));
        assertEquals(0, process.exitValue());
    }

    /** One case, in a JVM of its own. */
    public static void main(String[] args) {
        new AllocationTest().filterEncodeDecodeApply(ValueType.F32, 0.5f, "none");
    }
}
