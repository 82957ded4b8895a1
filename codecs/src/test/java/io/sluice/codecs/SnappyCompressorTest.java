package io.sluice.codecs;

class SnappyCompressorTest extends BlockCompressorContract {
    private final BlockCompressor compressor = new SnappyCompressor();

    @Override
    BlockCompressor compressor() {
        return compressor;
    }
}
