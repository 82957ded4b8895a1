package io.sluice.codecs;

import io.sluice.codecs.spi.BlockCompressor;

class SnappyCompressorTest extends BlockCompressorContract {
    private final BlockCompressor compressor = new SnappyCompressor();

    @Override
    BlockCompressor compressor() {
        return compressor;
    }
}
