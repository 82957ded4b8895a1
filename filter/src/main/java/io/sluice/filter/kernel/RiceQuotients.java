package io.sluice.filter.kernel;

import static io.sluice.filter.kernel.Memory.u16;

/**
 * Writes the quotients of deltas in unary: for a quotient h, h zeros and a one. Both twins use it: it takes four
 * numbers at a time in a 64-bit register, and a wider register would not help.
 */
final class RiceQuotients {
    private static final int LANES = Long.SIZE / Short.SIZE;

    /** One in each lane of 16 bits: multiplication by it writes a running sum into each lane. */
    private static final long ONES = 0x0001_0001_0001_0001L;

    /** Lane i holds the number i. */
    private static final long PLACES = 0x0003_0002_0001_0000L;

    private static final long BEYOND_32_BITS = 0xFFE0_FFE0_FFE0_FFE0L;

    private RiceQuotients() {}

    /**
     * Writes all quotients.
     *
     * @param deltas address of the first u16; 8 bytes after the last are readable
     * @param count number of deltas, 1 or more
     * @param width width of the lower parts, which are left out
     * @param unary address to write to; 8 bytes after the output are scratch space
     * @return number of u64 words written
     */
    static int pack(long deltas, int count, int width, long unary) {
        long lanes = (0xFFFFL >>> width) * ONES;
        long word = 0; // holds fewer than 32 bits, to which the next bits are appended
        int bits = 0;
        long at = unary;
        int k = 0;
        while (k < count) {
            long parts = Memory.getLong(deltas + u16(k)) >>> width & lanes;
            long ones = parts * ONES + PLACES;
            if (k <= count - LANES && ((parts | ones) & BEYOND_32_BITS) == 0) {
                int last = (int) (ones >>> 48);
                word |= (1L << ones | 1L << (ones >>> 16) | 1L << (ones >>> 32) | 1L << last) << bits;
                bits += last + 1;
                k += LANES;
            } else {
                for (bits += (int) (parts & 0xFFFF); bits >= Integer.SIZE; bits -= Integer.SIZE) {
                    Memory.putInt(at, (int) word);
                    word >>>= Integer.SIZE;
                    at += Integer.BYTES;
                }
                word |= 1L << bits++;
                k++;
            }
            Memory.putInt(at, (int) word);
            int full = bits & Integer.SIZE;
            at += full / Byte.SIZE;
            word >>>= full;
            bits -= full;
        }
        return finish(unary, at, word, bits);
    }

    /** Writes the remaining bits, pads with zeros to whole u64 words, and returns the number of words. */
    private static int finish(long unary, long at, long word, int bits) {
        Memory.putLong(at, word);
        long length = at - unary + (bits + Byte.SIZE - 1) / Byte.SIZE;
        int words = (int) ((length + Long.BYTES - 1) / Long.BYTES);
        long written = at + Long.BYTES;
        Memory.zero(written, unary + (long) words * Long.BYTES - written);
        return words;
    }
}
