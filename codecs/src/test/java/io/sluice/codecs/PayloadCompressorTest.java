package io.sluice.codecs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.FakeCompressor.FakeTime;
import io.sluice.codecs.api.CompressionReport;
import io.sluice.codecs.api.ValueType;
import io.sluice.codecs.spi.Block;
import io.sluice.codecs.spi.BlockFormat;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.SplittableRandom;
import org.agrona.concurrent.SystemNanoClock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PayloadCompressorTest {
    private static final int ELEMENTS = 4096;

    private final FrameBuffer frame = FrameBuffer.forDataFrames(ELEMENTS);
    private final Block block = new Block();
    private final FakeTime time = new FakeTime();
    private final FakeCompressor first = new FakeCompressor(1, time);

    private int send(PayloadCompressor compressor) {
        frame.room(block).set(BlockFormat.DENSE, ValueType.F32, ELEMENTS, ELEMENTS, ELEMENTS * Float.BYTES);
        return compressor.compress(frame, block, ValueType.F32);
    }

    @Test
    void neverLooksAtNothing() {
        PayloadCompressor never = PayloadCompressor.never();

        assertEquals(4 * ELEMENTS, send(never));
        assertEquals(NoCompressor.CODE, never.code());
        assertEquals(CompressionReport.NOTHING, never.report());
        assertEquals("nothing tried", never.report().summary());
        PayloadCompressor none = PayloadCompressor.always(BlockCompressors.named("none"), time);
        send(none);
        assertEquals(CompressionReport.NOTHING, none.report());
    }

    @Test
    void alwaysSendsWhatGetsShorterAndCountsAll() {
        PayloadCompressor always = PayloadCompressor.always(first.costs(0.5).leaves(0.25), time);
        assertEquals(ELEMENTS, send(always));
        assertEquals(1, always.code());
        first.leaves(1);
        assertEquals(4 * ELEMENTS, send(always));
        assertEquals(NoCompressor.CODE, always.code());

        assertEquals(
                List.of(new CompressionReport.Row(
                        "dense f32", "fake 1", 2, 1, 8 * ELEMENTS, 5 * ELEMENTS, 3 * ELEMENTS, 4 * ELEMENTS, 1)),
                always.report().rows());
        assertEquals(3 * ELEMENTS, always.report().bytesSaved());
        assertEquals("dense f32 fake 1 1 of 2 frames to 63 %", always.report().summary());
    }

    @Test
    void emptyBlocksAreNotOffered() {
        PayloadCompressor always = PayloadCompressor.always(first.leaves(0.5), time);
        frame.room(block).set(BlockFormat.EMPTY, ValueType.F32, ELEMENTS, 0, 0);

        assertEquals(0, always.compress(frame, block, ValueType.F32));
        assertEquals(0, first.compressed());
    }

    @Test
    void shortBlocksAreNotOffered() {
        PayloadCompressor longer = PayloadCompressor.from(first.leaves(0.5), 4 * ELEMENTS + 1, time);
        assertEquals(4 * ELEMENTS, send(longer));
        assertEquals(0, first.compressed());

        PayloadCompressor asLong = PayloadCompressor.from(first, 4 * ELEMENTS, time);
        assertEquals(2 * ELEMENTS, send(asLong));
    }

    @ParameterizedTest
    @ValueSource(strings = {"lz4", "snappy", "zstd"})
    void realCompressorsOnRealBlocks(String name) {
        PayloadCompressor always = PayloadCompressor.always(BlockCompressors.named(name), SystemNanoClock.INSTANCE);
        DataFrameDecoder decoder = new DataFrameDecoder(ELEMENTS, AcceptedCompressors.named(name));
        DataFrameEncoder encoder = new DataFrameEncoder(ELEMENTS);
        FrameChecksum checksum = new FrameChecksum();
        FrameValidator validator = new FrameValidator(SampleFrame.CLUSTER, checksum);
        SplittableRandom random = new SplittableRandom(7);
        byte[] raw = new byte[4 * ELEMENTS];
        for (int i = 0; i < 100; i++) {
            boolean compressible = i < 50;
            fill(random, raw, compressible);
            MemorySegment.copy(MemorySegment.ofArray(raw), 0, frame.segment(), Frame.DATA_LENGTH, raw.length);
            frame.room(block).set(BlockFormat.DENSE, ValueType.F32, ELEMENTS, ELEMENTS, ELEMENTS * Float.BYTES);
            int length = encoder.encode(frame, SampleFrame.dataHeader(), block, always, checksum);

            assertNull(validator.validate(frame.buffer(), 0, length));
            assertNull(decoder.wrap(frame.buffer(), 0, length));
            MemorySegment back = OffHeap.ALL.asSlice(decoder.blockAddress(), decoder.blockLength());
            assertEquals(-1, MemorySegment.ofArray(raw).mismatch(back));
            assertEquals(compressible, length < Frame.DATA_LENGTH + raw.length, "frame " + i);
        }
        assertTrue(
                always.report().bytesSaved() > 50 * raw.length / 2,
                always.report().summary());
    }

    private static void fill(SplittableRandom random, byte[] raw, boolean compressible) {
        random.nextBytes(raw);
        for (int i = 0; compressible && i < raw.length; i++) {
            raw[i] = i % 16 < 12 ? 0 : raw[i];
        }
    }
}
