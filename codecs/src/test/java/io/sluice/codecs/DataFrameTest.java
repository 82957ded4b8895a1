package io.sluice.codecs;

import static java.nio.ByteOrder.LITTLE_ENDIAN;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.api.ValueType;
import io.sluice.codecs.sbe.DataDecoder;
import io.sluice.codecs.spi.Block;
import io.sluice.codecs.spi.BlockFormat;
import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;
import org.agrona.concurrent.SystemNanoClock;
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
    @ValueSource(strings = {"none", "lz4", "snappy", "zstd"})
    void everyPayloadIsRestored(String name) {
        PayloadCompressor compressor = always(name);
        DataFrameDecoder decoder = new DataFrameDecoder(ELEMENTS, AcceptedCompressors.named(name));
        Property.holds(200, random -> {
            byte[] raw = compose(random, random.nextInt(1, ELEMENTS + 1), random.nextInt(2) == 0);
            int length = encoder.encode(frame, SampleFrame.dataHeader(), block, compressor, checksum);

            assertNull(validator.validate(frame.buffer(), 0, length));
            assertTrue(length <= Frame.DATA_LENGTH + raw.length);
            assertNull(decoder.wrap(frame.buffer(), 0, length));
            assertEquals(length - Frame.DATA_LENGTH, decoder.payloadLength());
            assertBlock(raw, decoder);
        });
    }

    @Test
    void fieldsAreDecoded() {
        DataFrameDecoder decoder = new DataFrameDecoder(ELEMENTS, AcceptedCompressors.named());
        int length = GoldenFrame.named("BITMAP-F32-three").copyTo(frame);

        assertNull(decoder.wrap(frame.buffer(), 0, length));
        assertEquals(7, decoder.table());
        assertEquals(9, decoder.slice());
        assertEquals(11, decoder.clock());
        assertEquals(13, decoder.sequence());
        assertEquals(70, decoder.elements());
        assertEquals(3, decoder.count());
        assertEquals(BlockFormat.BITMAP, decoder.format());
        assertEquals(ValueType.F32, decoder.valueType());
        assertEquals(28, decoder.blockLength());
        assertFalse(decoder.partial());
        assertEquals(frame.segment().address() + Frame.DATA_LENGTH, decoder.blockAddress());
        assertEquals(decoder.blockAddress() + 16, decoder.valuesAddress());
        assertEquals(Frame.checksum(frame.buffer(), 0), decoder.checksum());
    }

    @Test
    void aPartialFrameDiffersByOneBitAndTheChecksum() {
        DataFrameDecoder decoder = new DataFrameDecoder(ELEMENTS, AcceptedCompressors.named());
        byte[] golden = GoldenFrame.named("PARTIAL").bytes();
        int length = GoldenFrame.named("INDEX-F32-three").copyTo(frame);
        Block block = frame.room(new Block()).set(BlockFormat.INDEX, ValueType.F32, 70, 3, 20);

        assertEquals(
                length,
                encoder.encode(
                        frame, SampleFrame.dataHeader().partial(true), block, PayloadCompressor.never(), checksum));
        byte[] bytes = new byte[length];
        frame.buffer().getBytes(0, bytes);
        assertArrayEquals(golden, bytes);
        assertNull(decoder.wrap(frame.buffer(), 0, length));
        assertTrue(decoder.partial());
    }

    @Test
    void aTaggedFrameEndsInItsTag() {
        DataFrameDecoder decoder = new DataFrameDecoder(ELEMENTS, AcceptedCompressors.named());
        byte[] golden = GoldenFrame.named("TAGGED").bytes();
        int untagged = GoldenFrame.named("INDEX-F32-three").copyTo(frame);
        Block block = frame.room(new Block()).set(BlockFormat.INDEX, ValueType.F32, 70, 3, 20);

        int length =
                encoder.encode(frame, SampleFrame.dataHeader().tag(10), block, PayloadCompressor.never(), checksum);
        assertEquals(untagged + Frame.TAG_LENGTH, length);
        byte[] bytes = new byte[length];
        frame.buffer().getBytes(0, bytes);
        assertArrayEquals(golden, bytes);
        assertNull(validator.validate(frame.buffer(), 0, length));
        assertNull(decoder.wrap(frame.buffer(), 0, length));
        assertEquals(10, decoder.tag());
        assertEquals(Rejection.BAD_LENGTH, validator.validate(frame.buffer(), 0, untagged));
    }

    /** A push without values has a tag where its update rule weighs pushes. */
    @ParameterizedTest
    @ValueSource(strings = {"none", "lz4", "snappy", "zstd"})
    void aTaggedFrameMayHaveNoValues(String compressor) {
        Block block = frame.room(new Block()).set(BlockFormat.EMPTY, ValueType.F32, 70, 0, 0);
        PayloadCompressor used = "none".equals(compressor) ? PayloadCompressor.never() : always(compressor);
        int length = encoder.encode(frame, SampleFrame.dataHeader().tag(10), block, used, checksum);
        byte[] bytes = new byte[length];
        frame.buffer().getBytes(0, bytes);
        assertArrayEquals(GoldenFrame.named("EMPTY-TAGGED").bytes(), bytes);
        assertNull(validator.validate(frame.buffer(), 0, length));
        DataFrameDecoder decoder = new DataFrameDecoder(ELEMENTS, AcceptedCompressors.named());
        assertNull(decoder.wrap(frame.buffer(), 0, length));
        assertEquals(10, decoder.tag());
        assertEquals(0, decoder.count());
    }

    /** The length of the payload would be negative, which no compressor may see. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 16})
    void aTaggedFrameHasRoomForItsTag(int compressor) {
        int length = GoldenFrame.named("TAGGED").copyTo(frame);
        for (int shorter = Frame.DATA_LENGTH; shorter < length; shorter++) {
            frame.buffer().putInt(56, shorter - Frame.DATA_LENGTH - Frame.TAG_LENGTH, LITTLE_ENDIAN);
            frame.buffer().putByte(62, (byte) compressor);
            checksum.write(frame.buffer(), 0, shorter);
            boolean isValid = compressor > 0 && shorter >= Frame.DATA_LENGTH + Frame.TAG_LENGTH;
            assertEquals(
                    isValid ? null : Rejection.BAD_LENGTH,
                    validator.validate(frame.buffer(), 0, shorter),
                    "of " + shorter + " bytes");
        }
    }

    @Test
    void aFrameReassembledOnTheHeapIsOpenedToo() {
        DataFrameDecoder decoder = new DataFrameDecoder(ELEMENTS, AcceptedCompressors.named("lz4"));
        byte[] raw = compose(new SplittableRandom(5), 1000, true);
        int length = encoder.encode(frame, SampleFrame.dataHeader(), block, always("lz4"), checksum);
        byte[] heap = new byte[length + 3];
        frame.buffer().getBytes(0, heap, 3, length);
        UnsafeBuffer buffer = new UnsafeBuffer(heap);

        assertNull(validator.validate(buffer, 3, length));
        assertNull(decoder.wrap(buffer, 3, length));
        assertBlock(raw, decoder);
    }

    @Test
    void keepsCompressionOnlyWhereItSaves() {
        PayloadCompressor lz4 = always("lz4");
        byte[] zeros = compose(new SplittableRandom(6), 1000, true);
        int small = encoder.encode(frame, SampleFrame.dataHeader(), block, lz4, checksum);
        assertTrue(small < Frame.DATA_LENGTH + zeros.length);
        assertEquals(Lz4Compressor.CODE, compressorCode());

        byte[] noise = compose(new SplittableRandom(6), 1000, false);
        int large = encoder.encode(frame, SampleFrame.dataHeader(), block, lz4, checksum);
        assertEquals(Frame.DATA_LENGTH + noise.length, large);
        assertEquals(NoCompressor.CODE, compressorCode());
    }

    @Test
    void refusesWhatItWasNotMadeFor() {
        compose(new SplittableRandom(7), 1000, true);
        int length = encoder.encode(frame, SampleFrame.dataHeader(), block, always("lz4"), checksum);

        assertEquals(
                Rejection.UNKNOWN_COMPRESSOR,
                new DataFrameDecoder(ELEMENTS, AcceptedCompressors.named("snappy", "zstd"))
                        .wrap(frame.buffer(), 0, length));
        assertEquals(
                Rejection.BAD_LENGTH,
                new DataFrameDecoder(999, AcceptedCompressors.named("lz4")).wrap(frame.buffer(), 0, length));
        frame.buffer().setMemory(Frame.DATA_LENGTH, length - Frame.DATA_LENGTH, (byte) 0xFF);
        assertEquals(
                Rejection.BAD_COMPRESSION,
                new DataFrameDecoder(ELEMENTS, AcceptedCompressors.named("lz4")).wrap(frame.buffer(), 0, length));
        block.wrap(frame.segment(), 0);
        assertThrows(
                IllegalArgumentException.class,
                () -> encoder.encode(frame, SampleFrame.dataHeader(), block, always("snappy"), checksum));
    }

    private static PayloadCompressor always(String name) {
        return PayloadCompressor.always(BlockCompressors.named(name), SystemNanoClock.INSTANCE);
    }

    @Test
    void opensWhatAnyOfSeveralAcceptedCompressorsMade() {
        DataFrameDecoder decoder = new DataFrameDecoder(ELEMENTS, AcceptedCompressors.named("lz4", "snappy", "zstd"));
        for (String name : new String[] {"none", "lz4", "snappy", "zstd"}) {
            byte[] raw = compose(new SplittableRandom(8), 1000, true);
            int length = encoder.encode(frame, SampleFrame.dataHeader(), block, always(name), checksum);
            assertEquals(BlockCompressors.named(name).code(), compressorCode());
            assertNull(decoder.wrap(frame.buffer(), 0, length));
            assertBlock(raw, decoder);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"none", "lz4", "snappy", "zstd"})
    void everyGoldenBlockIsDecoded(String name) {
        DataFrameDecoder decoder = new DataFrameDecoder(BlockFormat.MAX_ELEMENTS, AcceptedCompressors.named(name));
        FrameBuffer large = FrameBuffer.forDataFrames(BlockFormat.MAX_ELEMENTS);
        DataFrameEncoder any = new DataFrameEncoder(BlockFormat.MAX_ELEMENTS);
        for (GoldenBlock golden : GoldenBlock.all()) {
            int length = any.encode(large, SampleFrame.dataHeader(), golden.copyTo(large), always(name), checksum);

            assertNull(validator.validate(large.buffer(), 0, length), golden.name());
            assertNull(decoder.wrap(large.buffer(), 0, length), golden.name());
            assertBlock(golden.bytes(), decoder);
            assertEquals(golden.format(), decoder.format());
            assertEquals(golden.type(), decoder.valueType());
            assertEquals(golden.count(), decoder.count());
        }
    }

    @Test
    void refusesABlockThatReceiversWouldReject() {
        compose(new SplittableRandom(9), 1000, true);
        assertRefused(new DataFrameEncoder(999), "the block has 1000 elements, expected up to 999");
        block.set(BlockFormat.BITMAP, ValueType.F32_PACKED, 1000, 1000, BlockFormat.maxLength(1000) + 1);
        assertRefused(encoder, "has 4129 bytes, expected up to 4128");
    }

    private void assertRefused(DataFrameEncoder refusing, String reason) {
        IllegalArgumentException refusal = assertThrows(
                IllegalArgumentException.class,
                () -> refusing.encode(frame, SampleFrame.dataHeader(), block, PayloadCompressor.never(), checksum));
        assertTrue(refusal.getMessage().contains(reason), refusal.getMessage());
    }

    /** Puts a dense block of zeros or noise after the root and returns its bytes. */
    private byte[] compose(SplittableRandom random, int elements, boolean zeros) {
        byte[] raw = new byte[elements * Float.BYTES];
        if (!zeros) {
            random.nextBytes(raw);
        }
        MemorySegment.copy(MemorySegment.ofArray(raw), 0, frame.segment(), Frame.DATA_LENGTH, raw.length);
        frame.room(block).set(BlockFormat.DENSE, ValueType.F32, elements, elements, raw.length);
        return raw;
    }

    private static void assertBlock(byte[] raw, DataFrameDecoder decoder) {
        MemorySegment actual = OffHeap.ALL.asSlice(decoder.blockAddress(), decoder.blockLength());
        assertEquals(-1, MemorySegment.ofArray(raw).mismatch(actual));
    }

    private int compressorCode() {
        return frame.buffer().getByte(Frame.HEADER_LENGTH + DataDecoder.compressorEncodingOffset());
    }
}
