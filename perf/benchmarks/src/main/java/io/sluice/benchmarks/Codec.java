package io.sluice.benchmarks;

/** A compressor with its memory. Not safe for use by several threads. */
interface Codec {
    /** The maximum length of the compressed form of {@code length} bytes. */
    int maxLength(int length);

    /** Compresses all of {@code from} to the beginning of {@code to}; returns the bytes written. */
    int compress(Bytes from, Bytes to);

    /** Decompresses all of {@code from} to the beginning of {@code to}; returns the bytes written. */
    int decompress(Bytes from, Bytes to, int length);

    /** The first bytes that this codec wrote to its memory of {@code to}. */
    byte[] written(Bytes to, int length);
}
