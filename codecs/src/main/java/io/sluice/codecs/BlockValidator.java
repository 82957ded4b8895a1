package io.sluice.codecs;

import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;
import static java.nio.ByteOrder.LITTLE_ENDIAN;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Checks the places column of a block against the counts of its frame, so that whoever applies the block can't be led
 * outside its values or its target. It reads the whole column before anything is applied.
 *
 * <p>The values are not looked at: any bit pattern is a float.
 */
public final class BlockValidator {
    private static final ValueLayout.OfLong WORD = JAVA_LONG_UNALIGNED.withOrder(LITTLE_ENDIAN);
    private static final ValueLayout.OfShort INDEX = JAVA_SHORT_UNALIGNED.withOrder(LITTLE_ENDIAN);

    private BlockValidator() {}

    /**
     * Judges a block of {@code format.length(elements, count)} readable bytes.
     *
     * @param segment holding the block
     * @param offset of its first byte
     * @param format of the block
     * @param elements of the slice, 1 to {@link BlockFormat#MAX_ELEMENTS}
     * @param count of values, 0 to {@code elements}
     * @return {@code null} if sound, else {@link Rejection#BAD_BLOCK}
     */
    public static Rejection validate(MemorySegment segment, long offset, BlockFormat format, int elements, int count) {
        boolean sound = switch (format) {
            case DENSE -> count == elements;
            case BITMAP -> bitmapIsSound(segment, offset, elements, count);
            case INDEX -> indicesAreSound(segment, offset, elements, count);
        };
        return sound ? null : Rejection.BAD_BLOCK;
    }

    private static boolean bitmapIsSound(MemorySegment segment, long offset, int elements, int count) {
        int words = BlockFormat.bitmapLength(elements) / Long.BYTES;
        int population = 0;
        for (int i = 0; i < words; i++) {
            population += Long.bitCount(segment.get(WORD, offset + (long) i * Long.BYTES));
        }
        long last = segment.get(WORD, offset + (long) (words - 1) * Long.BYTES);
        int used = elements - (words - 1) * BlockFormat.WORD_BITS;
        boolean tailIsZero = used == BlockFormat.WORD_BITS || last >>> used == 0;
        return population == count && tailIsZero;
    }

    private static boolean indicesAreSound(MemorySegment segment, long offset, int elements, int count) {
        int previous = -1;
        for (int i = 0; i < count; i++) {
            int index = segment.get(INDEX, offset + (long) i * Short.BYTES) & 0xFFFF;
            if (index <= previous) {
                return false;
            }
            previous = index;
        }
        boolean paddingIsZero = (count & 1) == 0 || segment.get(INDEX, offset + (long) count * Short.BYTES) == 0;
        return previous < elements && paddingIsZero;
    }
}
