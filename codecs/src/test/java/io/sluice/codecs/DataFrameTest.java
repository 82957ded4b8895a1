package io.sluice.codecs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.sbe.DataDecoder;
import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DataFrameTest {
    private static final int ELEMENTS = 4096;

    private final FrameChecksum checksum = new FrameChecksum();
    private final FrameValidator validator = new FrameValidator(SampleFrame.CLUSTER, checksum);
    private final FrameBuffer frame = FrameBuffer.forDataFrames(ELEMENTS);
    private final DataFrameEncoder encoder = new DataFrameEncoder(ELEMENTS);
    private final Block block = new Block();

    @ParameterizedTest
    @ValueSource(strings = {"none", "lz4", "snappy"})
    void everyPayloadComesBack(String name) {
        BlockCompressor compressor = BlockCompressors.named(name);
        DataFrameDecoder decoder = new DataFrameDecoder(ELEMENTS, compressor);
        Property.holds(200, random -> {
            byte[] raw = compose(random, random.nextInt(1, ELEMENTS + 1), random.nextInt(2) == 0);
            int length = encoder.encode(frame, SampleFrame.dataHeader(), block, compressor, checksum);

            assertNull(validator.validate(frame.buffer(), 0, length));
            assertTrue(length <= Frame.DATA_LENGTH + raw.length);
            assertNull(decoder.wrap(frame.buffer(), 0, length));
            assertBlock(raw, decoder);
        });
    }

    @Test
    void fieldsComeBack() {
        DataFrameDecoder decoder = new DataFrameDecoder(ELEMENTS, BlockCompressors.named("none"));
        int length = SampleFrame.DATA_BITMAP.encode(frame);

        assertNull(decoder.wrap(frame.buffer(), 0, length));
        assertEquals(7, decoder.table());
        assertEquals(9, decoder.slice());
        assertEquals(11, decoder.clock());
        assertEquals(13, decoder.sequence());
        assertEquals(70, decoder.elements());
        assertEquals(3, decoder.count());
        assertEquals(BlockFormat.BITMAP, decoder.format());
        assertEquals(28, decoder.rawLength());
        assertEquals(0, decoder.flags());
        assertEquals(decoder.blockOffset() + 16, decoder.valuesOffset());
        assertEquals(Frame.checksum(frame.buffer(), 0), decoder.checksum());
    }

    @Test
    void aFrameReassembledOnTheHeapIsOpenedToo() {
        DataFrameDecoder decoder = new DataFrameDecoder(ELEMENTS, BlockCompressors.named("lz4"));
        byte[] raw = compose(new SplittableRandom(5), 1000, true);
        int length = encoder.encode(frame, SampleFrame.dataHeader(), block, BlockCompressors.named("lz4"), checksum);
        byte[] heap = new byte[length + 3];
        frame.buffer().getBytes(0, heap, 3, length);
        UnsafeBuffer buffer = new UnsafeBuffer(heap);

        assertNull(validator.validate(buffer, 3, length));
        assertNull(decoder.wrap(buffer, 3, length));
        assertBlock(raw, decoder);
    }

    @Test
    void keepsCompressionOnlyWhereItSaves() {
        BlockCompressor lz4 = BlockCompressors.named("lz4");
        byte[] zeros = compose(new SplittableRandom(6), 1000, true);
        int small = encoder.encode(frame, SampleFrame.dataHeader(), block, lz4, checksum);
        assertTrue(small < Frame.DATA_LENGTH + zeros.length);
        assertEquals(lz4.code(), compressorCode());

        byte[] noise = compose(new SplittableRandom(6), 1000, false);
        int large = encoder.encode(frame, SampleFrame.dataHeader(), block, lz4, checksum);
        assertEquals(Frame.DATA_LENGTH + noise.length, large);
        assertEquals(NoCompressor.CODE, compressorCode());
    }

    @Test
    void refusesWhatItWasNotMadeFor() {
        compose(new SplittableRandom(7), 1000, true);
        int length = encoder.encode(frame, SampleFrame.dataHeader(), block, BlockCompressors.named("lz4"), checksum);
        BlockCompressor snappy = BlockCompressors.named("snappy");

        assertEquals(
                Rejection.UNKNOWN_COMPRESSOR, new DataFrameDecoder(ELEMENTS, snappy).wrap(frame.buffer(), 0, length));
        assertEquals(
                Rejection.BAD_LENGTH,
                new DataFrameDecoder(999, BlockCompressors.named("lz4")).wrap(frame.buffer(), 0, length));
        frame.buffer().setMemory(Frame.DATA_LENGTH, length - Frame.DATA_LENGTH, (byte) 0xFF);
        assertEquals(
                Rejection.BAD_COMPRESSION,
                new DataFrameDecoder(ELEMENTS, BlockCompressors.named("lz4")).wrap(frame.buffer(), 0, length));
        block.wrap(frame.segment(), 0);
        assertThrows(
                IllegalArgumentException.class,
                () -> encoder.encode(frame, SampleFrame.dataHeader(), block, snappy, checksum));
    }

    /** Puts a dense block of zeros or noise behind the root and returns its bytes. */
    private byte[] compose(SplittableRandom random, int elements, boolean zeros) {
        byte[] raw = new byte[elements * Float.BYTES];
        if (!zeros) {
            random.nextBytes(raw);
        }
        MemorySegment.copy(MemorySegment.ofArray(raw), 0, frame.segment(), Frame.DATA_LENGTH, raw.length);
        block.wrap(frame).set(BlockFormat.DENSE, elements, elements);
        return raw;
    }

    private static void assertBlock(byte[] raw, DataFrameDecoder decoder) {
        MemorySegment actual = decoder.blockSegment().asSlice(decoder.blockOffset(), decoder.rawLength());
        assertEquals(-1, MemorySegment.ofArray(raw).mismatch(actual));
    }

    private int compressorCode() {
        return frame.buffer().getByte(Frame.HEADER_LENGTH + DataDecoder.compressorEncodingOffset());
    }
}
