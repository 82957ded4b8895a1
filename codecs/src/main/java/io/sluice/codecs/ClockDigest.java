package io.sluice.codecs;

/**
 * A running checksum over the data frames of one clock on one link, which the closing round commit carries.
 *
 * <p>Sender and receiver each feed a digest of their own with the checksums of the frames in the order of the link, and
 * the receiver compares the results. So it detects at the end of a clock whether a frame was lost, repeated, swapped
 * with another or replaced. To the bit, with 32-bit wrapping arithmetic, {@code d(0) = 0x9E3779B1} and for the n-th
 * frame with checksum {@code c(n)}
 *
 * <pre>d(n) = rotateLeft((d(n-1) xor c(n)) * 0x9E3779B1, 15)</pre>
 *
 * <p>Each step is a bijection of the digest for a given checksum and of the checksum for a given digest: two runs that
 * differ in a single frame never agree; any other two agree with a probability of about 2<sup>-32</sup>. It guards
 * against faults, not against forgery.
 *
 * <p>Not safe for use by several threads.
 */
public final class ClockDigest {
    /** An odd number close to 2^32 divided by the golden ratio: it spreads every input bit over the upper half. */
    private static final int MULTIPLIER = 0x9E3779B1;

    private static final int ROTATION = 15;

    private int value = MULTIPLIER;
    private int frames;

    /**
     * Adds one frame.
     *
     * @param frameChecksum checksum as stored in the frame, see {@link Frame#checksum}
     */
    public void add(int frameChecksum) {
        value = Integer.rotateLeft((value ^ frameChecksum) * MULTIPLIER, ROTATION);
        frames++;
    }

    /** Number of frames added since the last reset. */
    public int frames() {
        return frames;
    }

    /** The digest of the frames added since the last reset. */
    public int value() {
        return value;
    }

    /** Starts a new clock. */
    public void reset() {
        value = MULTIPLIER;
        frames = 0;
    }
}
