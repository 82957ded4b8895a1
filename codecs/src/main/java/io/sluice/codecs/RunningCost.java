package io.sluice.codecs;

/**
 * What one compressor has lately done to one class of frames: time per byte to encode and to decode, and the share of
 * the bytes it took away. All are ratios of sums in which each sample weighs 7/8 of the one after it, so long blocks
 * count for more than short ones and about eight samples are remembered.
 */
final class RunningCost {
    private static final double DECAY = 7.0 / 8;

    private final Time encode = new Time();
    private final Time decode = new Time();
    private double bytesIn;
    private double bytesOut;

    /** A block was compressed; {@code out} is {@code in} if it did not get shorter. */
    void encoded(int in, int out, long ns) {
        bytesIn = bytesIn * DECAY + in;
        bytesOut = bytesOut * DECAY + out;
        encode.add(in, ns);
    }

    /** A block of a raw length was decompressed. */
    void decoded(int raw, long ns) {
        decode.add(raw, ns);
    }

    /** Whether encoding and decoding were timed often enough to be judged. */
    boolean isKnown() {
        return encode.isKnown() && decode.isKnown();
    }

    /** Bytes saved for each byte of a block, 0 to 1. */
    double savedShare() {
        return bytesIn > 0 ? 1 - bytesOut / bytesIn : 0;
    }

    /** Time to encode and decode, in nanoseconds for each byte of a block. */
    double nsPerByte() {
        return encode.nsPerByte() + decode.nsPerByte();
    }

    /**
     * A running time per byte. The first sample is dropped, because it pays for loading code and touching memory. A
     * sample far above the others is an interrupted thread more often than a slow compressor: it counts as four times
     * the usual. One far below shows that the others were interrupted, and replaces them.
     */
    private static final class Time {
        private static final double FAR = 4;

        private boolean warm;
        private double ns;
        private double bytes;

        void add(int sampleBytes, long sampleNs) {
            if (!warm) {
                warm = true;
                return;
            }
            double usual = nsPerByte() * sampleBytes;
            double sample = Math.max(1, sampleNs);
            if (sample * FAR < usual || bytes == 0) {
                ns = sample;
                bytes = sampleBytes;
            } else {
                ns = ns * DECAY + Math.min(sample, usual * FAR);
                bytes = bytes * DECAY + sampleBytes;
            }
        }

        boolean isKnown() {
            return bytes > 0;
        }

        double nsPerByte() {
            return bytes > 0 ? ns / bytes : 0;
        }
    }
}
