package io.sluice.codecs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.api.ValueType;
import io.sluice.codecs.spi.BlockFormat;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The validator accepts a block only if a decoder can read all of it within its length. */
class BlockValidatorTest {
    private static final int BAD = -1;
    private static final int[] BOUNDARIES = {
        Integer.MIN_VALUE,
        -65_536,
        -1,
        0,
        1,
        31,
        32,
        33,
        64,
        65_535,
        65_536,
        65_537,
        1 << 29,
        1 << 30,
        Integer.MAX_VALUE
    };

    private final FrameBuffer room = new FrameBuffer(1 << 20);
    private final MemorySegment segment = room.segment();

    @ParameterizedTest
    @MethodSource("goldenBlocks")
    void goldenBlocksAreValidAtTheirOwnLengthOnly(GoldenBlock golden) {
        assertTrue(validate(golden, golden.bytes(), 0) >= 0);
        for (int delta = -golden.bytes().length; delta <= 8; delta++) {
            if (delta != 0) {
                assertEquals(BAD, validate(golden, golden.bytes(), delta), "length plus " + delta);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("goldenBlocks")
    void valuesFollowTheIndices(GoldenBlock golden) {
        int expected =
                RiceDeltas.indicesLength(golden.format(), put(golden.bytes()), golden.elements(), golden.count());

        assertEquals(expected, validate(golden, golden.bytes(), 0));
    }

    /** No combination of header fields and block bytes makes the validator fail or read beyond the block. */
    @ParameterizedTest
    @EnumSource
    void anyFieldsAreAcceptedOrRejected(BlockFormat format) {
        for (int fill : new int[] {0, 1, 16, 17, 0x7F, 0x80, 0xFF}) {
            segment.fill((byte) fill);
            for (ValueType type : ValueType.values()) {
                for (int elements : BOUNDARIES) {
                    for (int count : BOUNDARIES) {
                        for (int length : BOUNDARIES) {
                            int readable = Math.min(length, 1 << 20);
                            int indicesLength = validate(readable, format, type, elements, count);
                            assertTrue(indicesLength >= BAD && indicesLength <= Math.max(readable, 0));
                        }
                    }
                }
            }
        }
    }

    @Test
    void denseNeedsEveryElement() {
        assertEquals(0, validate(16, BlockFormat.DENSE, ValueType.F32, 4, 4));
        assertEquals(BAD, validate(12, BlockFormat.DENSE, ValueType.F32, 4, 3));
        assertEquals(BAD, validate(20, BlockFormat.DENSE, ValueType.F32, 4, 5));
    }

    @Test
    void emptyHasNoBytes() {
        for (ValueType type : ValueType.values()) {
            assertEquals(0, validate(0, BlockFormat.EMPTY, type, 70, 0));
            assertEquals(BAD, validate(4, BlockFormat.EMPTY, type, 70, 0));
            assertEquals(BAD, validate(0, BlockFormat.EMPTY, type, 70, 1));
            assertEquals(BAD, validate(0, BlockFormat.INDEX, type, 70, 0));
        }
    }

    @Test
    void theBitmapHasAsManyOnesAsTheCount() {
        putLongs(0b1011, 0b1);

        assertEquals(16, validate(16 + 16, BlockFormat.BITMAP, ValueType.F32, 70, 4));
        assertEquals(BAD, validate(16 + 12, BlockFormat.BITMAP, ValueType.F32, 70, 3));
        assertEquals(BAD, validate(16 + 20, BlockFormat.BITMAP, ValueType.F32, 70, 5));
    }

    @Test
    void theBitmapHasNoOnesAfterTheLastElement() {
        for (int elements = 1; elements <= 64; elements++) {
            putLongs(1L << (elements - 1));
            assertEquals(8, validate(12, BlockFormat.BITMAP, ValueType.F32, elements, 1));
            if (elements > 1) {
                assertEquals(BAD, validate(12, BlockFormat.BITMAP, ValueType.F32, elements - 1, 1));
            }
        }
    }

    @Test
    void indicesAscendWithinTheSlice() {
        assertEquals(8, indices(70, 3, 1, 63, 69, 0));
        assertEquals(4, indices(70, 2, 0, 69));
        assertEquals(4, indices(65536, 2, 0, 65535));
        assertEquals(BAD, indices(69, 3, 1, 63, 69, 0), "beyond the slice");
        assertEquals(BAD, indices(70, 2, 5, 5), "the same index twice");
        assertEquals(BAD, indices(70, 2, 6, 5), "descending");
        assertEquals(BAD, indices(70, 3, 1, 2, 3, 4), "padding is not zero");
    }

    @Test
    void deltasEndWithinTheSlice() {
        GoldenBlock far = golden("DELTA-F32-far");
        assertEquals(BAD, validate(far.bytes().length, far.format(), far.type(), 65_535, far.count()));
        GoldenBlock curve = golden("DELTA-F32-curve");
        int last = curve.indices()[curve.count() - 1];
        put(curve.bytes());
        assertTrue(validate(curve.bytes().length, curve.format(), curve.type(), last + 1, curve.count()) > 0);
        assertEquals(BAD, validate(curve.bytes().length, curve.format(), curve.type(), last, curve.count()));
    }

    /** All remainders have their largest value, so the last index exceeds 16 bits and the slice. */
    @Test
    void deltasDoNotWrapAround() {
        int count = 65_536;
        int words = count / 64;
        int planes = RiceDeltas.planesLength(15, count);
        int indicesLength = RiceDeltas.HEADER_LENGTH + planes + 8 * words;
        segment.asSlice(0, indicesLength).fill((byte) 0xFF);
        segment.set(ValueLayout.JAVA_INT, 0, 15 | words << 16);
        int length = indicesLength + ValueType.LOG8.minLength(count);
        assertEquals(BAD, validate(length, BlockFormat.DELTA, ValueType.LOG8, 65_536, count));

        segment.asSlice(RiceDeltas.HEADER_LENGTH, planes).fill((byte) 0);
        assertEquals(indicesLength, validate(length, BlockFormat.DELTA, ValueType.LOG8, 65_536, count));
        segment.set(ValueLayout.JAVA_BYTE, RiceDeltas.HEADER_LENGTH, (byte) 1);
        assertEquals(BAD, validate(length, BlockFormat.DELTA, ValueType.LOG8, 65_536, count), "one element too far");
    }

    /**
     * The first 69 elements, with remainders of zero: valid for any width up to 15, the largest that a 16-bit delta can
     * use.
     */
    @Test
    void widthsOfDeltasAreAtMostFifteen() {
        for (int width = 0; width < 256; width++) {
            int planes = RiceDeltas.planesLength(width, 69);
            byte[] block = new byte[RiceDeltas.HEADER_LENGTH + planes + 2 * Long.BYTES + 69];
            block[0] = (byte) width;
            block[2] = 2;
            Arrays.fill(block, RiceDeltas.HEADER_LENGTH + planes, RiceDeltas.HEADER_LENGTH + planes + 8, (byte) 0xFF);
            block[RiceDeltas.HEADER_LENGTH + planes + 8] = 0x1F;
            byte[] frame = withZeros(block, block.length, LogScale.HEADER_LENGTH);
            put(frame);
            int indicesLength = validate(frame.length, BlockFormat.DELTA, ValueType.LOG8, 69, 69);
            assertEquals(width <= RiceDeltas.MAX_WIDTH, indicesLength > 0, "width " + width);
        }
    }

    @Test
    void riceQuotientsHaveAOneForEachValueAndNoExtraWord() {
        byte[] valid = golden("DELTA-F32-curve").bytes();
        int unary = RiceDeltas.HEADER_LENGTH + RiceDeltas.planesLength(valid[0], 69);
        int words = valid[2];
        assertEquals(unary + 8 * words, deltasOf(valid.clone()));

        byte[] oneMissing = valid.clone();
        oneMissing[unary] = (byte) (oneMissing[unary] & oneMissing[unary] - 1);
        assertEquals(BAD, deltasOf(oneMissing), "68 ones for 69 values");
        byte[] oneWord = withZeros(valid, unary + 8 * words, 8);
        oneWord[2]++;
        assertEquals(BAD, deltasOf(oneWord), "a word of zeros at the end");
        byte[] noWords = valid.clone();
        noWords[2] = 0;
        assertEquals(BAD, deltasOf(noWords), "no words");
        byte[] tooMany = valid.clone();
        tooMany[3] = (byte) 0xFF;
        assertEquals(BAD, deltasOf(tooMany), "more words than bytes");
        byte[] padding = valid.clone();
        padding[1] = 1;
        assertEquals(BAD, deltasOf(padding), "the byte after the width");
    }

    @Test
    void bitsAfterTheLastDeltaAreZero() {
        byte[] valid = golden("DELTA-F32-curve").bytes();
        int tail = RiceDeltas.HEADER_LENGTH + 2 * BitPlanes.length(valid[0]);
        for (int bit = 5; bit < 8; bit++) {
            byte[] block = valid.clone();
            block[tail] |= (byte) (1 << bit);
            assertEquals(BAD, deltasOf(block), "69 values leave 5 after the groups; bit " + bit);
        }
    }

    /** Length of the indices of a DELTA block with 69 of 1,000 f32 elements, or -1 if the block is invalid. */
    private int deltasOf(byte[] block) {
        put(block);
        return validate(block.length, BlockFormat.DELTA, ValueType.F32, 1000, 69);
    }

    @Test
    void runsHaveAsManyElementsAsThereAreValues() {
        GoldenBlock rows = golden("RUNS-F32-rows");
        int length = rows.bytes().length;
        put(rows.bytes());
        assertTrue(validate(length, rows.format(), rows.type(), rows.elements(), rows.count()) > 0);
        assertEquals(BAD, validate(length + 4, rows.format(), rows.type(), rows.elements(), rows.count() + 1));
        assertEquals(BAD, validate(length - 4, rows.format(), rows.type(), rows.elements(), rows.count() - 1));
        assertEquals(
                BAD,
                validate(length, rows.format(), rows.type(), rows.elements() - 1, rows.count()),
                "the last run reaches the end, which is one element nearer");
        int last = rows.elements() - 16;
        assertEquals(BAD, validate(length, rows.format(), rows.type(), last, rows.count()), "begins at the end");
    }

    /** Elements 1, 63 and 69 of 70 are three runs, the last of which has no second boundary. */
    @Test
    void boundariesAreCountedAndFollowedByZeros() {
        byte[] valid = golden("RUNS-F32-three").bytes();
        assertEquals(5, valid[0], "boundaries");
        assertEquals(valid.length - 12, runsOf(valid));
        for (int count : new int[] {0, 1, 4, 6, 37, 255}) {
            byte[] block = valid.clone();
            block[0] = (byte) count;
            assertEquals(BAD, runsOf(block), count + " boundaries");
        }
        for (int at = 1; at < 4; at++) {
            byte[] block = valid.clone();
            block[at] = 1;
            assertEquals(BAD, runsOf(block), "header byte " + at);
        }
        byte[] width = valid.clone();
        width[4] = RiceDeltas.MAX_WIDTH + 1;
        assertEquals(BAD, runsOf(width));
    }

    /** Length of the index column of a RUNS block of 3 f32 of 70 elements, or -1. */
    private int runsOf(byte[] block) {
        put(block);
        return validate(block.length, BlockFormat.RUNS, ValueType.F32, 70, 3);
    }

    /** Like {@link #deltasDoNotWrapAround}, with the most boundaries that a column can have. */
    @Test
    void boundariesDoNotWrapAround() {
        int boundaries = RunBoundaries.MOST;
        int words = (boundaries + 63) / 64;
        int planes = RiceDeltas.planesLength(15, boundaries);
        int indicesLength = RunBoundaries.HEADER_LENGTH + RiceDeltas.HEADER_LENGTH + planes + 8 * words;
        segment.asSlice(0, indicesLength).fill((byte) 0xFF);
        segment.set(ValueLayout.JAVA_INT, 0, boundaries);
        segment.set(ValueLayout.JAVA_INT, RunBoundaries.HEADER_LENGTH, 15 | words << 16);
        segment.set(ValueLayout.JAVA_BYTE, indicesLength - 1, (byte) 0x7F);
        int count = 32_768;
        int length = indicesLength + ValueType.LOG8.minLength(count);
        assertEquals(BAD, validate(length, BlockFormat.RUNS, ValueType.LOG8, 65_536, count));

        segment.asSlice(RunBoundaries.HEADER_LENGTH + RiceDeltas.HEADER_LENGTH, planes)
                .fill((byte) 0);
        // Every second element, and the last two of 65,536.
        assertEquals(BAD, validate(length, BlockFormat.RUNS, ValueType.LOG8, 65_536, count));
        length = indicesLength + ValueType.LOG8.minLength(count + 1);
        assertEquals(indicesLength, validate(length, BlockFormat.RUNS, ValueType.LOG8, 65_536, count + 1));
    }

    @Test
    void widthsOfExponentsAreAtMostEight() {
        for (ValueType type : new ValueType[] {ValueType.F32_PACKED, ValueType.BF16_PACKED}) {
            byte[] valid = golden("DENSE-" + type + "-curve").bytes();
            int width = valid[1];
            int firstEnd = PackedExponents.HEADER_LENGTH + BitPlanes.length(width);
            int secondEnd = firstEnd + BitPlanes.length(width);
            for (int wider = width; wider < 256; wider++) {
                int zeros = BitPlanes.length(wider - width);
                byte[] block = withZeros(withZeros(valid, secondEnd, zeros), firstEnd, zeros);
                block[1] = (byte) wider;
                put(block);
                int indicesLength = validate(block.length, BlockFormat.DENSE, type, 69, 69);
                assertEquals(wider <= PackedExponents.MAX_WIDTH ? 0 : BAD, indicesLength, "width " + wider);
            }
        }
    }

    private static byte[] withZeros(byte[] bytes, int at, int zeros) {
        byte[] longer = new byte[bytes.length + zeros];
        System.arraycopy(bytes, 0, longer, 0, at);
        System.arraycopy(bytes, at, longer, at + zeros, bytes.length - at);
        return longer;
    }

    @Test
    void paddingIsZero() {
        GoldenBlock curve = golden("DELTA-F32_PACKED-curve");
        int indicesLength = validate(curve, curve.bytes(), 0);
        for (int at : new int[] {1, 31, indicesLength + 2, indicesLength + 3}) {
            assertEquals(0, curve.bytes()[at], "padding at " + at);
            for (int bit = 0; bit < 8; bit++) {
                byte[] bytes = curve.bytes().clone();
                bytes[at] = (byte) (1 << bit);
                assertEquals(BAD, validate(curve, bytes, 0), "padding at " + at);
            }
        }
    }

    private static GoldenBlock[] goldenBlocks() {
        return GoldenBlock.all().toArray(GoldenBlock[]::new);
    }

    private static GoldenBlock golden(String name) {
        return Arrays.stream(goldenBlocks())
                .filter(block -> block.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private int indices(int elements, int count, int... columns) {
        for (int i = 0; i < columns.length; i++) {
            segment.set(ValueLayout.JAVA_SHORT_UNALIGNED, 2L * i, (short) columns[i]);
        }
        int length = columns.length * Short.BYTES + ValueType.F32.minLength(count);
        return validate(length, BlockFormat.INDEX, ValueType.F32, elements, count);
    }

    private void putLongs(long... words) {
        ByteBuffer bytes = ByteBuffer.allocate(words.length * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        bytes.asLongBuffer().put(words);
        put(bytes.array());
    }

    private long put(byte[] bytes) {
        MemorySegment.copy(MemorySegment.ofArray(bytes), 0, segment, 0, bytes.length);
        return segment.address();
    }

    private int validate(GoldenBlock golden, byte[] bytes, int delta) {
        put(bytes);
        return validate(bytes.length + delta, golden.format(), golden.type(), golden.elements(), golden.count());
    }

    private int validate(int length, BlockFormat format, ValueType type, int elements, int count) {
        return BlockValidator.validate(segment.address(), length, format, type, elements, count);
    }
}
