package io.sluice.benchmarks;

import net.jpountz.lz4.LZ4Compressor;
import net.jpountz.lz4.LZ4SafeDecompressor;

/** lz4-java's own port to Java, over arrays. */
record Lz4ArrayCodec(LZ4Compressor compressor, LZ4SafeDecompressor decompressor) implements Codec {
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
