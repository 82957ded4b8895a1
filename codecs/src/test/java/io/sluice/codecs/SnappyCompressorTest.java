package io.sluice.codecs;

import io.sluice.codecs.api.BlockCompressor;

class SnappyCompressorTest extends BlockCompressorContract {
    private final BlockCompressor compressor = new SnappyCompressor();

    @Override
    BlockCompressor compressor() {
        return compressor;
    }
}
