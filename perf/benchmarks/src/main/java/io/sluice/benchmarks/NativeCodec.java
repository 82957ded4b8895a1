package io.sluice.benchmarks;

import io.sluice.codecs.spi.BlockCompressor;

/** A compressor of the library, off the heap. */
record NativeCodec(BlockCompressor compressor) implements Codec {
    @Override
    public int maxLength(int length) {
        return compressor.maxCompressedLength(length);
    }

    @Override
    public int compress(Bytes from, Bytes to) {
        return compressor.compress(
                from.memory().buffer(), 0, from.length(), to.memory().buffer(), 0, to.length());
    }

    @Override
    public int decompress(Bytes from, Bytes to, int length) {
        return compressor.decompress(
                from.memory().buffer(), 0, from.length(), to.memory().buffer(), 0, length);
    }

    @Override
    public byte[] written(Bytes to, int length) {
        return to.ofMemory(length);
    }
}
