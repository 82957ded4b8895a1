package io.sluice.filter.kernel;

/**
 * Marks where runs of set bits begin and end: a bit that differs from the previous one. Both twins use it: it reads
 * the bitmap word by word in the first-level cache.
 */
final class RunMarks {
    private RunMarks() {}

    /** Number of marks; if there are more than {@code most}, any number above it. */
    static int count(long bitmap, int elements, int most) {
        int count = 0;
        long carry = 0;
        for (int start = 0; start < elements && count - 1 <= most; start += Long.SIZE) {
            long word = Memory.getLong(bitmap + start / Byte.SIZE);
            count += Long.bitCount(word ^ (word << 1 | carry));
            carry = word >>> Long.SIZE - 1;
        }
        return count - endsBehindTheSlice(bitmap, elements);
    }

    /** The last word has room for a mark after the slice, where its last run may end. */
    private static int endsBehindTheSlice(long bitmap, int elements) {
        int used = elements % Long.SIZE;
        return used == 0 ? 0 : (int) (Memory.getLong(bitmap + elements / Long.SIZE * (long) Long.BYTES) >>> used - 1);
    }

    /** Writes the marks as a bitmap. */
    static void write(long bitmap, int elements, long marks) {
        long carry = 0;
        for (int start = 0; start < elements; start += Long.SIZE) {
            long word = Memory.getLong(bitmap + start / Byte.SIZE);
            long used = start <= elements - Long.SIZE ? -1 : (1L << elements) - 1;
            Memory.putLong(marks + start / Byte.SIZE, (word ^ (word << 1 | carry)) & used);
            carry = word >>> Long.SIZE - 1;
        }
    }
}
