package io.sluice.codecs;

import io.sluice.codecs.spi.BlockCompressor;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.NanoClock;

/**
 * Leaves a set share of every block and advances a clock by a set time per byte.
 */
final class FakeCompressor implements BlockCompressor {
    private final int code;
    private final FakeTime time;
    private final byte[] last = new byte[1 << 17];
    private double share = 1;
    private double encodeNsPerByte;
    private long compressed;

    FakeCompressor(int code, FakeTime time) {
        this.code = code;
        this.time = time;
    }

    /** The clock of all compressors of a test. */
    static final class FakeTime implements NanoClock {
        private long ns;

        @Override
        public long nanoTime() {
            return ns;
        }
    }

    /**
     * Sets the share of a block's bytes that later compression leaves; 1 or more for a block that does not compress.
     */
    FakeCompressor leaves(double newShare) {
        share = newShare;
        return this;
    }

    FakeCompressor costs(double encode) {
        encodeNsPerByte = encode;
        return this;
    }

    long compressed() {
        return compressed;
    }

    @Override
    public int code() {
        return code;
    }

    @Override
    public String name() {
        return "fake " + code;
    }

    @Override
    public int maxCompressedLength(int length) {
        return 2 * length;
    }

    @Override
    public int compress(
            DirectBuffer src, int srcOffset, int length, MutableDirectBuffer dst, int dstOffset, int dstCapacity) {
        compressed++;
        time.ns += Math.round(length * encodeNsPerByte);
        src.getBytes(srcOffset, last, 0, length);
        return (int) (length * share);
    }

    @Override
    public int decompress(
            DirectBuffer src, int srcOffset, int length, MutableDirectBuffer dst, int dstOffset, int expectedLength) {
        dst.putBytes(dstOffset, last, 0, expectedLength);
        return expectedLength;
    }
}
