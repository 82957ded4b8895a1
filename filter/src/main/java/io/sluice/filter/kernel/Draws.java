package io.sluice.filter.kernel;

/**
 * Random numbers without a state: a hash of a key and a counter, so that twins, threads and restarted nodes draw the
 * same numbers. The hash is the finaliser {@code lowbias32} in its variant of three multiplications, which has the
 * key's halves between its steps. It is for rounding, not for secrets.
 */
public final class Draws {
    static final int STEP = 0x9E3779B1;
    static final int FIRST = 0x21F0AAAD;
    static final int SECOND = 0x735A2D97;

    /** Number of random bits of a draw: as many as a float can represent exactly. */
    static final int BITS = 24;

    /** Factor that turns a share of 1 into a number of draws. */
    static final float ALL = 1 << BITS;

    private Draws() {}

    /**
     * Mixes one more number into a key (the finaliser of SplitMix64).
     *
     * @param key  key so far
     * @param more number to mix into the key
     * @return the new key
     */
    public static long mix(long key, long more) {
        long z = key * 0x9E3779B97F4A7C15L + more;
        z = (z ^ z >>> 30) * 0xBF58476D1CE4E5B9L;
        z = (z ^ z >>> 27) * 0x94D049BB133111EBL;
        return z ^ z >>> 31;
    }

    /** Draws a whole number from 0 to below 2<sup>24</sup>. */
    static int draw(long key, int counter) {
        int x = counter * STEP ^ (int) key;
        x = (x ^ x >>> 16) * FIRST;
        x = (x ^ x >>> 15 ^ (int) (key >>> 32)) * SECOND;
        return (x ^ x >>> 15) >>> Integer.SIZE - BITS;
    }
}
