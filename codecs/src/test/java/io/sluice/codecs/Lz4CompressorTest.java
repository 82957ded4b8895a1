package io.sluice.codecs;

class Lz4CompressorTest extends BlockCompressorContract {
    private final BlockCompressor compressor = new Lz4Compressor();

    @Override
    BlockCompressor compressor() {
        return compressor;
    }
}
