package io.sluice.codecs;

import static java.nio.ByteOrder.LITTLE_ENDIAN;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.sluice.codecs.sbe.DataDecoder;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class FrameValidatorTest {
    private final FrameChecksum checksum = new FrameChecksum();
    private final FrameValidator validator = new FrameValidator(SampleFrame.CLUSTER, checksum);
    private final FrameBuffer frame = new FrameBuffer(1024);
    private final UnsafeBuffer buffer = frame.buffer();

    @ParameterizedTest
    @EnumSource
    void acceptsSoundFramesAnywhereInABuffer(SampleFrame sample) {
        int length = sample.encode(frame);
        buffer.putBytes(333, buffer, 0, length);

        assertNull(validator.validate(buffer, 0, length));
        assertNull(validator.validate(buffer, 333, length));
    }

    @ParameterizedTest
    @EnumSource
    void refusesEveryTruncationAndAnyExtension(SampleFrame sample) {
        int length = sample.encode(frame);
        for (int cut = 0; cut < length; cut++) {
            assertNotNull(validator.validate(buffer, 0, cut), "cut at " + cut);
            if (cut >= Frame.ENVELOPE_END) {
                checksum.seal(buffer, 0, cut);
                assertNotNull(validator.validate(buffer, 0, cut), "cut at " + cut + ", checksum made anew");
            }
        }
        sample.encode(frame);
        checksum.seal(buffer, 0, length + 1);
        assertEquals(Rejection.BAD_LENGTH, validator.validate(buffer, 0, length + 1));
    }

    @ParameterizedTest
    @EnumSource
    void refusesEveryFlippedBit(SampleFrame sample) {
        int length = sample.encode(frame);
        for (int bit = 0; bit < length * 8; bit++) {
            byte sound = buffer.getByte(bit / 8);
            buffer.putByte(bit / 8, (byte) (sound ^ 1 << bit % 8));
            assertNotNull(validator.validate(buffer, 0, length), "bit " + bit);
            buffer.putByte(bit / 8, sound);
        }
        assertNull(validator.validate(buffer, 0, length));
    }

    @Test
    void refusesAPlaceOutsideTheBuffer() {
        int length = SampleFrame.DATA_DENSE.encode(frame);

        assertEquals(Rejection.TRUNCATED, validator.validate(buffer, -1, length));
        assertEquals(Rejection.TRUNCATED, validator.validate(buffer, 0, -1));
        assertEquals(Rejection.TRUNCATED, validator.validate(buffer, 1000, length));
        assertEquals(Rejection.TRUNCATED, validator.validate(buffer, Integer.MAX_VALUE, length));
        assertEquals(Rejection.TRUNCATED, validator.validate(buffer, 8, Integer.MAX_VALUE));
    }

    @Test
    void readsJoinAndErrorOfAnyVersion() {
        for (int version : new int[] {0, 2, 65_535}) {
            assertNull(afterShort(SampleFrame.JOIN, Frame.VERSION_OFFSET, version));
            assertNull(afterShort(SampleFrame.ERROR, Frame.VERSION_OFFSET, version));
        }
    }

    @Test
    void namesWhatIsWrongWithTheEnvelope() {
        assertEquals(Rejection.FOREIGN_SCHEMA, afterShort(SampleFrame.MARK, Frame.SCHEMA_ID_OFFSET, 1));
        assertEquals(Rejection.UNSUPPORTED_VERSION, afterShort(SampleFrame.MARK, Frame.VERSION_OFFSET, 2));
        assertEquals(Rejection.UNSUPPORTED_VERSION, afterShort(SampleFrame.MARK, Frame.VERSION_OFFSET, 0));
        assertEquals(Rejection.UNKNOWN_TEMPLATE, afterShort(SampleFrame.MARK, Frame.TEMPLATE_ID_OFFSET, 99));
        assertEquals(Rejection.BAD_LENGTH, afterShort(SampleFrame.MARK, Frame.BLOCK_LENGTH_OFFSET, 37));
        assertEquals(Rejection.FOREIGN_CLUSTER, afterShort(SampleFrame.MARK, Frame.CLUSTER_ID_OFFSET, 1));
        assertEquals(Rejection.BAD_CHECKSUM, unsealed(SampleFrame.MARK, Frame.EPOCH_OFFSET));
    }

    @ParameterizedTest
    @EnumSource
    void onlyFrozenMessagesOfOtherVersionsAreAccepted(SampleFrame sample) {
        boolean frozen = sample == SampleFrame.JOIN || sample == SampleFrame.ERROR;
        for (int version : new int[] {0, 2, 65_535}) {
            Rejection expected = frozen ? null : Rejection.UNSUPPORTED_VERSION;
            assertEquals(expected, afterShort(sample, Frame.VERSION_OFFSET, version), "version " + version);
        }
    }

    @Test
    void frozenMessagesOfOtherVersionsMustBeSoundToo() {
        int length = SampleFrame.JOIN.encode(frame);
        buffer.putShort(Frame.VERSION_OFFSET, (short) 2, LITTLE_ENDIAN);
        assertEquals(Rejection.BAD_CHECKSUM, validator.validate(buffer, 0, length));

        buffer.putShort(Frame.BLOCK_LENGTH_OFFSET, (short) (Frame.blockLength(buffer, 0) + 4), LITTLE_ENDIAN);
        checksum.seal(buffer, 0, length);
        assertEquals(Rejection.BAD_LENGTH, validator.validate(buffer, 0, length));
    }

    @Test
    void anyClusterIsAcceptedUntilTheOwnIsKnown() {
        FrameValidator stranger = new FrameValidator(FrameValidator.ANY_CLUSTER, checksum);
        int length = SampleFrame.JOIN.encode(frame);
        assertNull(stranger.validate(buffer, 0, length));

        stranger.clusterId(42);
        assertEquals(Rejection.FOREIGN_CLUSTER, stranger.validate(buffer, 0, length));
    }

    @Test
    void namesWhatIsWrongWithADataFrame() {
        int root = Frame.HEADER_LENGTH;
        assertEquals(Rejection.BAD_LENGTH, afterInt(root + DataDecoder.sliceEncodingOffset(), -1));
        assertEquals(Rejection.BAD_LENGTH, afterInt(root + DataDecoder.clockEncodingOffset() + 4, -1));
        assertEquals(Rejection.BAD_LENGTH, afterInt(root + DataDecoder.sequenceEncodingOffset(), -1));
        assertEquals(Rejection.BAD_LENGTH, afterInt(root + DataDecoder.elementsEncodingOffset(), 0));
        assertEquals(Rejection.BAD_LENGTH, afterInt(root + DataDecoder.elementsEncodingOffset(), 2));
        assertEquals(Rejection.BAD_LENGTH, afterInt(root + DataDecoder.elementsEncodingOffset(), 65537));
        assertEquals(Rejection.BAD_LENGTH, afterInt(root + DataDecoder.countEncodingOffset(), -1));
        assertEquals(Rejection.BAD_LENGTH, afterInt(root + DataDecoder.countEncodingOffset(), 4));
        assertEquals(Rejection.BAD_LENGTH, afterInt(root + DataDecoder.rawLengthEncodingOffset(), 27));
        assertEquals(Rejection.BAD_LENGTH, afterInt(root + DataDecoder.rawLengthEncodingOffset(), -28));
        assertEquals(Rejection.BAD_LENGTH, afterInt(root + DataDecoder.payloadLengthEncodingOffset(), 27));
        assertEquals(Rejection.UNKNOWN_FORMAT, afterByte(root + DataDecoder.formatEncodingOffset(), 4));
        assertEquals(Rejection.UNKNOWN_VALUE_TYPE, afterByte(root + DataDecoder.valueTypeEncodingOffset(), 0));
        assertEquals(Rejection.UNKNOWN_COMPRESSOR, afterByte(root + DataDecoder.compressorEncodingOffset(), 3));
        assertEquals(
                Rejection.BAD_LENGTH,
                afterByte(root + DataDecoder.compressorEncodingOffset(), Lz4Compressor.CODE),
                "a compressed payload is shorter than the block");
    }

    @Test
    void textAndGroupLengthsStayWithinTheFrame() {
        int nameLength = Frame.HEADER_LENGTH + 34;
        assertEquals(Rejection.BAD_LENGTH, afterShort(SampleFrame.DECLARATION, nameLength, 6));
        assertEquals(Rejection.BAD_LENGTH, afterShort(SampleFrame.DECLARATION, nameLength, 8));
        assertEquals(Rejection.BAD_LENGTH, afterShort(SampleFrame.DECLARATION, nameLength, 65535));
        assertEquals(Rejection.BAD_LENGTH, afterShort(SampleFrame.JOIN, Frame.HEADER_LENGTH + 31, 15));
        assertEquals(Rejection.BAD_LENGTH, afterShort(SampleFrame.ERROR, Frame.HEADER_LENGTH + 32, 65535));
        int group = Frame.HEADER_LENGTH + 57;
        assertEquals(Rejection.BAD_LENGTH, afterShort(SampleFrame.WELCOME, group, 3));
        assertEquals(Rejection.BAD_LENGTH, afterShort(SampleFrame.WELCOME, group + 2, 1));
        assertEquals(Rejection.BAD_LENGTH, afterShort(SampleFrame.WELCOME, group + 2, 3));
        assertEquals(Rejection.BAD_LENGTH, afterShort(SampleFrame.WELCOME, group + 2, 65535));
        assertEquals(Rejection.BAD_LENGTH, afterShort(SampleFrame.WELCOME, group + 6, 4));
    }

    private Rejection afterShort(SampleFrame sample, int offset, int value) {
        int length = sample.encode(frame);
        buffer.putShort(offset, (short) value, LITTLE_ENDIAN);
        checksum.seal(buffer, 0, length);
        return validator.validate(buffer, 0, length);
    }

    private Rejection afterInt(int offset, int value) {
        int length = SampleFrame.DATA_BITMAP.encode(frame);
        buffer.putInt(offset, value, LITTLE_ENDIAN);
        checksum.seal(buffer, 0, length);
        return validator.validate(buffer, 0, length);
    }

    private Rejection afterByte(int offset, int value) {
        int length = SampleFrame.DATA_BITMAP.encode(frame);
        buffer.putByte(offset, (byte) value);
        checksum.seal(buffer, 0, length);
        return validator.validate(buffer, 0, length);
    }

    private Rejection unsealed(SampleFrame sample, int offset) {
        int length = sample.encode(frame);
        buffer.putByte(offset, (byte) (buffer.getByte(offset) + 1));
        return validator.validate(buffer, 0, length);
    }
}
