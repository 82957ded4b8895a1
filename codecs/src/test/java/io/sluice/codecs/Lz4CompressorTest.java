package io.sluice.codecs;

import io.sluice.codecs.spi.BlockCompressor;

class Lz4CompressorTest extends BlockCompressorContract {
    private final BlockCompressor compressor = new Lz4Compressor();

    @Override
    BlockCompressor compressor() {
        return compressor;
    }
}
