package io.sluice.codecs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.api.ValueType;
import io.sluice.codecs.spi.BlockFormat;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a receiver refuses in columns of LEVELS: anything that is not finite, or longer or shorter than it states. */
class LevelsTest {
    private static final int SCALE = Levels.HEADER_LENGTH;

    private final MemorySegment column = OffHeap.allocate(BlockFormat.maxLength(BlockFormat.MAX_ELEMENTS));

    @ParameterizedTest
    @CsvSource({"1, 1", "2, 2", "2, 8", "3, 2"})
    void soundColumns(int kind, int width) {
        for (int count : new int[] {1, 5, 31, 32, 33, 159, 160, 161, 1_000, BlockFormat.MAX_ELEMENTS}) {
            for (int group : new int[] {0, 32, 1_024, 65_504}) {
                int length = zeros(kind, width, group, count);
                boolean fits = length <= BlockFormat.maxLength(count);
                assertTrue(fits || count == 1, "only a slice of one element is shorter as f32");
                assertEquals(0, validate(length, count), kind + " " + count);
                assertEquals(-1, validate(length + 1, count));
                assertEquals(-1, validate(length - 1, count));
                assertTrue(length >= ValueType.LEVELS.minLength(count));
            }
        }
    }

    /** Each pair of kind and width, and each group. */
    @Test
    void headers() {
        int count = 320;
        for (int kind = 0; kind < 256; kind++) {
            for (int width = 0; width < 256; width++) {
                boolean valid = kind == Levels.TWO_VALUED && width == 1
                        || kind == Levels.SIGNED && width >= 2 && width <= 8
                        || kind == Levels.TERNARY && width == 2;
                int length = zeros(kind, width, 0, count);
                assertEquals(valid ? 0 : -1, validate(length, count), kind + " of width " + width);
            }
        }
        for (int group = 0; group <= 0xFFFF; group++) {
            int length = zeros(Levels.TERNARY, 2, group, count);
            assertEquals(group % 32 == 0 ? 0 : -1, validate(length, count), "group " + group);
        }
    }

    @ParameterizedTest
    @ValueSource(floats = {Float.NaN, Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY})
    void scalesAreFinite(float scale) {
        assertEquals(-1, withScale(Levels.TWO_VALUED, 1, 0, scale));
        assertEquals(-1, withScale(Levels.TWO_VALUED, 1, 3, scale));
        assertEquals(-1, withScale(Levels.SIGNED, 2, 1, scale));
        assertEquals(-1, withScale(Levels.TERNARY, 2, 1, scale));
    }

    /** The least signed number of width 2 is -2. */
    @Test
    void noProductOverflows() {
        assertEquals(0, withScale(Levels.TWO_VALUED, 1, 1, -Float.MAX_VALUE));
        assertEquals(0, withScale(Levels.TERNARY, 2, 1, Float.MAX_VALUE));
        assertEquals(-1, withScale(Levels.TERNARY, 2, 1, -1));
        assertEquals(0, withScale(Levels.SIGNED, 2, 1, Levels.GREATEST_SCALE));
        assertEquals(-1, withScale(Levels.SIGNED, 2, 1, Math.nextUp(Levels.GREATEST_SCALE)));
        assertEquals(-1, withScale(Levels.SIGNED, 8, 1, -1));
    }

    /** Bits that no value has would let two blocks stand for the same values. */
    @Test
    void bitsWithoutAValueAreZero() {
        for (int count = 1; count <= 64; count++) {
            for (int kind = Levels.TWO_VALUED; kind <= Levels.SIGNED; kind++) {
                int width = kind == Levels.TWO_VALUED ? 1 : 3;
                int length = zeros(kind, width, 0, count);
                int numbers = Levels.numbersOffset(kind, 0, count);
                int bits = 0;
                for (int bit = 0; bit < Byte.SIZE * (length - numbers); bit++) {
                    put(numbers + bit / Byte.SIZE, 1 << bit % Byte.SIZE);
                    bits += validate(length, count) == 0 ? 1 : 0;
                    put(numbers + bit / Byte.SIZE, 0);
                }
                assertEquals(count * width, bits, "bits of " + count + " numbers");
            }
        }
    }

    @Test
    void fiveDigitsToTheBaseThreeAreAByte() {
        for (int count : new int[] {1, 2, 3, 4, 5, 38, 160, 163}) {
            int length = zeros(Levels.TERNARY, 2, 0, count);
            int numbers = Levels.numbersOffset(Levels.TERNARY, 0, count);
            for (int at = numbers; at < length; at++) {
                int digits = at < length - 1 || count % 5 == 0 ? 5 : count % 5;
                for (int value = 0; value < 256; value++) {
                    put(at, value);
                    boolean valid = value < Math.pow(3, digits);
                    assertEquals(valid ? 0 : -1, validate(length, count), value + " at " + at + " of " + count);
                }
                put(at, 0);
            }
        }
    }

    @Test
    void noClusterChoosesLevels() {
        String message = assertThrows(IllegalArgumentException.class, () -> ValueType.named("levels"))
                .getMessage();
        assertTrue(message.contains("levels"), message);
        assertEquals(ValueType.values().length - 1, ValueType.choices().size());
    }

    private int withScale(int kind, int width, int scale, float value) {
        int count = 64;
        int length = zeros(kind, width, 32, count);
        column.set(ValueLayout.JAVA_FLOAT, SCALE + (long) scale * Float.BYTES, value);
        return validate(length, count);
    }

    /** Writes a column of zeros, and returns its length. */
    private int zeros(int kind, int width, int group, int count) {
        int length = Levels.length(kind, width, group, count);
        column.asSlice(0, length).fill((byte) 0);
        Levels.write(column.address(), kind, width, group);
        return length;
    }

    private void put(int at, int value) {
        column.set(ValueLayout.JAVA_BYTE, at, (byte) value);
    }

    private int validate(int length, int count) {
        return BlockValidator.validate(column.address(), length, BlockFormat.DENSE, ValueType.LEVELS, count, count);
    }
}
