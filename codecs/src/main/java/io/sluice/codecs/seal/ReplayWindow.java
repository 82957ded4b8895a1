package io.sluice.codecs.seal;

/**
 * The counters of a lane that were received lately: a ring of bits, as in RFC 6479. Counters older than the window
 * count as received.
 *
 * <p>For one thread.
 */
final class ReplayWindow {
    /** Maximum distance from the greatest counter at which a counter can be distinguished from a repeat. */
    static final int SIZE = 1_024;

    private static final int WORDS = SIZE / Long.SIZE;

    /**
     * The bits, in twice as many words as the window has, so that a word is cleared only when all its counters are too
     * old. Their number is a power of two.
     */
    private final long[] bits = new long[2 * WORDS];

    private long highest;

    /** Whether a counter was entered before or is older than the window. Counters start with 1. */
    boolean isSeen(long counter) {
        if (counter > highest) {
            return false;
        }
        return counter <= 0
                || counter <= highest - SIZE
                || (bits[wordOf(counter)] & 1L << (counter & Long.SIZE - 1)) != 0;
    }

    /** Enters the counter of an authentic frame, which was not received before. */
    void enter(long counter) {
        long word = counter / Long.SIZE;
        long last = highest / Long.SIZE;
        if (word > last) {
            long toClear = Math.min(word - last, bits.length);
            for (long i = 0; i < toClear; i++) {
                bits[(int) ((word - i) & bits.length - 1)] = 0;
            }
        }
        highest = Math.max(highest, counter);
        bits[wordOf(counter)] |= 1L << (counter & Long.SIZE - 1);
    }

    private int wordOf(long counter) {
        return (int) (counter / Long.SIZE & bits.length - 1);
    }
}
