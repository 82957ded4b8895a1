package io.sluice.codecs;

class NoCompressorTest extends BlockCompressorContract {
    private final BlockCompressor compressor = new NoCompressor();

    @Override
    BlockCompressor compressor() {
        return compressor;
    }
}
