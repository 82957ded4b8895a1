package io.sluice.codecs;

import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;
import static java.nio.ByteOrder.LITTLE_ENDIAN;

import io.sluice.codecs.api.ValueType;
import io.sluice.codecs.spi.BlockFormat;
import java.lang.foreign.ValueLayout;

/**
 * Checks the columns of a block against the counts of its frame, so that applying the block cannot read outside its
 * values or write outside its target. It reads the whole index column first.
 *
 * <p>The values themselves are not checked, since any bit pattern is a float, except those of {@link
 * ValueType#LEVELS}, which are finite.
 */
public final class BlockValidator {
    private static final ValueLayout.OfLong WORD = JAVA_LONG_UNALIGNED.withOrder(LITTLE_ENDIAN);
    private static final ValueLayout.OfShort INDEX = JAVA_SHORT_UNALIGNED.withOrder(LITTLE_ENDIAN);

    private BlockValidator() {}

    /**
     * Validates a block. Reads nothing outside the block, for any bytes and counts: a part of a column is read
     * only after the block is known to be long enough for it.
     *
     * @param address address of its first byte
     * @param length length of the block; as many bytes are readable
     * @param format format of its indices
     * @param values type of its values
     * @param elements elements of the slice
     * @param count number of values
     * @return bytes of the index column, which is the offset of the values; -1 if the block is not valid
     */
    public static int validate(
            long address, int length, BlockFormat format, ValueType values, int elements, int count) {
        if (!format.permits(elements, count) || length < format.minLength(values, elements, count)) {
            return -1;
        }
        int indicesLength = RiceDeltas.indicesLength(format, address, elements, count);
        if (indicesLength < 0 || indicesLength > length - values.minLength(count)) {
            return -1;
        }
        boolean valid = valuesFit(address + indicesLength, length - indicesLength, values, count)
                && indicesAreSound(address, indicesLength, format, elements, count);
        return valid ? indicesLength : -1;
    }

    private static boolean valuesFit(long address, int length, ValueType values, int count) {
        if (values.hasFixedLength() || count == 0) {
            return values.minLength(count) == length;
        }
        boolean isLevels = values == ValueType.LEVELS;
        boolean headerIsSound = isLevels ? Levels.headerIsSound(address) : PackedExponents.headerIsSound(address);
        return headerIsSound
                && values.length(address, count) == length
                && !(isLevels && !Levels.isValid(address, count));
    }

    private static boolean indicesAreSound(
            long address, int indicesLength, BlockFormat format, int elements, int count) {
        return switch (format) {
            case EMPTY, DENSE -> true;
            case BITMAP -> bitmapIsSound(address, elements, count);
            case INDEX -> indicesAreSound(address, elements, count);
            case DELTA -> RiceDeltas.isValid(address, elements, count);
            case RUNS -> RunBoundaries.isValid(address, elements, count);
        };
    }

    private static boolean bitmapIsSound(long address, int elements, int count) {
        int words = BlockFormat.bitmapLength(elements) / Long.BYTES;
        int population = 0;
        for (int i = 0; i < words; i++) {
            population += Long.bitCount(OffHeap.ALL.get(WORD, address + (long) i * Long.BYTES));
        }
        long last = OffHeap.ALL.get(WORD, address + (long) (words - 1) * Long.BYTES);
        int used = elements - (words - 1) * BlockFormat.WORD_BITS;
        boolean tailIsZero = used == BlockFormat.WORD_BITS || last >>> used == 0;
        return population == count && tailIsZero;
    }

    private static boolean indicesAreSound(long address, int elements, int count) {
        int previous = -1;
        boolean ascending = true;
        for (int i = 0; i < count; i++) {
            int index = OffHeap.ALL.get(INDEX, address + (long) i * Short.BYTES) & 0xFFFF;
            ascending &= index > previous;
            previous = index;
        }
        boolean paddingIsZero = (count & 1) == 0 || OffHeap.ALL.get(INDEX, address + (long) count * Short.BYTES) == 0;
        return ascending && previous < elements && paddingIsZero;
    }
}
