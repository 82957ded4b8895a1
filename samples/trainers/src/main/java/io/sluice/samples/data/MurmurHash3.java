package io.sluice.samples.data;

/** The 32-bit x86 variant of Austin Appleby's public-domain MurmurHash3, with seed 0. */
final class MurmurHash3 {

    private static final int C1 = 0xCC9E2D51;
    private static final int C2 = 0x1B873593;

    private MurmurHash3() {}

    /** Returns the hash of all of {@code bytes}. */
    static int hash(byte[] bytes) {
        int hash = 0;
        int whole = bytes.length & ~3;
        for (int i = 0; i < whole; i += 4) {
            hash = Integer.rotateLeft(hash ^ scramble(littleEndian(bytes, i, 4)), 13) * 5 + 0xE6546B64;
        }
        hash ^= scramble(littleEndian(bytes, whole, bytes.length - whole));
        return avalanche(hash ^ bytes.length);
    }

    private static int littleEndian(byte[] bytes, int from, int count) {
        int word = 0;
        for (int i = 0; i < count; i++) {
            word |= (bytes[from + i] & 0xFF) << (8 * i);
        }
        return word;
    }

    private static int scramble(int word) {
        return Integer.rotateLeft(word * C1, 15) * C2;
    }

    private static int avalanche(int hash) {
        int mixed = (hash ^ (hash >>> 16)) * 0x85EBCA6B;
        mixed = (mixed ^ (mixed >>> 13)) * 0xC2B2AE35;
        return mixed ^ (mixed >>> 16);
    }
}
