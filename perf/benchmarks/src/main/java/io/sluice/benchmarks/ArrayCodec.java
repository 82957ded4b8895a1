package io.sluice.benchmarks;

import io.airlift.compress.v3.Compressor;
import io.airlift.compress.v3.Decompressor;

/** A compressor in pure Java, over arrays. */
record ArrayCodec(Compressor compressor, Decompressor decompressor) implements Codec {
    @Override
    public int maxLength(int length) {
        return compressor.maxCompressedLength(length);
    }

    @Override
    public int compress(Bytes from, Bytes to) {
        return compressor.compress(from.array(), 0, from.length(), to.array(), 0, to.length());
    }

    @Override
    public int decompress(Bytes from, Bytes to, int length) {
        return decompressor.decompress(from.array(), 0, from.length(), to.array(), 0, length);
    }

    @Override
    public byte[] written(Bytes to, int length) {
        return to.ofArray(length);
    }
}
