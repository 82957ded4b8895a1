package io.sluice.filter;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.sluice.codecs.AcceptedCompressors;
import io.sluice.codecs.BlockCompressors;
import io.sluice.codecs.DataFrameDecoder;
import io.sluice.codecs.DataFrameEncoder;
import io.sluice.codecs.DataHeader;
import io.sluice.codecs.FrameBuffer;
import io.sluice.codecs.FrameChecksum;
import io.sluice.codecs.FrameValidator;
import io.sluice.codecs.PayloadCompressor;
import io.sluice.codecs.Property;
import io.sluice.codecs.Rejection;
import io.sluice.codecs.api.ValueType;
import io.sluice.codecs.spi.Block;
import io.sluice.filter.kernel.Kernels;
import io.sluice.filter.spi.UpdateFilter;
import io.sluice.filter.threshold.ConstantThreshold;
import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;
import org.agrona.concurrent.SystemNanoClock;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class BlockAccumulatorTest {
    private static final int MAX = 3000;

    private final FrameChecksum checksum = new FrameChecksum();
    private final FrameBuffer frame = FrameBuffer.forDataFrames(MAX);
    private final DataFrameEncoder encoder = new DataFrameEncoder(MAX);
    private final Kernels kernels = Kernels.preferred();
    private final BlockAccumulator accumulator = new BlockAccumulator(kernels);

    @Tag("slow")
    @ParameterizedTest
    @ValueSource(strings = {"none", "lz4", "snappy"})
    void whatIsFilteredArrives(String name) {
        PayloadCompressor compressor = PayloadCompressor.always(BlockCompressors.named(name), SystemNanoClock.INSTANCE);
        DataFrameDecoder decoder = new DataFrameDecoder(MAX, AcceptedCompressors.named(name));
        Property.holds(500, random -> {
            int elements = random.nextInt(1, MAX + 1);
            MemorySegment update = Floats.room(4L * elements, 0);
            MemorySegment residual = Floats.room(4L * elements, 0);
            MemorySegment replica = Floats.room(4L * elements, 0);
            Floats.fillNormal(random, update);
            Floats.fillNormal(random, replica);
            float[] before = replica.toArray(JAVA_FLOAT_UNALIGNED);
            ValueType type =
                    ValueType.choices().get(random.nextInt(ValueType.choices().size()));
            SliceFilter filter = new SliceFilter(kernels, type);
            Block block = frame.room(new Block());
            filter.filter(update, 0, residual, 0, elements, (float) (random.nextDouble() * 4), block);
            int length = encode(block, compressor);

            assertNull(new FrameValidator(5, checksum).validate(frame.buffer(), 0, length));
            assertNull(decoder.wrap(frame.buffer(), 0, length));
            float[] array = new float[elements + 2];
            System.arraycopy(before, 0, array, 1, elements);
            assertNull(accumulator.add(decoder, replica, 0, elements));
            assertNull(accumulator.add(decoder, array, 1, elements));
            for (int i = 0; i < elements; i++) {
                float sent = update.get(JAVA_FLOAT_UNALIGNED, 4L * i) - residual.get(JAVA_FLOAT_UNALIGNED, 4L * i);
                assertEquals(before[i] + sent, replica.get(JAVA_FLOAT_UNALIGNED, 4L * i));
                assertEquals(before[i] + sent, array[i + 1]);
            }
        });
    }

    /** A filtered block that is restored leaves the original sum, in every format and value type. */
    @ParameterizedTest
    @Tag("slow")
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "LEVELS")
    void aRestoredBlockLeavesTheSumInTheResidual(ValueType type) {
        SliceFilter filter = new SliceFilter(kernels, type);
        Property.holds(300, random -> {
            int elements = random.nextInt(1, MAX + 1);
            MemorySegment update = Floats.room(4L * elements, 0);
            MemorySegment residual = Floats.room(4L * elements, 0);
            Floats.fillNormal(random, update);
            Floats.fillNormal(random, residual);
            float[] sum = residual.toArray(JAVA_FLOAT_UNALIGNED);
            for (int i = 0; i < elements; i++) {
                sum[i] += update.get(JAVA_FLOAT_UNALIGNED, 4L * i);
            }
            Block block = frame.room(new Block());
            filter.filter(update, 0, residual, 0, elements, (float) (random.nextDouble() * 5), block);
            accumulator.restore(block, residual, 0);
            for (int i = 0; i < elements; i++) {
                assertEquals(sum[i], residual.get(JAVA_FLOAT_UNALIGNED, 4L * i), "element " + i);
            }
        });
    }

    @Test
    void overwriteReplacesByDenseOnly() {
        DataFrameDecoder decoder = new DataFrameDecoder(MAX, AcceptedCompressors.named());
        MemorySegment update = Floats.room(400, 0);
        MemorySegment residual = Floats.room(400, 0);
        MemorySegment replica = Floats.room(400, 0);
        Floats.fillNormal(new SplittableRandom(1), update);
        Floats.fillNormal(new SplittableRandom(2), replica);

        int length = send(new DenseFilter(kernels), update, residual, 100, PayloadCompressor.never());
        assertNull(decoder.wrap(frame.buffer(), 0, length));
        assertEquals(Rejection.BAD_LENGTH, accumulator.overwrite(decoder, replica, 0, 99));
        assertNull(accumulator.overwrite(decoder, replica, 0, 100));
        assertEquals(-1, update.mismatch(replica));

        UpdateFilter sparse = new ValueBoundedFilter(new ConstantThreshold(1), kernels);
        length = send(sparse, update, residual, 100, PayloadCompressor.never());
        assertNull(decoder.wrap(frame.buffer(), 0, length));
        assertEquals(Rejection.UNEXPECTED, accumulator.overwrite(decoder, replica, 0, 100));
        assertEquals(Rejection.BAD_LENGTH, accumulator.add(decoder, replica, 0, 101));
        assertEquals(-1, update.mismatch(replica));
    }

    @Test
    void denseFilterKeepsNothingBack() {
        MemorySegment residual = Floats.room(400, 0);
        Floats.fillNormal(new SplittableRandom(3), residual);
        MemorySegment sum = Floats.copyOf(residual, 0);
        Block block = frame.room(new Block());

        new DenseFilter(kernels).encodeResidual(residual, 0, 100, 1, block);

        assertEquals(100, block.count());
        assertEquals(-1, sum.mismatch(block.segment().asSlice(block.offset(), 400)));
        assertEquals(0.0f, kernels.values().maxAbs(residual.address(), 100));
        assertEquals(0.0f, new DenseFilter(kernels).threshold(3));
    }

    private int send(
            UpdateFilter filter,
            MemorySegment update,
            MemorySegment residual,
            int elements,
            PayloadCompressor compressor) {
        Block block = frame.room(new Block());
        filter.filter(update, 0, residual, 0, elements, 1, block);
        return encode(block, compressor);
    }

    private int encode(Block block, PayloadCompressor compressor) {
        DataHeader header = new DataHeader().clusterId(5).clock(1);
        return encoder.encode(frame, header, block, compressor, checksum);
    }
}
