package io.sluice.codecs;

import static java.nio.ByteOrder.LITTLE_ENDIAN;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.sluice.codecs.sbe.DataDecoder;
import io.sluice.codecs.sbe.DeclarationDecoder;
import io.sluice.codecs.sbe.JoinDecoder;
import io.sluice.codecs.sbe.WelcomeDecoder;
import io.sluice.codecs.spi.BlockFormat;
import java.util.HexFormat;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class FrameValidatorTest {
    private static final GoldenFrame DENSE = GoldenFrame.named("DENSE-F32-three");
    private static final GoldenFrame BITMAP = GoldenFrame.named("BITMAP-F32-three");
    private static final GoldenFrame ROUND_COMMIT = GoldenFrame.named("ROUND_COMMIT");
    private static final GoldenFrame DECLARATION = GoldenFrame.named("DECLARATION");
    private static final GoldenFrame JOIN = GoldenFrame.named("JOIN");
    private static final GoldenFrame WELCOME = GoldenFrame.named("WELCOME");

    /** Bytes of the cluster state at the end of the Welcome. */
    private static final int WELCOME_STATE = 320;

    private static final GoldenFrame ERROR = GoldenFrame.named("ERROR");

    private static final String JOIN_OF_VERSION_2 = "3f000a00c51402008877665544332211a302ebe403000000020001ffffffff08"
            + "070605040302010d0c0b0a000000001e0000000000000014000000000000000a000000000000000e0031302e302e302e32"
            + "3a34303130300600686f73742d6208000500000000000000";
    private static final String ERROR_OF_VERSION_2 = "20000e00c514020088776655443322116043b4f3030000000200060000000807"
            + "06050403020102000b0072c3b46c652074616b656e";

    private final FrameChecksum checksum = new FrameChecksum();
    private final FrameValidator validator = new FrameValidator(SampleFrame.CLUSTER, checksum);
    private final FrameBuffer frame = new FrameBuffer(300_000);
    private final UnsafeBuffer buffer = frame.buffer();

    @ParameterizedTest
    @MethodSource("frames")
    void acceptsSoundFramesAnywhereInABuffer(GoldenFrame golden) {
        int length = golden.copyTo(frame);
        buffer.putBytes(1333, buffer, 0, length);

        assertNull(validator.validate(buffer, 0, length));
        assertNull(validator.validate(buffer, 1333, length));
    }

    @ParameterizedTest
    @MethodSource("frames")
    void refusesEveryTruncationAndAnyExtension(GoldenFrame golden) {
        int length = golden.copyTo(frame);
        for (int cut = 0; cut < length; cut++) {
            assertNotNull(validator.validate(buffer, 0, cut), "cut at " + cut);
            if (cut >= Frame.ENVELOPE_END) {
                checksum.write(buffer, 0, cut);
                assertNotNull(validator.validate(buffer, 0, cut), "cut at " + cut + ", checksum corrected");
            }
        }
        golden.copyTo(frame);
        checksum.write(buffer, 0, length + 1);
        assertEquals(Rejection.BAD_LENGTH, validator.validate(buffer, 0, length + 1));
    }

    @ParameterizedTest
    @MethodSource("frames")
    void refusesEveryFlippedBit(GoldenFrame golden) {
        int length = golden.copyTo(frame);
        for (int bit = 0; bit < length * 8; bit++) {
            byte valid = buffer.getByte(bit / 8);
            buffer.putByte(bit / 8, (byte) (valid ^ 1 << bit % 8));
            assertNotNull(validator.validate(buffer, 0, length), "bit " + bit);
            buffer.putByte(bit / 8, valid);
        }
        assertNull(validator.validate(buffer, 0, length));
    }

    /** Validation of the structure differs from validation in one point: it does not check the checksum. */
    @ParameterizedTest
    @MethodSource("frames")
    void structureIsAllButTheChecksum(GoldenFrame golden) {
        int length = golden.copyTo(frame);
        assertNull(validator.validateStructure(buffer, 0, length));
        for (int bit = 0; bit < length * 8; bit++) {
            byte valid = buffer.getByte(bit / 8);
            int checksumBefore = Frame.checksum(buffer, 0);
            buffer.putByte(bit / 8, (byte) (valid ^ 1 << bit % 8));
            Rejection structure = validator.validateStructure(buffer, 0, length);
            Rejection expected = structure == null ? Rejection.BAD_CHECKSUM : structure;
            assertEquals(expected, validator.validate(buffer, 0, length), "bit " + bit);
            checksum.write(buffer, 0, length);
            assertEquals(structure, validator.validate(buffer, 0, length), "bit " + bit + ", checksum corrected");
            buffer.putByte(bit / 8, valid);
            buffer.putInt(Frame.CHECKSUM_OFFSET, checksumBefore, LITTLE_ENDIAN);
        }
        for (int cut = 0; cut < length; cut++) {
            assertNotNull(validator.validateStructure(buffer, 0, cut), "cut at " + cut);
        }
        assertEquals(Rejection.BAD_LENGTH, validator.validateStructure(buffer, 0, length + 1));
    }

    @Test
    void aFrameThatIsNotVerifiedNeedsNoByteBuffer() {
        int length = DENSE.copyTo(frame);
        UnsafeBuffer bare = new UnsafeBuffer(buffer.addressOffset(), length);

        assertNull(validator.validateStructure(bare, 0, length));
    }

    @Test
    void refusesAPlaceOutsideTheBuffer() {
        int length = DENSE.copyTo(frame);

        assertEquals(Rejection.TRUNCATED, validator.validate(buffer, -1, length));
        assertEquals(Rejection.TRUNCATED, validator.validate(buffer, 0, -1));
        assertEquals(Rejection.TRUNCATED, validator.validate(buffer, buffer.capacity() - 6, length));
        assertEquals(Rejection.TRUNCATED, validator.validate(buffer, Integer.MAX_VALUE, length));
        assertEquals(Rejection.TRUNCATED, validator.validate(buffer, 8, Integer.MAX_VALUE));
    }

    @Test
    void readsJoinAndErrorOfAnyVersion() {
        for (int version : new int[] {0, 1, Frame.SCHEMA_VERSION - 1, Frame.SCHEMA_VERSION + 1, 65_535}) {
            assertNull(afterShort(JOIN, Frame.VERSION_OFFSET, version));
            assertNull(afterShort(ERROR, Frame.VERSION_OFFSET, version));
        }
    }

    /** The layouts of Join and Error never change, so that nodes of different versions can report the difference. */
    @ParameterizedTest
    @ValueSource(strings = {JOIN_OF_VERSION_2, ERROR_OF_VERSION_2})
    void readsJoinAndErrorAsVersionTwoWrote(String hex) {
        byte[] bytes = HexFormat.of().parseHex(hex);
        buffer.putBytes(0, bytes);
        assertNull(validator.validate(buffer, 0, bytes.length));
    }

    @Test
    void namesWhatIsWrongWithTheEnvelope() {
        assertEquals(Rejection.FOREIGN_SCHEMA, afterShort(ROUND_COMMIT, Frame.SCHEMA_ID_OFFSET, 1));
        assertEquals(Rejection.UNSUPPORTED_VERSION, afterShort(ROUND_COMMIT, Frame.VERSION_OFFSET, 1));
        assertEquals(Rejection.UNSUPPORTED_VERSION, afterShort(ROUND_COMMIT, Frame.VERSION_OFFSET, 0));
        assertEquals(Rejection.UNKNOWN_TEMPLATE, afterShort(ROUND_COMMIT, Frame.TEMPLATE_ID_OFFSET, 99));
        assertEquals(Rejection.BAD_LENGTH, afterShort(ROUND_COMMIT, Frame.BLOCK_LENGTH_OFFSET, 39));
        assertEquals(Rejection.FOREIGN_CLUSTER, afterShort(ROUND_COMMIT, Frame.CLUSTER_ID_OFFSET, 1));
        assertEquals(Rejection.BAD_CHECKSUM, withoutChecksum(ROUND_COMMIT, Frame.EPOCH_OFFSET));
    }

    @ParameterizedTest
    @MethodSource("frames")
    void onlyFrozenMessagesOfOtherVersionsAreAccepted(GoldenFrame golden) {
        boolean frozen = golden.name().equals("JOIN") || golden.name().equals("ERROR");
        for (int version : new int[] {0, 1, Frame.SCHEMA_VERSION - 1, Frame.SCHEMA_VERSION + 1, 65_535}) {
            Rejection expected = frozen ? null : Rejection.UNSUPPORTED_VERSION;
            assertEquals(expected, afterShort(golden, Frame.VERSION_OFFSET, version), "version " + version);
        }
    }

    @Test
    void frozenMessagesOfOtherVersionsMustBeSoundToo() {
        int length = JOIN.copyTo(frame);
        buffer.putShort(Frame.VERSION_OFFSET, (short) 1, LITTLE_ENDIAN);
        assertEquals(Rejection.BAD_CHECKSUM, validator.validate(buffer, 0, length));

        buffer.putShort(Frame.BLOCK_LENGTH_OFFSET, (short) (Frame.blockLength(buffer, 0) + 4), LITTLE_ENDIAN);
        checksum.write(buffer, 0, length);
        assertEquals(Rejection.BAD_LENGTH, validator.validate(buffer, 0, length));
    }

    @Test
    void anyClusterIsAcceptedUntilTheOwnIsKnown() {
        FrameValidator anyCluster = new FrameValidator(FrameValidator.ANY_CLUSTER, checksum);
        int length = JOIN.copyTo(frame);
        assertNull(anyCluster.validate(buffer, 0, length));

        anyCluster.clusterId(42);
        assertEquals(Rejection.FOREIGN_CLUSTER, anyCluster.validate(buffer, 0, length));
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
        assertEquals(Rejection.UNKNOWN_FORMAT, afterByte(root + DataDecoder.formatEncodingOffset(), 7));
        assertEquals(Rejection.UNKNOWN_FORMAT, afterByte(root + DataDecoder.formatEncodingOffset(), 0));
        assertEquals(Rejection.UNKNOWN_FORMAT, afterByte(root + DataDecoder.formatEncodingOffset(), 255));
        assertEquals(Rejection.UNKNOWN_VALUE_TYPE, afterByte(root + DataDecoder.valueTypeEncodingOffset(), 0));
        assertEquals(Rejection.UNKNOWN_VALUE_TYPE, afterByte(root + DataDecoder.valueTypeEncodingOffset(), 8));
        assertEquals(Rejection.UNKNOWN_VALUE_TYPE, afterByte(root + DataDecoder.valueTypeEncodingOffset(), 255));
        assertEquals(Rejection.UNKNOWN_COMPRESSOR, afterByte(root + DataDecoder.compressorEncodingOffset(), 4));
        assertEquals(
                Rejection.BAD_LENGTH,
                afterByte(root + DataDecoder.compressorEncodingOffset(), Lz4Compressor.CODE),
                "a compressed payload is shorter than the block");
    }

    @Test
    void countsAreThoseTheFormatAllows() {
        int root = Frame.HEADER_LENGTH;
        GoldenFrame empty = GoldenFrame.named("EMPTY-F32");
        assertEquals(Rejection.BAD_LENGTH, afterInt(empty, root + DataDecoder.countEncodingOffset(), 1));
        assertEquals(Rejection.BAD_LENGTH, afterInt(empty, root + DataDecoder.rawLengthEncodingOffset(), 4));
        assertEquals(Rejection.BAD_LENGTH, afterInt(empty, root + DataDecoder.elementsEncodingOffset(), 0));
        assertNull(afterInt(empty, root + DataDecoder.elementsEncodingOffset(), 65_536));
        for (BlockFormat format : BlockFormat.values()) {
            if (format == BlockFormat.EMPTY || format == BlockFormat.DENSE) {
                continue;
            }
            GoldenFrame three = GoldenFrame.named(format + "-F32-three");
            assertEquals(Rejection.BAD_LENGTH, afterInt(three, root + DataDecoder.countEncodingOffset(), 0));
        }
        assertEquals(Rejection.BAD_LENGTH, afterInt(DENSE, root + DataDecoder.countEncodingOffset(), 2));
        assertEquals(Rejection.BAD_LENGTH, afterInt(DENSE, root + DataDecoder.elementsEncodingOffset(), 4));
    }

    /** The validator does not read the block, so it knows only bounds on the length of packed columns. */
    @ParameterizedTest
    @MethodSource("blocks")
    void rawLengthIsFixedOrWithinBounds(GoldenBlock block) {
        int least = block.format().minLength(block.type(), block.elements(), block.count());
        int most = BlockFormat.maxLength(block.elements());
        boolean packed = block.count() > 0
                && (!block.type().hasFixedLength() || block.format().dependsOnIndices());

        assertNotNull(withBlockLength(block, least - 1));
        assertNull(withBlockLength(block, least));
        assertNull(withBlockLength(block, block.bytes().length));
        assertEquals(Rejection.BAD_LENGTH, withBlockLength(block, most + 1));
        if (least < most) {
            assertEquals(packed ? null : Rejection.BAD_LENGTH, withBlockLength(block, least + 1));
            assertEquals(packed ? null : Rejection.BAD_LENGTH, withBlockLength(block, most));
        }
    }

    @Test
    void aCompressedFrameMayPromiseNoMoreThanTheLongestBlock() {
        int root = Frame.HEADER_LENGTH;
        GoldenFrame packed = GoldenFrame.named("DELTA-BF16_PACKED-curve");
        int most = BlockFormat.maxLength(1000);
        int length = packed.copyTo(frame);
        buffer.putByte(root + DataDecoder.compressorEncodingOffset(), (byte) Lz4Compressor.CODE);
        for (int rawLength : new int[] {most + 1, 1 << 30, Integer.MAX_VALUE, -1, Integer.MIN_VALUE, 0}) {
            buffer.putInt(root + DataDecoder.rawLengthEncodingOffset(), rawLength, LITTLE_ENDIAN);
            checksum.write(buffer, 0, length);
            assertEquals(Rejection.BAD_LENGTH, validator.validate(buffer, 0, length), "rawLength " + rawLength);
        }
        buffer.putInt(root + DataDecoder.rawLengthEncodingOffset(), most, LITTLE_ENDIAN);
        checksum.write(buffer, 0, length);
        assertNull(validator.validate(buffer, 0, length));
    }

    @Test
    void lengthsOfTextsAndStatesStayWithinTheFrame() {
        int nameLength = Frame.HEADER_LENGTH + DeclarationDecoder.BLOCK_LENGTH;
        assertEquals(Rejection.BAD_LENGTH, afterShort(DECLARATION, nameLength, 6));
        assertEquals(Rejection.BAD_LENGTH, afterShort(DECLARATION, nameLength, 8));
        assertEquals(Rejection.BAD_LENGTH, afterShort(DECLARATION, nameLength, 65535));
        assertEquals(Rejection.BAD_LENGTH, afterShort(JOIN, Frame.HEADER_LENGTH + JoinDecoder.BLOCK_LENGTH, 15));
        assertEquals(Rejection.BAD_LENGTH, afterShort(ERROR, Frame.HEADER_LENGTH + 32, 65535));
        int texts = Frame.HEADER_LENGTH + WelcomeDecoder.BLOCK_LENGTH;
        assertEquals(Rejection.BAD_LENGTH, afterShort(WELCOME, texts, 4));
        assertEquals(Rejection.BAD_LENGTH, afterShort(WELCOME, texts, 6));
        assertEquals(Rejection.BAD_LENGTH, afterShort(WELCOME, texts, 65535));
        int state = WELCOME.bytes().length - WELCOME_STATE - Integer.BYTES;
        assertEquals(Rejection.BAD_LENGTH, afterShort(WELCOME, state, WELCOME_STATE - 1));
        assertEquals(Rejection.BAD_LENGTH, afterShort(WELCOME, state, WELCOME_STATE + 1));
        assertEquals(Rejection.BAD_LENGTH, afterShort(WELCOME, state + Short.BYTES, 1));
        assertEquals(Rejection.BAD_LENGTH, afterShort(WELCOME, state + Short.BYTES, 65535));
    }

    /** Sets the lengths of a frame as if its block had that many bytes. */
    private Rejection withBlockLength(GoldenBlock block, int blockLength) {
        buffer.setMemory(0, buffer.capacity(), (byte) 0);
        GoldenFrame.named(block.name()).copyTo(frame);
        int root = Frame.HEADER_LENGTH;
        buffer.putInt(root + DataDecoder.rawLengthEncodingOffset(), blockLength, LITTLE_ENDIAN);
        buffer.putInt(root + DataDecoder.payloadLengthEncodingOffset(), blockLength, LITTLE_ENDIAN);
        int length = Frame.DATA_LENGTH + blockLength;
        checksum.write(buffer, 0, length);
        return validator.validate(buffer, 0, length);
    }

    private static List<GoldenBlock> blocks() {
        return GoldenBlock.all();
    }

    private static List<GoldenFrame> frames() {
        return GoldenFrame.all();
    }

    private Rejection afterShort(GoldenFrame golden, int offset, int value) {
        int length = golden.copyTo(frame);
        buffer.putShort(offset, (short) value, LITTLE_ENDIAN);
        checksum.write(buffer, 0, length);
        return validator.validate(buffer, 0, length);
    }

    private Rejection afterInt(int offset, int value) {
        return afterInt(BITMAP, offset, value);
    }

    private Rejection afterInt(GoldenFrame golden, int offset, int value) {
        int length = golden.copyTo(frame);
        buffer.putInt(offset, value, LITTLE_ENDIAN);
        checksum.write(buffer, 0, length);
        return validator.validate(buffer, 0, length);
    }

    private Rejection afterByte(int offset, int value) {
        int length = BITMAP.copyTo(frame);
        buffer.putByte(offset, (byte) value);
        checksum.write(buffer, 0, length);
        return validator.validate(buffer, 0, length);
    }

    private Rejection withoutChecksum(GoldenFrame golden, int offset) {
        int length = golden.copyTo(frame);
        buffer.putByte(offset, (byte) (buffer.getByte(offset) + 1));
        return validator.validate(buffer, 0, length);
    }
}
