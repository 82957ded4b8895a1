package io.sluice.benchmarks;

import java.util.function.IntUnaryOperator;

/** A compressor in pure Java, over arrays. */
record ArrayCodec(IntUnaryOperator longest, Step compressor, Step decompressor) implements Codec {
    /** Compresses or decompresses between two arrays. */
    @FunctionalInterface
    interface Step {
        int apply(byte[] from, int fromOffset, int fromLength, byte[] to, int toOffset, int toLength);
    }

    @Override
    public int maxLength(int length) {
        return longest.applyAsInt(length);
    }

    @Override
    public int compress(Bytes from, Bytes to) {
        return compressor.apply(from.array(), 0, from.length(), to.array(), 0, to.length());
    }

    @Override
    public int decompress(Bytes from, Bytes to, int length) {
        return decompressor.apply(from.array(), 0, from.length(), to.array(), 0, length);
    }

    @Override
    public byte[] written(Bytes to, int length) {
        return to.ofArray(length);
    }
}
