package io.sluice.codecs;

import io.sluice.codecs.api.BlockCompressor;

class NoCompressorTest extends BlockCompressorContract {
    private final BlockCompressor compressor = new NoCompressor();

    @Override
    BlockCompressor compressor() {
        return compressor;
    }
}
