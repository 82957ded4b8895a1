package io.sluice.codecs;

import io.sluice.codecs.spi.BlockCompressor;

class NoCompressorTest extends BlockCompressorContract {
    private final BlockCompressor compressor = new NoCompressor();

    @Override
    BlockCompressor compressor() {
        return compressor;
    }
}
